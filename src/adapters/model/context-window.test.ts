import { afterEach, expect, test } from 'bun:test';
import { askContextWindow } from './model-list.ts';
import { toEndpoint } from './models.ts';

const servers: Bun.Server<undefined>[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop(true);
});

/** A server that answers as told, by path, and 404 elsewhere. */
function serve(answers: Readonly<Record<string, unknown>>) {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: (request) => {
      const answer = answers[new URL(request.url).pathname];
      return answer === undefined ? new Response('not here', { status: 404 }) : Response.json(answer);
    },
  });
  servers.push(server);
  return toEndpoint('local', { base_url: `http://127.0.0.1:${server.port}/v1`, model: 'qwen3' }, null);
}

const never = new AbortController().signal;

test.each([
  [
    'llama.cpp tells what one slot holds',
    { '/props': { default_generation_settings: { n_ctx: 2048 }, total_slots: 4 } },
    2048,
  ],
  [
    'Ollama tells what the loaded model runs with',
    {
      '/api/show': { model_info: { 'qwen3.context_length': 40_960 }, parameters: 'num_ctx 8192' },
      '/api/ps': { models: [{ name: 'qwen3', context_length: 16_384 }] },
    },
    16_384,
  ],
  [
    'Ollama tells what the model file sets, while the model is not loaded',
    {
      '/api/show': { model_info: {}, parameters: 'stop "x"\nnum_ctx                        8192' },
      '/api/ps': { models: [] },
    },
    8192,
  ],
  [
    "Ollama's own default holds where nothing is set, not what the model was made for",
    { '/api/show': { model_info: { 'qwen3.context_length': 40_960 } } },
    4096,
  ],
  [
    'LM Studio tells what the model was loaded with',
    {
      '/api/v0/models': {
        data: [{ id: 'qwen3', state: 'loaded', max_context_length: 32_768, loaded_context_length: 4096 }],
      },
    },
    4096,
  ],
  ['vLLM tells it in its list', { '/v1/models': { data: [{ id: 'qwen3', max_model_len: 8192 }] } }, 8192],
  [
    'OpenRouter tells it in its list',
    { '/v1/models': { data: [{ id: 'other' }, { id: 'qwen3', context_length: 131_072 }] } },
    131_072,
  ],
  [
    'a server that does not know the model tells nothing',
    { '/v1/models': { data: [{ id: 'other', max_model_len: 8192 }] } },
    null,
  ],
  [
    'nonsense is nothing',
    { '/props': { default_generation_settings: { n_ctx: '2048' } }, '/api/show': 'x', '/v1/models': 7 },
    null,
  ],
] as const)('%s', async (_, answers, expected) => {
  expect(await askContextWindow(serve(answers), never)).toBe(expected);
});

test('a list that was read already is not asked for again', async () => {
  const endpoint = serve({ '/v1/models': { data: [{ id: 'qwen3', max_model_len: 8192 }] } });
  expect(await askContextWindow(endpoint, never, { wasListed: true })).toBeNull();
});

test('a server that is not there tells nothing', async () => {
  const endpoint = serve({});
  await servers[0]?.stop(true);
  expect(await askContextWindow(endpoint, never)).toBeNull();
});
