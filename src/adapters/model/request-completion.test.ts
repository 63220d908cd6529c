import { afterEach, expect, test } from 'bun:test';
import {
  type Answer,
  broken,
  calls,
  held,
  type ModelServer,
  type ModelServerOptions,
  type Reply,
  startModelServer,
  status,
  stream,
  text,
} from '../../../test/support/model-server.ts';
import type { EndpointProfile } from '../../protocol/endpoint-profile.ts';
import { AishError } from '../../protocol/error.ts';
import type { CompletionDelta, DelayReason, ModelRequest, RequestDelay } from '../../protocol/model.ts';
import { nameModel } from './model-list.ts';
import type { ModelEndpoint } from './models.ts';
import { type RetryClock, requestCompletion } from './request-completion.ts';

const open: { close(): Promise<void> }[] = [];
afterEach(() => Promise.all(open.splice(0).map((server) => server.close())));

const request: ModelRequest = { messages: [{ role: 'user', content: 'hi' }], tools: [] };
const never = new AbortController().signal;

/** Waits of a request that pass at once. */
function clockOf(waits: number[] = []): RetryClock {
  return {
    random: () => 0,
    wait: async (milliseconds) => void waits.push(milliseconds),
  };
}

function start(script: readonly Answer[], options: ModelServerOptions = {}): ModelServer {
  const server = startModelServer({ ...options, script });
  open.push(server);
  return server;
}

function endpointOf(url: string, changes: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return {
    name: 'test',
    baseUrl: url,
    model: 'scripted',
    key: null,
    timeouts: { firstByteMs: 20_000, idleMs: 20_000, barrenMs: 20_000 },
    ...changes,
  };
}

async function failure(
  endpoint: ModelEndpoint,
  signal = never,
): Promise<{ code: string; message: string; hint: string | undefined }> {
  try {
    await requestCompletion(endpoint, request, () => {}, signal, { clock: clockOf() });
  } catch (thrown) {
    if (thrown instanceof AishError) return { code: thrown.code, message: thrown.message, hint: thrown.hint };
    throw thrown;
  }
  throw new Error('there was no failure');
}

async function failureOf(reply: Reply, changes: Partial<ModelEndpoint> = {}) {
  // As often as aish may send a request again.
  const server = start(Array(14).fill(reply), { models: ['scripted', 'qwen2.5', 'qwen3'] });
  const got = await failure(endpointOf(server.url, changes));
  return { ...got, message: got.message.replace(server.url, 'URL') };
}

test('an answer is streamed and comes back whole', async () => {
  const server = start([text('Hello you', { reasoning: 'Hm' })]);
  const deltas: CompletionDelta[] = [];
  const completion = await requestCompletion(endpointOf(server.url), request, (delta) => deltas.push(delta), never);
  expect(completion).toEqual({
    text: 'Hello you',
    reasoning: 'Hm',
    origin: {
      provider: 'openai-chat',
      model: 'scripted',
      parts: [
        { type: 'reasoning', length: 2, data: { field: 'reasoning_content' } },
        { type: 'text', length: 9 },
      ],
    },
    toolCalls: [],
    finish: 'stop',
    usage: { promptTokens: 10, completionTokens: 4 },
  });
  expect(deltas.map((delta) => delta.type)).toEqual(['reasoning', 'text', 'text']);
});

test('calls come back with their arguments as text', async () => {
  const server = start([
    calls({ name: 'fs__write', arguments: { path: 'a.txt', content: 'é\n' } }, { name: 'fs__read', arguments: {} }),
  ]);
  const deltas: CompletionDelta[] = [];
  const { toolCalls, finish } = await requestCompletion(
    endpointOf(server.url),
    request,
    (delta) => deltas.push(delta),
    never,
  );
  expect([finish, toolCalls]).toEqual([
    'tool_calls',
    [
      { id: 'call00000', name: 'fs__write', arguments: '{"path":"a.txt","content":"é\\n"}' },
      { id: 'call00001', name: 'fs__read', arguments: '{}' },
    ],
  ]);
  expect(deltas).toEqual([
    { type: 'tool-call', name: 'fs__write' },
    { type: 'tool-call', name: 'fs__read' },
  ]);
});

