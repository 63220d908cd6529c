import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KNOWN_PROVIDERS } from '../../src/adapters/model/provider-packages.ts';
import { Home } from '../support/aish.ts';
import { GEMINI } from '../support/gemini-server.ts';
import { PackageRegistry } from '../support/package-registry.ts';
import { PROVIDER_KEY, ProviderServer, type ProviderShape } from '../support/provider-server.ts';

setDefaultTimeout(240_000);

const FIXTURES = join(import.meta.dir, '../fixtures/provider-package');
const registry = new PackageRegistry([join(FIXTURES, 'talk'), join(FIXTURES, 'talk-lines')]);
afterAll(() => registry[Symbol.asyncDispose]());

const KEY = { env: { TEST_KEY: PROVIDER_KEY } };
const ADD = ['models', 'provider', 'add', 'talk', 'talk-provider@1.2.0', '--integrity'];

/** A home whose user has set the registry of the tests. */
function homeWithRegistry(): Home {
  const home = new Home();
  writeFileSync(join(home.home, '.npmrc'), `registry=${registry.url}\n`);
  return home;
}

interface Talked {
  readonly headers: Headers;
  readonly body: string;
}

/** A server of the wire that the package of the tests speaks. */
class TalkServer {
  readonly requests: Talked[] = [];
  readonly #script: Response[];
  readonly #server: Bun.Server<undefined>;

  constructor(script: readonly Response[]) {
    this.#script = [...script];
    this.#server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      idleTimeout: 0,
      fetch: async (request) => {
        this.requests.push({ headers: request.headers, body: await request.text() });
        return this.#script.shift() ?? new Response('the script is over', { status: 500 });
      },
    });
  }

  get url(): string {
    return `http://127.0.0.1:${this.#server.port}/api`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }
}

const talk = (...lines: readonly object[]): Response =>
  new Response(lines.map((line) => `${JSON.stringify(line)}\n`).join(''), {
    headers: { 'content-type': 'text/plain' },
  });
const CALL = { call: { id: 'c1', name: 'aish__read_file', input: { path: 'note.txt' } } };

function useTalk(home: Home, url: string): void {
  home.configure(
    `[models.it]\nbase_url = "${url}"\nprovider = "talk"\nmodel = "small"\nkey_env = "TEST_KEY"\ntimeout_ms = 60000\n`,
  );
  writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
}

test('[model.package] a package is installed by its pin, and runs the loop over the connection of aish', async () => {
  using home = homeWithRegistry();
  const before = readdirSync(home.work);
  const added = await home.run([...ADD, registry.integrityOf('talk-provider')]);
  expect(added).toMatchObject({ code: 0, out: expect.stringContaining('talk is installed: talk-provider 1.2.0') });
  expect(existsSync(join(home.home, 'script-ran'))).toBe(false);
  expect(readdirSync(home.work)).toEqual(before);
  expect((await home.run(['models', 'provider'])).out).toMatch(/^talk +talk-provider +1\.2\.0 +installed /m);

  await using server = new TalkServer([
    new Response('', { status: 503, headers: { 'retry-after-ms': '10' } }),
    talk({ say: 'I look.' }, CALL, { end: 'tool-calls' }),
    talk({ say: 'The sea is blue.' }, { end: 'stop' }),
    new Response(null, { status: 308, headers: { location: 'http://127.0.0.1:9/' } }),
    Response.json({ error: { message: 'the moon is in the wrong place' } }, { status: 400 }),
    talk({ say: 'The sea' }),
  ]);
  useTalk(home, server.url);
  const ask = () => home.run(['-p', 'read the note', '--approve', 'all'], KEY);
  expect(await ask()).toMatchObject({ code: 0, out: expect.stringContaining('The sea is blue.\n') });
  expect((await ask()).error).toContain('redirects to another address (308)');
  expect((await ask()).error).toContain('the moon is in the wrong place');
  expect((await ask()).error).toContain('ended unexpectedly');
  expect(server.requests).toHaveLength(6);
  expect(server.requests[2]?.body).toContain('the sea is blue');
  for (const { headers, body } of server.requests) {
    expect([headers.get('authorization'), headers.get('x-talk')]).toEqual([`Bearer ${PROVIDER_KEY}`, null]);
    expect(body).not.toContain(PROVIDER_KEY);
  }
});

