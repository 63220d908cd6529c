import type { ContextWindow } from '../../protocol/context.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { Entry, SessionState } from '../session/state.ts';
import { estimateMessage, estimateRequest, estimateTokens, estimateTool } from './estimate.ts';
import { type ContextLimits, shareOut } from './limits.ts';
import { estimateEntry } from './plan-compaction.ts';
import { shownEntries } from './shown-entries.ts';

/** One of the things that fill a context. */
export interface FillPart {
  readonly name: string;
  readonly tokens: number;
}

/** What fills the context of the next request, about, in tokens. */
export interface ContextFill {
  readonly window: ContextWindow | null;
  readonly limits: ContextLimits | null;
  /** Per cent of the window at which it is compacted; 0 for never. */
  readonly compactAt: number;
  readonly tokens: number;
  readonly parts: readonly FillPart[];
  /** How many entries a summary stands for by now, and how many there are in all. */
  readonly covered: number;
  readonly entries: number;
  /** For how many it would stand after a compaction now; null where that would free nothing. */
  readonly wouldCover: number | null;
}

/** What a fill is measured from. */
export interface FillGround {
  readonly state: SessionState;
  /** The request that would be sent now. */
  readonly request: ModelRequest;
  /** Characters of the system message that are notes of project and person. */
  readonly notes: number;
  readonly window: ContextWindow | null;
  readonly compactAt: number;
  /** What estimates are multiplied with for this model. */
  readonly correction: number;
  readonly wouldCover: number | null;
}

/** Takes a request apart by what its tokens are spent on. */
export function measureFill({
  state,
  request,
  notes,
  window,
  compactAt,
  correction,
  wouldCover,
}: FillGround): ContextFill {
  const [system] = request.messages;
  const noted = Math.ceil(notes / 3.6);
  const { summary, resumed, entries } = shownEntries(state);
  const kept = resumed === null ? entries : [resumed, ...entries];
  const parts = [
    { name: 'system prompt', tokens: (system === undefined ? 0 : estimateMessage(system)) - noted },
    { name: 'AGENTS.md', tokens: noted },
    { name: 'tools', tokens: request.tools.reduce((sum, tool) => sum + estimateTool(tool), 0) },
    { name: 'summary', tokens: summary === null ? 0 : estimateTokens(summary) },
    ...partsOf(kept),
  ];
  const whole = (part: FillPart): FillPart => ({ ...part, tokens: Math.round(part.tokens * correction) });
  return {
    window,
    limits: window === null ? null : shareOut(window.tokens, compactAt === 0 ? 100 : compactAt),
    compactAt,
    tokens: Math.round(estimateRequest(request) * correction),
    parts: parts.map(whole).filter(({ tokens }) => tokens > 0),
    covered: state.context.compacted?.upTo ?? 0,
    entries: state.entries.length,
    wouldCover,
  };
}

function partsOf(entries: readonly Entry[]): readonly FillPart[] {
  const kinds = new Map<string, number>();
  for (const entry of entries) {
    for (const { name, tokens } of spentOn(entry)) kinds.set(name, (kinds.get(name) ?? 0) + tokens);
  }
  const order = ['your messages', 'attachments', 'answers and calls', 'tool results', 'command outputs'];
  return order.map((name) => ({ name, tokens: kinds.get(name) ?? 0 }));
}

function spentOn(entry: Entry): readonly FillPart[] {
  const tokens = estimateEntry(entry);
  switch (entry.type) {
    case 'user': {
      const words = estimateTokens(entry.text);
      return [
        { name: 'your messages', tokens: words },
        {
          name: 'attachments',
          tokens: entry.attachment === undefined && entry.files === undefined ? 0 : tokens - words,
        },
      ];
    }
    case 'assistant':
    case 'unanswered':
      return [{ name: 'answers and calls', tokens }];
    case 'result':
      return [{ name: 'tool results', tokens }];
    case 'command':
    case 'proposal':
    case 'restored':
      return [{ name: 'command outputs', tokens }];
  }
}