test('a delta is told before the answer ends', async () => {
  const gate = Promise.withResolvers<void>();
  const server = start([held(text('Hello you'), gate.promise, 2)]);
  const { text: whole } = await requestCompletion(endpointOf(server.url), request, () => gate.resolve(), never);
  expect(whole).toBe('Hello you');
});

test('the key goes into the header and nowhere else', async () => {
  const server = start([text('ok')], { key: 'secret-key' });
  await requestCompletion(endpointOf(server.url, { key: 'secret-key' }), request, () => {}, never);
  expect([server.requests[0]?.headers.authorization, server.requests[0]?.text.includes('secret-key')]).toEqual([
    'Bearer secret-key',
    false,
  ]);
});

test('without a model in the configuration the first of the server is asked for', async () => {
  const server = start([text('ok')], { models: ['nomic-embed-text', 'qwen3'] });
  await requestCompletion(endpointOf(server.url, { model: null }), request, () => {}, never);
  expect(server.requests[0]?.body.model).toBe('qwen3');
});

test('a model that was asked for ahead is not asked for again, unless that failed in a way that may pass', async () => {
  const server = start([text('ok'), text('ok')], { models: ['qwen3'] });
  const endpoint = endpointOf(server.url, { model: null });
  await requestCompletion(endpoint, request, () => {}, never, { named: nameModel(endpoint, never) });
  expect([server.requests[0]?.body.model, server.listings]).toEqual(['qwen3', 1]);
  const gone = startModelServer();
  await gone.close();
  const named = nameModel(endpointOf(gone.url, { model: null }), never);
  await requestCompletion(endpoint, request, () => {}, never, { named, isExpected: true, clock: clockOf() });
  expect([server.requests[1]?.body.model, server.listings]).toEqual(['qwen3', 2]);
});

test('nobody listening is told as refused', async () => {
  const server = startModelServer();
  const { url } = server;
  await server.close();
  expect(await failure(endpointOf(url))).toEqual({
    code: 'model.unreachable',
    message: `no server answers at ${url}: connection refused`,
    hint: 'start the model server, or correct base_url',
  });
});

test('a server that never answered is not waited for', async () => {
  const server = startModelServer();
  await server.close();
  const delays: RequestDelay[] = [];
  const options = { onDelay: (delay: RequestDelay) => void delays.push(delay) };
  await requestCompletion(endpointOf(server.url), request, () => {}, never, options).catch(() => {});
  expect(delays).toEqual([]);
});

test('a host that does not exist is told as such', async () => {
  // Otherwise a proxy of the machine would look up the host instead.
  for (const name of ['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy']) delete process.env[name];
  expect(await failure(endpointOf('http://no-such-host.invalid/v1'))).toMatchObject({
    code: 'model.unknown-host',
    message: 'cannot find the host no-such-host.invalid',
  });
});

test('http spoken to as https is told as such', async () => {
  const server = start([]);
  expect((await failure(endpointOf(server.url.replace('http:', 'https:')))).code).toBe('model.tls');
});

test.each([401, 403])('a refused key (%i) is told without showing it', async (code) => {
  const reply = status(code, { error: { message: 'Incorrect API key provided: sk-verysecret', code } });
  expect(await failureOf(reply, { key: 'sk-verysecret', keyEnv: 'MY_KEY' })).toEqual({
    code: 'model.unauthorized',
    message: `URL does not accept this API key (${code}): Incorrect API key provided: [key]`,
    hint: 'check that the key in MY_KEY is right and may use this model',
  });
});

test('an unknown model is told with the ones there are', async () => {
  const reply = status(404, { error: { message: 'model "qwen-3" not found' } });
  expect(await failureOf(reply, { model: 'qwen-3' })).toEqual({
    code: 'model.not-found',
    message: 'URL does not know model "qwen-3" (404): model "qwen-3" not found',
    hint: 'it has qwen3, scripted, qwen2.5',
  });
});