test('[model.package] a package with another integrity, and changed code, do not run', async () => {
  using home = homeWithRegistry();
  await using server = new TalkServer([]);
  useTalk(home, server.url);
  const ask = () => home.run(['-p', 'hello'], KEY);
  expect((await ask()).error).toContain('the package of provider "talk" is not installed');

  const wrong = await home.run([...ADD, registry.integrityOf('talk-lines')]);
  expect([wrong.code, wrong.error]).toEqual([1, expect.stringContaining('has another integrity than the pin says')]);
  const unpinned = await home.run(['models', 'provider', 'add', 'talk', 'talk-provider@1.2.0']);
  expect([unpinned.code, unpinned.error]).toEqual([2, expect.stringContaining('--integrity')]);
  const absent = await home.run(['models', 'provider', 'add', 'cohere']);
  expect([absent.code, absent.error]).toEqual([1, expect.stringContaining('cannot install @ai-sdk/cohere 3.0.63')]);
  const folder = join(home.root, 'state/aish/providers');
  expect(readdirSync(folder)).toEqual([]);

  await home.run([...ADD, registry.integrityOf('talk-provider')]);
  appendFileSync(join(folder, 'talk/provider.js'), '\n');
  expect((await ask()).error).toContain('provider.js is not the code of talk-provider 1.2.0');
  expect((await home.run(['models', 'provider', 'remove', 'talk'])).code).toBe(0);
  expect(readdirSync(folder)).toEqual([]);
  expect(server.requests).toEqual([]);
});

/** A message of the event stream of AWS: its length, that of its headers, both with checksums. */
function awsEvent(type: string, data: object): Uint8Array {
  const payload = Buffer.from(JSON.stringify(data));
  const headers = Buffer.concat(
    Object.entries({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }).map(
      ([name, value]) =>
        Buffer.concat([
          Buffer.from([name.length]),
          Buffer.from(name),
          Buffer.from([7, value.length >> 8, value.length & 255]),
          Buffer.from(value),
        ]),
    ),
  );
  const size = 16 + headers.length + payload.length;
  const message = Buffer.alloc(size);
  message.writeUInt32BE(size, 0);
  message.writeUInt32BE(headers.length, 4);
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, 8)), 8);
  headers.copy(message, 12);
  payload.copy(message, 12 + headers.length);
  message.writeUInt32BE(Bun.hash.crc32(message.subarray(0, size - 4)), size - 4);
  return message;
}

const NOTE = { path: 'note.txt' };
const SEA = 'The sea is blue.';

function converse(...events: readonly (readonly [string, object])[]): Response {
  const bytes = Buffer.concat(events.map(([type, data]) => awsEvent(type, data)));
  return new Response(bytes, { headers: { 'content-type': 'application/vnd.amazon.eventstream' } });
}

function events(...data: readonly object[]): Response {
  const body = data.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('');
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

/** Recorded forms of answers: a call, and then a text. */
const RECORDED: Readonly<Record<string, () => readonly Response[]>> = {
  bedrock: () => [
    converse(
      ['messageStart', { role: 'assistant' }],
      ['contentBlockStart', { contentBlockIndex: 0, start: { toolUse: { toolUseId: 't1', name: 'aish__read_file' } } }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: JSON.stringify(NOTE) } } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'tool_use' }],
    ),
    converse(
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: SEA } }],
      ['contentBlockStop', { contentBlockIndex: 0 }],
      ['messageStop', { stopReason: 'end_turn' }],
      ['metadata', { usage: { inputTokens: 9, outputTokens: 5, totalTokens: 14 }, metrics: { latencyMs: 3 } }],
    ),
    converse(
      ['messageStart', { role: 'assistant' }],
      ['contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'The' } }],
    ),
  ],
  cohere: () => [
    events(
      {
        type: 'message-start',
        id: 'm1',
        delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [] } },
      },
      {
        type: 'tool-call-start',
        index: 0,
        delta: {
          message: { tool_calls: { id: 't1', type: 'function', function: { name: 'aish__read_file', arguments: '' } } },
        },
      },
      {
        type: 'tool-call-delta',
        index: 0,
        delta: { message: { tool_calls: { function: { arguments: JSON.stringify(NOTE) } } } },
      },
      { type: 'tool-call-end', index: 0 },
      {
        type: 'message-end',
        delta: { finish_reason: 'TOOL_CALL', usage: { tokens: { input_tokens: 9, output_tokens: 5 } } },
      },
    ),
    events(
      {
        type: 'message-start',
        id: 'm2',
        delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [] } },
      },
      { type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: '' } } } },
      { type: 'content-delta', index: 0, delta: { message: { content: { text: SEA } } } },
      { type: 'content-end', index: 0 },
      {
        type: 'message-end',
        delta: { finish_reason: 'COMPLETE', usage: { tokens: { input_tokens: 9, output_tokens: 5 } } },
      },
    ),
    events({ type: 'content-start', index: 0, delta: { message: { content: { type: 'text', text: 'The' } } } }),
  ],
};

