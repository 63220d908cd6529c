import { describe, expect, test } from 'bun:test';
import { ANTHROPIC } from '../../../test/support/anthropic-server.ts';
import { GEMINI } from '../../../test/support/gemini-server.ts';
import { type Plan, PROVIDER_KEY, ProviderServer, type ProviderShape } from '../../../test/support/provider-server.ts';
import { RESPONSES } from '../../../test/support/responses-server.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, Message, ModelRequest, OfferedTool } from '../../protocol/model.ts';
import type { ModelEndpoint } from './models.ts';
import { requestCompletion } from './request-completion.ts';

const AZURE: ProviderShape = {
  ...RESPONSES,
  provider: 'azure',
  basePath: '/openai/v1',
  isPath: (path) => path === '/openai/v1/responses',
  keyOf: (headers) => headers.get('api-key'),
};
const SHAPES = [ANTHROPIC, RESPONSES, AZURE, GEMINI];
const never = new AbortController().signal;
const TOOLS: readonly OfferedTool[] = [
  {
    name: 'aish__read',
    description: 'Reads a file.',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];
const CALLS = [
  { name: 'aish__read', arguments: { path: 'é.txt' } },
  { name: 'aish__read', arguments: { path: 'b' } },
];

function endpointOf(shape: ProviderShape, url: string, changes: Partial<ModelEndpoint> = {}): ModelEndpoint {
  return {
    name: 'test',
    provider: shape.provider,
    baseUrl: url,
    model: shape.model,
    key: PROVIDER_KEY,
    timeouts: { firstByteMs: 20_000, idleMs: 20_000, barrenMs: 20_000 },
    ...changes,
  };
}

function ask(
  endpoint: ModelEndpoint,
  messages: readonly Message[],
  deltas: CompletionDelta[] = [],
): Promise<Completion> {
  const request: ModelRequest = { messages, tools: TOOLS };
  return requestCompletion(endpoint, request, (delta) => deltas.push(delta), never);
}

async function failure(running: Promise<Completion>): Promise<{ code: string; message: string }> {
  const thrown = await running.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof AishError) return { code: thrown.code, message: thrown.message };
  throw thrown ?? new Error('there was no failure');
}

const SYSTEM: Message = { role: 'system', content: 'You are aish.' };
const USER: Message = { role: 'user', content: 'look' };

/** The conversation after an answer with calls, as the session projects it: with ids of aish's own. */
function afterCalls(answer: Completion, origin = answer.origin): readonly Message[] {
  const ids = ['call00000', 'call00001'];
  const toolCalls = answer.toolCalls.map((call, at) => ({ ...call, id: ids[at] ?? '' }));
  const { reasoning } = answer;
  return [
    SYSTEM,
    USER,
    { role: 'assistant', content: answer.text, toolCalls, reasoning, ...(origin === undefined ? {} : { origin }) },
    ...ids.map((toolCallId): Message => ({ role: 'tool', toolCallId, content: `result of ${toolCallId}` })),
  ];
}