test.each(['3600', new Date(Date.now() + 3_600_000).toUTCString()])(
  'a long pause (%s) is told and not waited out',
  async (after) => {
    const got = await failureOf(status(429, { error: { message: 'Rate limit exceeded' } }, { 'retry-after': after }));
    expect(got.code).toBe('model.rate-limited');
    expect(got.message).toMatch(
      /^rate limit reached at URL: Rate limit exceeded; it accepts requests again in 3[56]\d\d s$/,
    );
  },
);

test.each<[title: string, setback: Reply, reason: DelayReason, waits: readonly number[]]>([
  ['a pause in seconds', status(429, '', { 'retry-after': '3' }), 'rate-limited', [3000]],
  ['a pause in milliseconds', status(429, '', { 'retry-after-ms': '250', 'retry-after': '1' }), 'rate-limited', [250]],
  ['a pause in words', status(429, { error: { message: 'Please try again in 1.2s' } }), 'rate-limited', [1200]],
  ['no pause', status(429), 'rate-limited', [1000]],
  ['a pause of another status', status(503, '', { 'retry-after': '2' }), 'unavailable', [2000]],
  ['a server that is not available', status(503), 'unavailable', [500]],
  ['a bad gateway', status(502, '<html><title>502</title></html>'), 'unavailable', [500]],
  ['a gateway that gives up', status(504), 'unavailable', [500]],
  ['an overloaded server', status(529), 'overloaded', [500]],
  ['a request that took too long', status(408), 'timed-out', [500]],
  ['an error of the server', status(500), 'server-error', [500]],
  ['a connection that breaks', broken(text('never'), 0), 'connection-lost', [500]],
  [
    'an overloaded server that begins a stream',
    stream(['data: {"error":{"code":529,"message":"Overloaded"}}\n\n']),
    'overloaded',
    [500],
  ],
])('the request is sent again after %s', async (_, setback, reason, expected) => {
  const server = start([setback, text('ok')]);
  const waits: number[] = [];
  const told: RequestDelay[] = [];
  const { text: whole } = await requestCompletion(endpointOf(server.url), request, () => {}, never, {
    clock: clockOf(waits),
    onDelay: (delay) => told.push(delay),
  });
  expect([whole, waits, told.map((delay) => delay.reason)]).toEqual(['ok', [...expected], [reason]]);
});

test('nothing is sent again after a byte of the answer', async () => {
  const overloaded = 'data: {"error":{"code":529,"message":"Overloaded"}}\n\n';
  const half = stream(['data: {"choices":[{"delta":{"content":"Hel"}}]}\n\n', overloaded]);
  const server = start([half, text('ok')]);
  await failure(endpointOf(server.url));
  expect(server.requests).toHaveLength(1);
});

test.each<[Reply, string]>([
  [status(429, { error: { message: 'You exceeded your current quota', code: 'insufficient_quota' } }), 'model.quota'],
  [status(402, { error: { message: 'Insufficient credits' } }), 'model.no-credit'],
  [status(403, { error: { code: 'unsupported_country_region_territory', message: 'no' } }), 'model.region'],
  [status(403, { error: { message: 'You have exceeded your monthly included credits' } }), 'model.no-credit'],
  [status(400, { error: { message: 'rejected', code: 'content_policy_violation' } }), 'model.filtered'],
  [status(405, 'Method Not Allowed'), 'model.not-found'],
])('no time is waited for what time does not cure', async (reply, code) => {
  const server = start([reply, text('ok')]);
  expect([(await failure(endpointOf(server.url))).code, server.requests.length]).toEqual([code, 1]);
});

const REFUSAL = status(400, { error: { message: 'so nicht (id 4711a)' } });
const TOOL = { name: 'a', description: 'a', parameters: { type: 'object', properties: {} } };
const WITH_TOOL: ModelRequest = {
  messages: [{ role: 'system', content: 'brief' }, ...request.messages],
  tools: [TOOL],
};

