import { createOpenAI, type OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import type { JsonObject } from '../../protocol/json.ts';
import { createProviderWire } from './provider-wire.ts';
import type { Wire } from './wire.ts';

const ENDS: ReadonlySet<unknown> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Events that carry parts of an answer, besides those that end it. */
const EVENTS =
  /^(error|response\.(created|in_progress|output_item|output_text|content_part|function_call|reasoning|refusal))/;

/** True for the event that ends an answer of the Responses API. */
function isResponsesEnd({ type }: JsonObject): boolean {
  return ENDS.has(type);
}

/** True for an event of Responses that carries no part of an answer. */
function isUnknownToResponses({ type }: JsonObject): boolean {
  return typeof type === 'string' && !ENDS.has(type) && !EVENTS.test(type);
}

/** The Responses API. The server stores nothing: encrypted reasoning travels with the conversation. */
function responsesAt(provider: 'openai' | 'azure'): Wire {
  return createProviderWire({
    provider,
    open: (modelId, baseURL, fetch) =>
      createOpenAI({ name: provider, baseURL, apiKey: 'none', fetch }).responses(modelId),
    options: ({ reasoningEffort }) => {
      const options = { store: false } satisfies OpenAILanguageModelResponsesOptions;
      return { [provider]: reasoningEffort === undefined ? options : { ...options, reasoningEffort } };
    },
    isEnd: isResponsesEnd,
    isUnknown: isUnknownToResponses,
  });
}

/** Responses at api.openai.com. */
export const wire = responsesAt('openai');

/** Responses at Azure, which differ in the header of the key only. */
export const azureWire = responsesAt('azure');