/** Known packages whose wire a scripted server speaks. */
const SCRIPTED: readonly (readonly [name: string, shape: ProviderShape, env: Readonly<Record<string, string>>])[] = [
  [
    'vertex',
    {
      ...GEMINI,
      basePath: '/v1/publishers/google',
      isPath: (path) => path.startsWith('/v1/publishers/google/models/'),
    },
    { GOOGLE_VERTEX_API_KEY: PROVIDER_KEY },
  ],
];

test('a provider that aish speaks to by itself needs no package', async () => {
  using home = new Home();
  const { code, out } = await home.run(['models', 'provider', 'add', 'azure']);
  expect([code, out]).toEqual([0, 'azure needs no package; to use it: aish --model azure:MODEL\n']);
});

const isOnline = process.env.AISH_TEST_REGISTRY === '1';

describe.skipIf(!isOnline)('with AISH_TEST_REGISTRY=1, which needs the network', () => {
  test.each(KNOWN_PROVIDERS.map((one) => [one.name, one] as const))('the pin of %s holds', async (name, known) => {
    using home = new Home();
    const added = await home.run(['models', 'provider', 'add', name]);
    expect([added.code, added.error]).toEqual([0, `aish: installing ${known.package} ${known.version}\n`]);
  });

  test.each(Object.entries(RECORDED))('%s runs the loop, and tells an answer that broke off', async (name, replies) => {
    using home = new Home();
    expect((await home.run(['models', 'provider', 'add', name])).code).toBe(0);
    await using server = new TalkServer(replies());
    const model = `model = "m"\nkey_env = "TEST_KEY"\n`;
    home.configure(`[models.it]\nbase_url = "${server.url}"\nprovider = "${name}"\n${model}`);
    writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
    const asked = await home.run(['-p', 'read the note', '--approve', 'all'], KEY);
    expect([asked.code, asked.error, asked.out]).toEqual([0, expect.any(String), `${SEA}\n`]);
    expect(server.requests[1]?.body).toContain('the sea is blue');
    expect((await home.run(['-p', 'again'], KEY)).error).toContain('ended unexpectedly');
    const keys = server.requests.map(({ headers }) => headers.get('authorization'));
    expect(keys).toEqual(keys.map(() => `Bearer ${PROVIDER_KEY}`));
  });

  test.each(SCRIPTED)('%s runs the loop', async (name, shape, env) => {
    using home = new Home();
    expect((await home.run(['models', 'provider', 'add', name])).code).toBe(0);
    await using server = new ProviderServer(shape, [
      { thinking: 'A file.', calls: [{ name: 'aish__read_file', arguments: { path: 'note.txt' } }] },
      { text: 'The sea is blue.' },
    ]);
    const [key = ''] = Object.keys(env);
    home.configure(
      `[models.it]\nbase_url = "${server.url}"\nprovider = "${name}"\nmodel = "${shape.model}"\nkey_env = "${key}"\n`,
    );
    writeFileSync(join(home.work, 'note.txt'), 'the sea is blue\n');
    const { code, out } = await home.run(['-p', 'read the note', '--approve', 'all'], { env });
    expect([server.failures, code, out]).toEqual([[], 0, 'The sea is blue.\n']);
    expect(JSON.stringify(server.requests[1]?.body)).toContain('A file.');
  });
});
