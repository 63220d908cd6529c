import { afterEach, expect, test } from 'bun:test';
import {
  calls,
  held,
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
  status,
  stream,
  text,
} from './model-server.ts';

const servers: ModelServer[] = [];
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));

function start(options: ModelServerOptions): ModelServer {
  const server = startModelServer(options);
  servers.push(server);
  return server;
}

const user = { role: 'user', content: 'hi' };
const tool = {
  type: 'function',
  function: { name: 'fs__read', description: 'Reads.', parameters: { type: 'object' } },
};
const toolCall = (id: string, args = '{}', name = 'fs__read') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});
const asks = (...list: object[]) => ({ role: 'assistant', content: '', tool_calls: list });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'ok' });

function post(server: ModelServer, body: object): Promise<Response> {
  return fetch(`${server.url}/chat/completions`, { method: 'POST', body: JSON.stringify(body) });
}

test('a script is played in order, and what was asked can be read', async () => {
  const server = start({
    script: [
      text('Hello you'),
      calls({ name: 'fs__read', arguments: { path: 'a' } }),
      status(429, 'slow', { 'retry-after': '1' }),
    ],
  });
  const answers = [];
  for (let turn = 0; turn < 3; turn += 1) answers.push(await post(server, { messages: [user], tools: [tool] }));
  const bodies = await Promise.all(answers.map((answer) => answer.text()));
  expect(bodies.map((body) => body.includes('[DONE]'))).toEqual([true, true, false]);
  expect(answers.map((answer) => [answer.status, answer.headers.get('retry-after')])).toEqual([
    [200, null],
    [200, null],
    [429, '1'],
  ]);
  expect(server.requests[0]?.body.messages).toEqual([user]);
  expect(server.failures).toEqual([]);
});

test('a function answers from the request', async () => {
  const server = start({ script: [(request) => text(`got ${request.body.messages.length}`)] });
  expect(await (await post(server, { messages: [user] })).text()).toContain('got');
});

test('a request the script has no answer to is a failure', async () => {
  const server = start({});
  expect((await post(server, { messages: [user] })).status).toBe(400);
  expect(server.failures).toEqual(['the script has no answer to request 1']);
});

test('an answer is held until the test lets it go, and leaving is noticed', async () => {
  const gate = Promise.withResolvers<void>();
  const server = start({ script: [held(text('later'), gate.promise, 1), stream(['data: x\n\n'], 'hang')] });
  const first = await post(server, { messages: [user] });
  gate.resolve();
  expect(await first.text()).toContain('later');
  const controller = new AbortController();
  const response = await fetch(`${server.url}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ messages: [user] }),
    signal: controller.signal,
  });
  const reading = response.text().catch(() => 'aborted');
  controller.abort();
  await (await server.requested(2)).left;
  expect(await reading).toBe('aborted');
});

test.each<[string, object]>([
  ['an orphan result', { messages: [user, result('abcdefgh1')] }],
  ['an unanswered call', { messages: [user, asks(toolCall('abcdefgh1')), user] }],
  [
    'a call answered twice',
    { messages: [user, asks(toolCall('abcdefgh1')), result('abcdefgh1'), result('abcdefgh1')] },
  ],
  [
    'a call left open at the end',
    { messages: [user, asks(toolCall('abcdefgh1'), toolCall('abcdefgh2')), result('abcdefgh1')] },
  ],
  ['two user messages in a row', { messages: [user, user] }],
  ['a user message behind a result', { messages: [user, asks(toolCall('abcdefgh1')), result('abcdefgh1'), user] }],
  ['a late system message', { messages: [user, { role: 'system', content: 'x' }] }],
  ['a second system message', { messages: [{ role: 'system', content: 'x' }, { role: 'system', content: 'x' }, user] }],
  ['a long id', { messages: [user, asks(toolCall('abcdefgh12')), result('abcdefgh12')] }],
  [
    'an id used again',
    {
      messages: [
        user,
        asks(toolCall('abcdefgh1')),
        result('abcdefgh1'),
        asks(toolCall('abcdefgh1')),
        result('abcdefgh1'),
      ],
    },
  ],
  ['broken arguments', { messages: [user, asks(toolCall('abcdefgh1', '{"a"')), result('abcdefgh1')] }],
  ['empty arguments', { messages: [user, asks(toolCall('abcdefgh1', '')), result('abcdefgh1')] }],
  [
    'a dotted name in the history',
    { messages: [user, asks(toolCall('abcdefgh1', '{}', 'fs.read')), result('abcdefgh1')] },
  ],
  ['a dotted tool name', { messages: [user], tools: [{ ...tool, function: { ...tool.function, name: 'fs.read' } }] }],
  [
    'a tool without description',
    { messages: [user], tools: [{ ...tool, function: { ...tool.function, description: '' } }] },
  ],
  ['a tool offered twice', { messages: [user], tools: [tool, tool] }],
  ['an empty list of tools', { messages: [user], tools: [] }],
  ['an assistant message at the end', { messages: [user, { role: 'assistant', content: 'x' }] }],
  ['no messages', { messages: [] }],
])('%s is refused', async (_, body) => {
  const server = start({ script: [text('never')] });
  expect((await post(server, body)).status).toBe(400);
  expect(server.failures.length).toBe(1);
});

test('a good history with two rounds of calls is taken', async () => {
  const server = start({ script: [text('ok')] });
  const messages = [
    { role: 'system', content: 's' },
    user,
    asks(toolCall('abcdefgh1'), toolCall('abcdefgh2')),
    result('abcdefgh2'),
    result('abcdefgh1'),
    asks(toolCall('abcdefgh3')),
    result('abcdefgh3'),
    { role: 'assistant', content: 'a' },
    user,
  ];
  expect((await post(server, { messages, tools: [tool] })).status).toBe(200);
});

test('a key is asked for everywhere but at health', async () => {
  const server = start({ key: 'k', script: [] });
  const root = server.url.replace('/v1', '');
  const statuses = await Promise.all(
    [`${root}/health`, `${root}/v1/models`].map(async (url) => (await fetch(url)).status),
  );
  expect(statuses).toEqual([200, 401]);
});
