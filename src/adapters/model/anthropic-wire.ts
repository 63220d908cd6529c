import { type AnthropicLanguageModelOptions, createAnthropic } from '@ai-sdk/anthropic';
import type { ModelRequest } from '../../protocol/model.ts';
import type { ModelEndpoint } from './models.ts';
import { mayThink } from './provider-prompt.ts';
import { createProviderWire } from './provider-wire.ts';

/** Tokens that Claude may think with, by effort. Models that decide by themselves ignore the number. */
const BUDGETS = { low: 2048, medium: 8192, high: 24_576 } as const;

/** Enough for a long file; the package lowers it for models that write less. */
const MOST_TOKENS = 32_000;

/** Events of the Messages API. Anthropic may add others, which a client leaves out. */
const EVENTS: ReadonlySet<unknown> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** Anthropic's Messages API. */
export const wire = createProviderWire({
  provider: 'anthropic',
  open: (modelId, baseURL, fetch) => createAnthropic({ baseURL, apiKey: 'none', fetch })(modelId),
  options: (endpoint, request) => ({ anthropic: { ...toOptions(endpoint, request) } }),
  cacheMark: { anthropic: { cacheControl: { type: 'ephemeral' } } },
  maxOutputTokens: MOST_TOKENS,
  isEnd: (event) => event.type === 'message_stop',
  isUnknown: (event) => !EVENTS.has(event.type),
});

function toOptions({ model, reasoningEffort }: ModelEndpoint, { messages }: ModelRequest) {
  const options = { toolStreaming: false } satisfies AnthropicLanguageModelOptions;
  if (reasoningEffort === undefined) return options;
  if (reasoningEffort === 'none') return { ...options, thinking: { type: 'disabled' as const } };
  // A step that continues another model's calls may not think: Anthropic wants its own signed reasoning before them.
  if (!mayThink(messages, { provider: 'anthropic', model: model ?? '' })) return options;
  return { ...options, thinking: { type: 'enabled' as const, budgetTokens: BUDGETS[reasoningEffort] } };
}