test('after a refusal in unknown words aish tries one guess at a time, and remembers the one that helped', async () => {
  const other = status(400, { error: { message: 'so nicht (id 8152b)' } });
  const server = start([REFUSAL, other, REFUSAL, text('ok')]);
  const learned: (readonly string[])[] = [];
  const completion = await requestCompletion(endpointOf(server.url), WITH_TOOL, () => {}, never, {
    onLearned: ({ profile }, lessons) =>
      learned.push([JSON.stringify(profile), ...lessons.map(({ lesson }) => lesson.type)]),
  });
  expect([completion.text, learned]).toEqual(['ok', [['{"tools":"none"}', 'no-tools']]]);
  expect(server.requests.map(({ body }) => [body.messages[0]?.role, body.tools?.length ?? 0])).toEqual([
    ['system', 1],
    ['system', 1],
    ['user', 1],
    ['system', 0],
  ]);
});

test('a refusal that no guess helps against is reported after all of them', async () => {
  const server = start(Array(9).fill(REFUSAL));
  const got = await requestCompletion(endpointOf(server.url), WITH_TOOL, () => {}, never).catch((thrown) => thrown);
  expect([got.code, got.message.includes('so nicht'), server.requests.length]).toEqual(['model.refused', true, 5]);
});

test.each<[string, (body: object) => string]>([
  [
    'that wants by turns what it refuses',
    (body) =>
      !('max_tokens' in body)
        ? 'Unsupported parameter: max_completion_tokens; use max_tokens, which is required'
        : 'Unsupported parameter: max_tokens; use max_completion_tokens',
  ],
  [
    'that lowers a limit by one',
    (body) => ('max_tokens' in body ? `max_tokens: at most ${Number(body.max_tokens) - 1}` : 'max_tokens is required'),
  ],
])('a server %s is not asked without end', async (_, refuse) => {
  const server = start(
    Array.from(
      { length: 60 },
      (): Answer =>
        ({ body }) =>
          status(400, { error: { message: refuse(body) } }),
    ),
  );
  expect((await failure(endpointOf(server.url))).code).toBe('model.refused');
  expect(server.requests.length).toBe(21);
});

test('a server of this machine that has answered before is waited for', async () => {
  const taken = startModelServer();
  const { url } = taken;
  await taken.close();
  const waits: number[] = [];
  let late: ModelServer | null = null;
  const clock: RetryClock = {
    random: () => 0,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      if (waits.length === 2) late = start([text('ok')], { port: Number(new URL(url).port) });
    },
  };
  const options = { isExpected: true, clock };
  const { text: whole } = await requestCompletion(endpointOf(url), request, () => {}, never, options);
  expect([whole, waits, late === null]).toEqual(['ok', [500, 1000], false]);
});

test('a model that is being loaded is waited for, and told once', async () => {
  const loading = status(503, { error: { message: 'Loading model', type: 'unavailable_error', code: 503 } });
  const server = start([loading, loading, text('ok')]);
  const told: RequestDelay[] = [];
  const { text: whole } = await requestCompletion(endpointOf(server.url), request, () => {}, never, {
    clock: clockOf(),
    onDelay: (delay) => told.push(delay),
  });
  expect([whole, told.map(({ reason }) => reason)]).toEqual(['ok', ['loading']]);
});

test('a model that never finishes loading is given up in time', async () => {
  const loading = status(503, { error: { message: 'Loading model', code: 503 } });
  const server = start(Array(8).fill(loading));
  const got = await failure(endpointOf(server.url, { timeouts: { firstByteMs: 200, idleMs: 200, barrenMs: 20_000 } }));
  expect([got.code, server.requests.length]).toEqual(['model.loading', 2]);
});

test('waiting for a model stops at once when it is not wanted any more', async () => {
  const server = start([status(503, { error: { message: 'Loading model', code: 503 } })]);
  const controller = new AbortController();
  const asked = requestCompletion(endpointOf(server.url), request, () => {}, controller.signal, {
    onDelay: () => controller.abort(),
  });
  expect(await asked.catch((thrown) => thrown.code)).toBe('model.aborted');
});

