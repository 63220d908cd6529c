import { describe, expect, test } from 'bun:test';
import type { Json } from '../../protocol/json.ts';
import { classifyFault, type FaultKind, readOverflow, saysTooLong } from './fault-kind.ts';
import { readServerFault } from './server-fault.ts';

test.each<[status: number | undefined, body: Json, kind: FaultKind]>([
  [401, { error: { message: 'no' } }, 'unauthorized'],
  [400, { error: { message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' } }, 'unauthorized'],
  [403, { error: { message: 'no' } }, 'forbidden'],
  [403, { error: { message: 'Country, region, or territory not supported' } }, 'region'],
  [451, { error: { message: 'Unavailable for legal reasons' } }, 'region'],
  [403, { error: { message: 'Project does not have access to model `m`', code: 'model_not_found' } }, 'model-missing'],
  [400, { error: { message: 'm is not a valid model ID' } }, 'model-missing'],
  [400, { error: { message: 'Invalid model name passed in model=m' } }, 'model-missing'],
  [400, { error: { message: 'The model `m` has been decommissioned' } }, 'model-missing'],
  [410, { error: { message: 'The model `m` has been deprecated' } }, 'model-missing'],
  [405, { detail: 'Method Not Allowed' }, 'path-missing'],
  [400, { error: { message: 'Your credit balance is too low' } }, 'no-credit'],
  [429, { error: { code: '1113', message: '余额不足或无可用资源包,请充值。' } }, 'no-credit'],
  [undefined, { status_code: 1008, status_msg: 'insufficient balance' }, 'no-credit'],
  [400, { error: { message: 'no', code: 'content_filter' } }, 'filtered'],
  [400, { error: { message: 'bad' } }, 'refused'],
  [501, { error: { message: 'not implemented' } }, 'refused'],
  [409, { error: { message: 'conflict' } }, 'unavailable'],
  [425, { error: { message: 'too early' } }, 'unavailable'],
  [undefined, { error: { message: 'wait', code: '503' } }, 'unavailable'],
  [undefined, { error: { message: 'wait', type: 'overloaded_error' } }, 'overloaded'],
  [undefined, { error: { message: 'wait', type: 'rate_limit_error' } }, 'rate-limited'],
  [undefined, { error: { message: 'oh', type: 'server_error' } }, 'server-error'],
  [undefined, { error: { message: 'oh' } }, 'stream-error'],
  [400, { error: { message: 'User location is not supported for the API use.' } }, 'region'],
  [429, { error: 'Your team has either used all available credits or reached its monthly spending limit.' }, 'no-credit'],
  [400, { error: { message: 'Failed to call a function.', code: 'tool_use_failed' } }, 'server-error'],
  [503, { error: 'Model m is currently loading', estimated_time: 20 }, 'loading'],
])('status %p with %j is %s', (status, body, kind) => {
  expect(classifyFault({ ...readServerFault(body), ...(status === undefined ? {} : { status }) })).toBe(kind);
});

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
