import { createOpenAI, type OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import { createProviderWire } from './provider-wire.ts';

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Events that carry parts of an answer, besides those that end it. */
const EVENTS =
  /^(error|response\.(created|in_progress|output_item|output_text|content_part|function_call|reasoning|refusal))/;

/**
 * OpenAI's Responses API, at api.openai.com only. OpenAI stores nothing: encrypted reasoning travels with the conversation.
 */
export const wire = createProviderWire({
  provider: 'openai',
  open: (modelId, baseURL, fetch) => createOpenAI({ baseURL, apiKey: 'none', fetch }).responses(modelId),
  options: ({ reasoningEffort }) => {
    const options = { store: false } satisfies OpenAILanguageModelResponsesOptions;
    return { openai: reasoningEffort === undefined ? options : { ...options, reasoningEffort } };
  },
  isEnd: (event) => ENDS.has(event.type),
  isUnknown: (event) => typeof event.type === 'string' && !ENDS.has(event.type) && !EVENTS.test(event.type),
});
