import { describe, expect, test } from 'bun:test';
import { readOverflow, saysTooLong } from './overflow.ts';

const REFUSALS: readonly (readonly [string, string, object])[] = [
  [
    'OpenAI',
    "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens.",
    { windowTokens: 8192, promptTokens: 9001 },
  ],
  [
    'vLLM',
    "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4488 in the " +
      'messages, 512 in the completion). Please reduce the length of the messages or completion.',
    { windowTokens: 4096, promptTokens: 5000 },
  ],
  ['llama.cpp', 'the request exceeds the available context size. try increasing the context size or enable context shift', {}],
  [
    'llama.cpp with sizes',
    'request (5033 tokens) exceeds the available context size (4096 tokens), try increasing it',
    { windowTokens: 4096, promptTokens: 5033 },
  ],
  ['Anthropic', 'prompt is too long: 210423 tokens > 200000 maximum', { windowTokens: 200_000, promptTokens: 210_423 }],
  [
    'Gemini',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    { windowTokens: 1_048_576, promptTokens: 1_200_000 },
  ],
  ['a Chinese gateway', '输入内容的长度超过模型的最大限制', {}],
  [
    'LM Studio',
    'Trying to keep the first 5000 tokens when context the overflows. The number of tokens to keep from ' +
      'the initial prompt is greater than the context length.',
    {},
  ],
  [
    'LM Studio, another version',
    'Trying to keep the first 9136 tokens when context the overflows. However, the model is loaded with context length of only 7866 tokens',
    { windowTokens: 7866 },
  ],
  [
    'TGI',
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 100 `max_new_tokens`',
    { windowTokens: 4096 },
  ],
  [
    'SGLang',
    "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
    { windowTokens: 8192, promptTokens: 9000 },
  ],
  ['Groq', 'Please reduce the length of the messages or completion.', {}],
  [
    'Mistral',
    'Prompt contains 40,123 tokens and 0 draft tokens, too large for model with 32,768 maximum context length',
    { promptTokens: 40_123 },
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 131,072 tokens. However, you requested about 140,001 tokens",
    { windowTokens: 131_072, promptTokens: 140_001 },
  ],
];

describe('a refusal as too long', () => {
  test.each(REFUSALS)('of %s is known and its numbers are read', (_, message, numbers) => {
    expect([saysTooLong(message), readOverflow(message)]).toEqual([true, numbers]);
  });

  test.each(['Invalid API Key', 'the image exceeds the allowed size of 20 MB', 'rate limit of 1000 requests exceeded', 'model not found'])(
    'is not what "%s" says',
    (message) => {
      expect(saysTooLong(message)).toBe(false);
    },
  );
});
