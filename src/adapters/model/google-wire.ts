import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { isGeminiEnd, thinkingOf } from './gemini-form.ts';
import { createProviderWire } from './provider-wire.ts';

/** Google's Gemini API. */
export const wire = createProviderWire({
  provider: 'google',
  open: (modelId, baseURL, fetch) => createGoogleGenerativeAI({ baseURL, apiKey: 'none', fetch })(modelId),
  options: ({ model, reasoningEffort }) => ({ google: thinkingOf(model ?? '', reasoningEffort) }),
  isEnd: isGeminiEnd,
  isUnknown: () => false,
});