describe.each(SHAPES.map((shape) => [shape.provider, shape] as const))('%s', (_, shape) => {
  test('an answer streams, with its thoughts apart and the counters of the cache', async () => {
    await using server = new ProviderServer(shape, [{ thinking: 'Hm, so.', text: 'Hello you', cached: 90 }]);
    const deltas: CompletionDelta[] = [];
    const answer = await ask(endpointOf(shape, server.url), [SYSTEM, USER], deltas);
    expect(server.failures).toEqual([]);
    expect({ ...answer, origin: undefined }).toMatchObject({
      text: 'Hello you',
      reasoning: 'Hm, so.',
      toolCalls: [],
      finish: 'stop',
    });
    expect(answer.usage?.cachedTokens).toBe(90);
    expect(answer.usage?.promptTokens).toBeGreaterThanOrEqual(100);
    expect(answer.usage?.completionTokens).toBe(7);
    expect(deltas.map(({ type }) => type)).toEqual(['reasoning', 'reasoning', 'text', 'text']);
  });

  test('parallel calls come back whole, and their signed thoughts return in their place', async () => {
    await using server = new ProviderServer(shape, [
      { thinking: 'Two files.', text: 'I look.', calls: CALLS },
      { text: 'Done.' },
    ]);
    const endpoint = endpointOf(shape, server.url, { reasoningEffort: 'low' });
    const answer = await ask(endpoint, [SYSTEM, USER]);
    expect(server.failures).toEqual([]);
    expect(answer.finish).toBe('tool_calls');
    expect(answer.toolCalls.map(({ name, arguments: text }) => [name, JSON.parse(text)])).toEqual([
      ['aish__read', { path: 'é.txt' }],
      ['aish__read', { path: 'b' }],
    ]);
    expect((await ask(endpoint, afterCalls(answer))).text).toBe('Done.');
    expect(server.failures).toEqual([]);
    const sent = JSON.stringify(server.requests[1]?.body);
    for (const part of answer.origin?.parts ?? []) if (part.type === 'call') expect(sent).toContain(`"${part.id}"`);
    expect(sent).toContain('Two files.');
  });

  test('the answer of another model goes along without its thoughts, in the middle of its calls', async () => {
    await using server = new ProviderServer(shape, [{ text: 'I take over.' }]);
    const [call, other] = CALLS.map((one, at) => ({
      id: `x${at}`,
      name: one.name,
      arguments: JSON.stringify(one.arguments),
    }));
    if (call === undefined || other === undefined) throw new Error('two calls');
    const foreign: Completion = {
      text: '',
      reasoning: 'Secret thoughts.',
      toolCalls: [call, other],
      finish: 'tool_calls',
      origin: {
        provider: 'anthropic',
        model: 'another',
        parts: [
          { type: 'reasoning', length: 16, data: { signature: 'foreign' } },
          { type: 'call', id: 'toolu_1' },
          { type: 'call', id: 'toolu_2' },
        ],
      },
    };
    const answer = await ask(endpointOf(shape, server.url, { reasoningEffort: 'high' }), afterCalls(foreign));
    expect(server.failures).toEqual([]);
    expect(answer.text).toBe('I take over.');
    expect(JSON.stringify(server.requests[0]?.body)).not.toContain('Secret thoughts');
  });

  test('images go along', async () => {
    await using server = new ProviderServer(shape, [{ text: 'a pixel' }]);
    const images = [{ mediaType: 'image/png', data: 'iVBORw0KGgo=' }] as const;
    await ask(endpointOf(shape, server.url), [SYSTEM, { ...USER, images }]);
    expect(server.failures).toEqual([]);
    expect(JSON.stringify(server.requests[0]?.body)).toContain('iVBORw0KGgo=');
  });

  test('the end at the token limit and at a filter is reported', async () => {
    await using server = new ProviderServer(shape, [
      { text: 'Half', finish: 'length' },
      { text: 'No', finish: 'filter' },
    ]);
    const endpoint = endpointOf(shape, server.url);
    expect((await ask(endpoint, [USER])).finish).toBe('length');
    expect((await ask(endpoint, [USER])).finish).toBe('content_filter');
  });

  test.each(['error', 'cut', 'end'] as const)('a stream that breaks with %s is no answer', async (breaks) => {
    await using server = new ProviderServer(shape, [{ text: 'one two three four', calls: CALLS, breaks }]);
    const { code, message } = await failure(ask(endpointOf(shape, server.url), [USER]));
    expect(code).toBe(breaks === 'error' ? 'model.server-error' : 'model.incomplete');
    if (breaks === 'error') expect(message).toMatch(/overloaded/i);
  });

  test.each<[string, Plan, string]>([
    ['a wrong request', { status: 400, type: 'invalid_request_error', message: 'bad field' }, 'model.refused'],
    ['an unknown model', { status: 404, type: 'not_found_error', message: 'model: nope' }, 'model.not-found'],
    ['no permission', { status: 403, type: 'permission_error', message: 'not yours' }, 'model.unauthorized'],
    ['a failure', { status: 500, type: 'api_error', message: 'Internal server error' }, 'model.server-error'],
    [
      'a redirect',
      { status: 307, contentType: 'text/plain', body: '', headers: { location: '/elsewhere' } },
      'model.redirected',
    ],
    ['a page', { status: 200, contentType: 'text/html', body: '<title>Sign in</title>' }, 'model.not-json'],
  ])('%s is an error with its own code', async (_name, plan, code) => {
    await using server = new ProviderServer(shape, [plan, plan, plan, plan]);
    expect((await failure(ask(endpointOf(shape, server.url), [USER]))).code).toBe(code);
  });

  test('an overloaded server is asked again, as long as nothing of the answer has come', async () => {
    const overloaded = {
      status: 529,
      type: 'overloaded_error',
      message: 'Overloaded',
      headers: { 'retry-after': '1' },
    };
    await using server = new ProviderServer(shape, [overloaded, { text: 'Now.' }]);
    const waits: number[] = [];
    const clock = { wait: async (ms: number) => void waits.push(ms), random: () => 0.5 };
    const request: ModelRequest = { messages: [USER], tools: TOOLS };
    const answer = await requestCompletion(endpointOf(shape, server.url), request, () => {}, never, { clock });
    expect(answer.text).toBe('Now.');
    expect(waits).toHaveLength(1);
  });

  test('a wrong key is named, and the key never stands in the message', async () => {
    await using server = new ProviderServer(shape, []);
    const { code, message } = await failure(ask(endpointOf(shape, server.url, { key: 'wrong-key-5678' }), [USER]));
    expect(code).toBe('model.unauthorized');
    expect(message).not.toContain('wrong-key-5678');
  });

  test('an abort stops the request', async () => {
    await using server = new ProviderServer(shape, [{ text: 'Hello' }]);
    const request: ModelRequest = { messages: [USER], tools: [] };
    const running = requestCompletion(endpointOf(shape, server.url), request, () => {}, AbortSignal.abort());
    expect((await failure(running)).code).toBe('model.aborted');
  });
});

test('Anthropic caches the prompt up to the system message and the last messages', async () => {
  await using server = new ProviderServer(ANTHROPIC, [{ text: 'ok' }]);
  await ask(endpointOf(ANTHROPIC, server.url), [SYSTEM, USER, { role: 'assistant', content: 'a' }, USER]);
  const { system, messages } = server.requests[0]?.body ?? {};
  expect(system).toEqual([{ type: 'text', text: 'You are aish.', cache_control: { type: 'ephemeral' } }]);
  expect(JSON.stringify(messages).split('cache_control')).toHaveLength(3);
});

test('an event that a newer server sends is left out', async () => {
  const newEvents = ['event: message_mood\ndata: {"type":"message_mood","mood":"good"}\n\n'];
  await using server = new ProviderServer(ANTHROPIC, [{ text: 'still here', newEvents }]);
  expect((await ask(endpointOf(ANTHROPIC, server.url), [USER])).text).toBe('still here');
});
