import { afterEach, expect, test } from 'bun:test';
import { type ModelServer, startModelServer } from '../../../test/support/model-server.ts';
import { discoverModels, findModel } from './model-list.ts';
import { MODEL_PRESETS, type ModelPreset } from './presets.ts';

const open: { stop(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.stop())));

const never = new AbortController().signal;
const cloud: ModelPreset = {
  name: 'cloud',
  title: 'Cloud',
  baseUrl: 'https://cloud.example/v1',
  keyEnv: 'CLOUD_KEY',
  baseUrlEnv: 'CLOUD_URL',
  model: 'big',
};

function scripted(models: readonly string[]): ModelServer {
  const server = startModelServer({ models });
  open.push({ stop: () => server.close() });
  return server;
}

function serving(answer: () => Response): string {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer });
  open.push({ stop: () => server.stop(true) });
  return `http://127.0.0.1:${server.port}/v1`;
}

function candidate(baseUrl: string, name = 'local'): ModelPreset {
  return { name, title: 'Local', baseUrl };
}

test('a key is found without a request', async () => {
  const [found] = await discoverModels({ CLOUD_KEY: 'k' }, never, [cloud]);
  expect([found?.endpoint.key, found?.endpoint.keyEnv, found?.endpoint.model, found?.source]).toEqual([
    'k',
    'CLOUD_KEY',
    'big',
    'Cloud (big), by CLOUD_KEY',
  ]);
});

test('a key for another address takes the first model there', async () => {
  const [found] = await discoverModels({ CLOUD_KEY: 'k', CLOUD_URL: 'http://127.0.0.1:9' }, never, [cloud]);
  expect([found?.endpoint.baseUrl, found?.endpoint.model]).toEqual(['http://127.0.0.1:9/v1', null]);
});

test('a server is found with its first model that talks, and the names of the others', async () => {
  const server = scripted(['nomic-embed-text', 'qwen3', 'bge-m3', 'gemma3']);
  const [found] = await discoverModels({}, never, [candidate(server.url)]);
  expect([found?.endpoint.model, found?.source]).toEqual(['qwen3', `Local at ${server.url} (qwen3)`]);
  expect(found?.others).toEqual(['gemma3']);
});

test('a server that tells its context is believed', async () => {
  const url = serving(() => Response.json({ data: [{ id: 'a', meta: { n_ctx: 4096 } }] }));
  expect((await discoverModels({}, never, [candidate(url)]))[0]?.endpoint.context).toBe(4096);
});

test('a server that loads its model is there', async () => {
  const url = serving(() => Response.json({ error: { message: 'Loading model', code: 503 } }, { status: 503 }));
  expect((await discoverModels({}, never, [candidate(url)]))[0]?.source).toBe(`Local at ${url} (loading)`);
});

test('what is no model server is not found, and neither is nobody', async () => {
  const page = serving(() => new Response('<html></html>'));
  const other = serving(() => Response.json({ hello: 1 }));
  const locked = serving(() => new Response('', { status: 401 }));
  const candidates = [page, other, locked, 'http://127.0.0.1:1/v1'].map((url) => candidate(url));
  expect(await discoverModels({}, never, candidates)).toEqual([]);
});

test('a key comes before a server, and nothing at all says what to do', async () => {
  const server = scripted(['qwen3']);
  const both = [candidate(server.url), cloud];
  const names = [await findModel({ CLOUD_KEY: 'k' }, never, both), await findModel({}, never, both)].map(
    (endpoint) => endpoint.name,
  );
  const none = await findModel({}, never, []).catch((thrown) => thrown.code);
  expect([...names, none]).toEqual(['cloud', 'local', 'model.none']);
});

test('every candidate without key is on loopback', () => {
  const local = MODEL_PRESETS.filter((entry) => entry.keyEnv === undefined).map(
    (entry) => new URL(entry.baseUrl).hostname,
  );
  expect(new Set(local)).toEqual(new Set(['127.0.0.1']));
});

test.each<[title: string, list: unknown, model: string | undefined]>([
  ['names', { models: ['m', 'x'] }, 'm'],
  ['names without a holder', ['m'], 'm'],
  ['names deeper', { data: { models: [{ model_name: 'm' }] } }, 'm'],
  ['names of Cloudflare', { success: true, result: [{ id: 'uuid', name: '@cf/m' }] }, '@cf/m'],
  ['another key', { data: [{ model: 'm' }] }, 'm'],
  ['entries without a name', { data: [null, { id: null }, { id: '' }, { id: 'm' }] }, 'm'],
  [
    'kinds',
    {
      data: [
        { id: 'x', type: 'embeddings' },
        { id: 'm', type: 'llm' },
      ],
    },
    'm',
  ],
  [
    'states',
    {
      data: [
        { id: 'x', state: 'not-loaded' },
        { id: 'm', state: 'loaded' },
      ],
    },
    'm',
  ],
  ['only models that are not loaded', { data: [{ id: 'm', state: 'not-loaded' }] }, 'm'],
  ['nothing', { data: null }, undefined],
])('a list of %s names a model', async (_, list, model) => {
  const url = serving(() => Response.json(list));
  expect((await discoverModels({}, never, [candidate(url)]))[0]?.endpoint.model ?? undefined).toBe(model);
});
