import type { Tool } from '../../protocol/tool.ts';

/** The tool that sends out explorers. Every request with it holds this description, so it is short. */
export const EXPLORE_TOOL: Tool = {
  name: 'aish.explore',
  description:
    'Let read-only explorers answer 1 to 4 broad questions about the project side by side, each in its own context. ' +
    'They see nothing of this conversation, so each question must stand alone. Returns short reports.',
  parameters: {
    type: 'object',
    properties: { questions: { type: 'array', items: { type: 'string' } } },
    required: ['questions'],
  },
  effect: 'read',
};

/** Models with a context window from this size on have room for the tool. */
const ROOMY = 64_000;

/** The built-in tools that a request offers: with this tool, depending on the context window; or those that only read. */
export type Offer = 'auto' | 'always' | 'never' | 'reading';

/** Chooses among the built-in tools; an unknown window counts as small. */
export function chooseOwn(tools: readonly Tool[], offer: Offer, windowTokens: number | null): readonly Tool[] {
  if (offer === 'reading') return tools.filter(({ effect }) => effect !== 'write');
  return offer === 'always' || (offer === 'auto' && (windowTokens ?? 0) >= ROOMY) ? [...tools, EXPLORE_TOOL] : tools;
}
