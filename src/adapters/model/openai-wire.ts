import { createOpenAI, type OpenAILanguageModelResponsesOptions } from '@ai-sdk/openai';
import { createProviderWire } from './provider-wire.ts';
import { isResponsesEnd, isUnknownToResponses } from './responses-form.ts';

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
  isEnd: isResponsesEnd,
  isUnknown: isUnknownToResponses,
});