test.each<[string, Reply, string, string]>([
  [
    'a failing server',
    status(500, { error: { message: 'CUDA out of memory', code: 500 } }),
    'model.server-error',
    'URL failed (500): CUDA out of memory',
  ],
  [
    'a gateway page',
    status(502, '<html><head><title>502 Bad Gateway</title></head></html>'),
    'model.server-error',
    'URL failed (502): 502 Bad Gateway',
  ],
  [
    'a page instead of an answer',
    status(200, '<html><title>Login</title></html>'),
    'model.not-json',
    'URL did not answer as a model server does: the server answered with a web page: Login',
  ],
  ['an empty response', status(200, ''), 'model.no-content', 'URL answered nothing: HTTP 200 without a body'],
  ['a response without content', status(204, ''), 'model.no-content', 'URL answered nothing: HTTP 204 without a body'],
  [
    'JSON of something else',
    status(200, { x: 1 }),
    'model.not-json',
    'URL did not answer as a model server does: the response has no answer, only x',
  ],
  [
    'a redirect',
    status(307, '', { location: 'https://elsewhere.example/' }),
    'model.redirected',
    'URL redirects to another address (307); aish does not send your key there',
  ],
  [
    'a conversation that is too long',
    status(400, {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (8192 tokens)',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 8192,
      },
    }),
    'model.context-too-long',
    'the conversation has 9000 tokens, but the context of model "test" holds 8192',
  ],
  [
    'a template that refuses',
    status(500, {
      error: {
        code: 500,
        message:
          '\n------\nWhile executing CallExpression\nError: Jinja Exception: System message must be at the beginning.',
      },
    }),
    'model.template',
    "the model's chat template refused the conversation: System message must be at the beginning.",
  ],
  [
    'another refusal',
    status(400, { error: { message: 'bad \u001b[31mschema\n here' } }),
    'model.refused',
    'URL refused the request (400): bad schema here',
  ],
  [
    'an error in the stream',
    stream(['data: {"error":{"code":500,"message":"boom"}}\n\n']),
    'model.server-error',
    'URL reported an error in its response: boom',
  ],
  [
    'a stream that ends early',
    { ...broken(text('Hello you'), 2), ending: 'end' },
    'model.incomplete',
    'the response stream of URL ended unexpectedly; aish ran nothing of this response',
  ],
  [
    'a chunk that is no JSON',
    stream(['data: {oops\n\n']),
    'model.malformed',
    'cannot read the response of URL: the server sent a chunk that is not a JSON object; aish ran nothing of this response',
  ],
])('%s is told in one line', async (_, reply, code, message) => {
  const got = await failureOf(reply);
  expect([got.code, got.message]).toEqual([code, message]);
});

test('a connection that breaks within the answer is told as a cut', async () => {
  const gate = Promise.withResolvers<void>();
  const server = start([held(broken(text('Hello you'), 2), gate.promise, 2)]);
  const deltas: CompletionDelta[] = [];
  const asked = requestCompletion(
    endpointOf(server.url),
    request,
    (delta) => {
      deltas.push(delta);
      gate.resolve();
    },
    never,
  );
  expect(await asked.catch((thrown) => thrown.message)).toBe(
    `the response stream of ${server.url} ended unexpectedly; aish ran nothing of this response`,
  );
  expect(deltas).toEqual([{ type: 'text', text: 'Hello' }]);
});

test('a template error and a refused key are told as such inside a stream too', async () => {
  const inside = (error: object) => failureOf(stream([`data: ${JSON.stringify({ error })}\n\n`]));
  const codes = [
    (await inside({ message: 'Jinja Exception: conversation roles must alternate' })).code,
    (await inside({ message: 'no', code: 401 })).code,
    (await inside({ message: 'slow', code: 429 })).code,
  ];
  expect(codes).toEqual(['model.template', 'model.unauthorized', 'model.rate-limited']);
});

test('silence before the first byte has a limit', async () => {
  const gate = Promise.withResolvers<void>();
  const server = start([held(text('late'), gate.promise)]);
  const got = await failure(
    endpointOf(server.url, { timeouts: { firstByteMs: 30, idleMs: 20_000, barrenMs: 20_000 } }),
  );
  gate.resolve();
  expect(got).toMatchObject({ code: 'model.timeout', message: `${server.url} did not start to respond within 30 ms` });
});

test('silence within the answer has a limit', async () => {
  const server = start([broken(text('Hello you'), 2, 'hang')]);
  const got = await failure(
    endpointOf(server.url, { timeouts: { firstByteMs: 20_000, idleMs: 30, barrenMs: 20_000 } }),
  );
  expect(got).toMatchObject({
    code: 'model.timeout',
    message: `${server.url} stopped in the middle of a response and sent nothing for 30 ms`,
  });
  await server.requests[0]?.left;
});

test('a server that sends only signs of life has a limit', async () => {
  const life = new TextEncoder().encode(': still there\n\n');
  const server = start([{ ...text('late'), chunks: Array.from({ length: 50 }, () => life), ending: 'hang' }]);
  const got = await failure(
    endpointOf(server.url, { timeouts: { firstByteMs: 20_000, idleMs: 20_000, barrenMs: -1 } }),
  );
  expect(got).toMatchObject({ code: 'model.timeout' });
  expect(got.message).toContain('kept the connection open');
  await server.requests[0]?.left;
});

test('an abort while the answer comes leaves the server at once', async () => {
  const server = start([broken(text('Hello you'), 2, 'hang')]);
  const controller = new AbortController();
  const asked = requestCompletion(endpointOf(server.url), request, () => controller.abort(), controller.signal);
  expect(await asked.catch((thrown) => thrown.code)).toBe('model.aborted');
  await server.requests[0]?.left;
});

test('an abort before the first byte leaves the server at once', async () => {
  const gate = Promise.withResolvers<void>();
  const server = start([held(text('late'), gate.promise)]);
  const controller = new AbortController();
  const asked = requestCompletion(endpointOf(server.url), request, () => {}, controller.signal).catch(
    (thrown) => thrown.code,
  );
  const { left } = await server.requested(1);
  controller.abort();
  expect(await asked).toBe('model.aborted');
  await left;
  gate.resolve();
});

test('an abort that came first sends nothing', async () => {
  const server = start([text('ok')]);
  expect([(await failure(endpointOf(server.url), AbortSignal.abort())).code, server.requests.length]).toEqual([
    'model.aborted',
    0,
  ]);
});

test('an answer that hangs behind its [DONE] is whole', async () => {
  const reply = text('Hello');
  const server = start([{ ...reply, ending: 'hang' }]);
  expect((await requestCompletion(endpointOf(server.url), request, () => {}, never)).text).toBe('Hello');
  await server.requests[0]?.left;
});

test('a key with a line break in it is refused here, and not shown', async () => {
  const got = await failure(endpointOf('http://127.0.0.1:1/v1', { key: 'abc\ndef' }));
  expect([got.code, JSON.stringify(got).includes('abc')]).toEqual(['model.bad-key', false]);
});

test('a llama.cpp server is asked how much of the prompt it has read, until it refuses the field', async () => {
  const refusal = status(400, { error: { message: 'Unknown field: return_progress' } });
  const server = start([text('a'), refusal, text('b')]);
  const learned: EndpointProfile[] = [];
  for (const profile of [{}, { progress: true } as const]) {
    await requestCompletion(endpointOf(server.url), request, () => {}, never, {
      profileOf: () => profile,
      onLearned: (asked) => learned.push(asked.profile ?? {}),
    });
  }
  expect(server.requests.map(({ body }) => JSON.stringify(body).includes('"return_progress":true'))).toEqual([
    false,
    true,
    false,
  ]);
  expect(learned).toEqual([{ progress: true, omit: ['return_progress'] }]);
});
