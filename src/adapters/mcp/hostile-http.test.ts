import { afterEach, expect, test } from 'bun:test';
import type { ServerResponse } from 'node:http';
import {
  createMcpHost,
  failureOf,
  type SeenRequest,
  send,
  startScriptedMcpServer,
  TEST_TOOLS,
  type TestMcpHost,
  type TestMcpServer,
  toInitializeResult,
} from '../../../test/support/mcp-server.ts';
import { isJsonObject, type Json, type JsonObject } from '../../protocol/json.ts';
import type { ServerEvent } from './server-event.ts';

/* Servers that do what real ones have done, over HTTP in this process. */

const signal = new AbortController().signal;
const open: { close(): Promise<void> }[] = [];

afterEach(async () => {
  for (const part of open.splice(0)) await part.close();
});

type Answer = (request: SeenRequest, response: ServerResponse) => JsonObject | null;

/** A server that shakes hands and answers as the test says; what the test leaves out is an empty result. */
async function serve(
  answers: Readonly<Record<string, JsonObject | Answer>>,
  capabilities: JsonObject = { tools: {} },
): Promise<TestMcpServer> {
  const server = await startScriptedMcpServer((response, request) => {
    const { message, method } = request;
    if (method !== 'POST' || message === null) return void response.writeHead(405).end();
    const known = { initialize: toInitializeResult('2025-11-25', capabilities), ...answers };
    const answer = known[String(message.method) as keyof typeof known] as JsonObject | Answer | undefined;
    if (message.id === undefined) return void response.writeHead(202).end();
    if (message.method === 'server/discover')
      return send(response, 200, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } });
    const result = typeof answer === 'function' ? answer(request, response) : (answer ?? {});
    if (result !== null) send(response, 200, { jsonrpc: '2.0', id: message.id, result });
  });
  open.push(server);
  return server;
}

function host(url: string, onEvent?: (event: ServerEvent) => void): TestMcpHost {
  const made = createMcpHost({ lab: { url } }, onEvent === undefined ? {} : { onEvent });
  open.unshift(made.servers);
  return made;
}

function count(server: TestMcpServer, method: string): number {
  return server.seen.filter(({ message }) => message?.method === method).length;
}

function fail(response: ServerResponse, page: string): null {
  response.writeHead(500).end(page);
  return null;
}

const LIST = { tools: TEST_TOOLS };
const textResult = (text: string): JsonObject => ({ content: [{ type: 'text', text }] });

test('a page for a browser is no part of an error', async () => {
  const page: Answer = (_, response) => fail(response, '<!DOCTYPE html><p>Oops');
  const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': page })).url);
  const { message } = await failureOf(servers.call('lab.echo', {}, signal));
  expect([message.includes('HTTP 500'), message.includes('<')]).toEqual([true, false]);
});

test('an answer that is no result is an error that says that the tool may have run', async () => {
  const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': { foo: 1 } })).url);
  const error = await failureOf(servers.call('lab.echo', {}, signal));
  expect([error.code, error.message.endsWith('the tool may have run')]).toEqual(['mcp.protocol', true]);
});

test('hidden characters of a definition do not reach the model, and a change of them is a change', async () => {
  const hidden = '\u200b\u202e\u{e0041}';
  const properties = { path: { type: 'string', description: `a${hidden}b` } };
  let description = `Reads${hidden} a note`;
  const list: Answer = () => ({ tools: [{ name: 'read', description, inputSchema: { type: 'object', properties } }] });
  const changed: ServerEvent[] = [];
  const { servers } = host((await serve({ 'tools/list': list })).url, (event) => changed.push(event));
  const { tools } = await servers.tools({ waitMs: 20_000, signal });
  expect([tools[0]?.description, tools[0]?.parameters.properties]).toEqual([
    'Reads a note',
    { path: { type: 'string', description: 'ab' } },
  ]);
  description = 'Reads a note';
  await servers.server('lab').refresh(signal);
  expect(changed).toEqual([{ type: 'definition-changed', alias: 'lab', tools: ['lab.read'] }]);
});

test.each([400, 500])('a JSON-RPC error in an answer with status %d is that error', async (status) => {
  const call: Answer = ({ message }, response) => {
    const error = { code: -32602, message: 'bad argument' };
    send(response, status, { jsonrpc: '2.0', id: message?.id ?? null, error });
    return null;
  };
  const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': call })).url);
  const error = await failureOf(servers.call('lab.echo', {}, signal));
  expect([error.code, error.message]).toEqual([
    'mcp.rpc',
    'server "lab" refused the request: bad argument (JSON-RPC -32602)',
  ]);
});

test.each(['', '{"jsonrpc":', '{"jsonrpc":"2.0","id":2,"result":null}', 'null'])(
  'the body %p is no answer, and the tool may have run',
  async (body) => {
    const call: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' }).end(body);
      return null;
    };
    const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': call })).url);
    const { code, message } = await failureOf(servers.call('lab.echo', {}, signal));
    expect([code, message]).toEqual([
      'mcp.protocol',
      'server "lab" broke the MCP protocol during the call: its response is not JSON-RPC; the tool may have run',
    ]);
  },
);

test.each([
  ['TEXT/Event-Stream; charset=UTF-8', '\n\n', 'ends'],
  ['text/event-stream', '\n', 'ends'],
  ['text/event-stream', '\n', 'stays open'],
  ['text/event-stream', '\n\n', 'comes in two lines'],
])('a stream of the type %s whose event ends with %j is read if it %s', async (type, end, how) => {
  const call: Answer = ({ message }, response) => {
    const answer = JSON.stringify({ jsonrpc: '2.0', id: message?.id ?? null, result: textResult('fine') });
    response.writeHead(200, { 'content-type': type });
    if (how === 'comes in two lines') response.write('data: {\n');
    response.write(`data: ${how === 'comes in two lines' ? answer.slice(1) : answer}${end}`);
    if (how === 'ends') response.end();
    return null;
  };
  const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': call })).url);
  expect((await servers.call('lab.echo', {}, signal)).text).toBe('fine');
});

test('a configured token that lacks a scope is an error that names the scope', async () => {
  const call: Answer = (_, response) => {
    response.writeHead(403, { 'www-authenticate': 'Bearer error="insufficient_scope", scope="notes:write"' }).end();
    return null;
  };
  const { url } = await serve({ 'tools/list': LIST, 'tools/call': call });
  const made = createMcpHost({ lab: { url, auth_token: 'secret-token' } });
  open.unshift(made.servers);
  const { code, hint } = await failureOf(made.servers.call('lab.echo', {}, signal));
  expect([code, hint]).toEqual(['mcp.auth', 'get a token with the scope "notes:write" for [mcp.servers.lab]']);
});

test('a page without a server is named by its status, whatever the last attempt met', async () => {
  const refuse: Answer = (_, response) => {
    response.writeHead(404).end();
    return null;
  };
  const { servers } = host((await serve({ initialize: refuse })).url);
  expect((await failureOf(servers.server('lab').refresh(signal))).message).toContain('answered HTTP 404');
});

test('a handshake whose notice is never answered ends at the time limit', async () => {
  const server = await startScriptedMcpServer((response, { message }) => {
    const { id = null, method } = message ?? {};
    if (method === 'initialize') send(response, 200, { jsonrpc: '2.0', id, result: toInitializeResult('2025-11-25') });
    else if (method === 'server/discover') response.writeHead(404).end();
  });
  open.push(server);
  const made = createMcpHost({ lab: { url: server.url } }, { limits: { connectMs: 300 } });
  open.unshift(made.servers);
  const error = await failureOf(made.servers.server('lab').refresh(signal));
  expect([error.code, error.hint?.startsWith('check that this is an MCP server')]).toEqual(['mcp.timeout', true]);
});

test('a server that keeps silent about the newer revision is asked for the older one', async () => {
  const server = await startScriptedMcpServer((response, { message }) => {
    const { id = null, method } = message ?? {};
    if (method === 'server/discover') return;
    if (id === null) return void response.writeHead(202).end();
    const result = method === 'initialize' ? toInitializeResult('2025-11-25') : LIST;
    send(response, 200, { jsonrpc: '2.0', id, result });
  });
  open.push(server);
  const made = createMcpHost({ lab: { url: server.url } }, { limits: { connectMs: 6000 } });
  open.unshift(made.servers);
  await made.servers.server('lab').refresh(signal);
  expect(made.servers.statuses()[0]).toMatchObject({ state: 'connected', era: 'legacy' });
});

test('a stream that is too large is cut off with the limit named', async () => {
  const call: Answer = (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(`data: ${'x'.repeat(200_000)}`);
    return null;
  };
  const server = await serve({ 'tools/list': LIST, 'tools/call': call });
  const made = createMcpHost({ lab: { url: server.url } }, { limits: { maxMessageBytes: 100_000 } });
  open.unshift(made.servers);
  expect((await failureOf(made.servers.call('lab.echo', {}, signal))).code).toBe('mcp.too-large');
});

test('a session that is lost while listing is opened again', async () => {
  let listed = 0;
  const list: Answer = (_, response) => {
    listed += 1;
    if (listed !== 2) return LIST;
    send(response, 404, { error: 'Session not found' });
    return null;
  };
  const initialize: Answer = ({ message }, response) => {
    const result = toInitializeResult('2025-11-25');
    send(response, 200, { jsonrpc: '2.0', id: message?.id ?? null, result }, { 'mcp-session-id': 's' });
    return null;
  };
  const server = await serve({ initialize, 'tools/list': list });
  const { servers } = host(server.url);
  await servers.server('lab').refresh(signal);
  expect([count(server, 'initialize'), servers.statuses()[0]?.state]).toEqual([2, 'connected']);
});

test('a call has the limits that its caller sets', async () => {
  const { servers } = host((await serve({ 'tools/list': LIST, 'tools/call': () => null })).url);
  await servers.server('lab').refresh(signal);
  expect((await failureOf(servers.call('lab.echo', {}, signal, { timeoutMs: 20 }))).code).toBe('mcp.timeout');
});

/** A server of revision 2024-11-05: all answers come over one channel, requests go to another address. */
async function serveOverSse(): Promise<TestMcpServer & { drop(): void; notify(method: string): void }> {
  let channel: ServerResponse | null = null;
  const results: Readonly<Record<string, JsonObject>> = {
    initialize: toInitializeResult('2024-11-05'),
    'tools/list': LIST,
    'tools/call': textResult('over the channel'),
  };
  const server = await startScriptedMcpServer((response, { method, path, message }) => {
    if (method === 'GET') {
      channel = response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('event: endpoint\ndata: /messages?session=1\n\n');
    } else if (!path.startsWith('/messages')) response.writeHead(404).end('<!DOCTYPE html>');
    else {
      response.writeHead(202).end();
      const { id, method: asked, params } = message ?? {};
      if (id === undefined || (isJsonObject(params) && params.name === 'read')) return;
      const answer = { jsonrpc: '2.0', id, result: results[String(asked)] ?? {} };
      channel?.write(`event: message\ndata: ${JSON.stringify(answer)}\n\n`);
    }
  });
  open.push(server);
  return {
    ...server,
    drop: () => channel?.destroy(),
    notify: (method) => channel?.write(`event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method })}\n\n`),
  };
}

test('a server of 2024-11-05 over HTTP+SSE is found out and called', async () => {
  const server = await serveOverSse();
  const { servers } = host(server.url);
  expect((await servers.call('lab.echo', {}, signal)).text).toBe('over the channel');
  expect(servers.statuses()[0]?.era).toBe('sse');
});

test('the end of the channel ends the calls that wait for it', async () => {
  const server = await serveOverSse();
  const { servers } = host(server.url);
  await servers.server('lab').refresh(signal);
  const waiting = failureOf(servers.call('lab.read', { name: 'a' }, signal));
  while (count(server, 'tools/call') === 0) await new Promise(setImmediate);
  server.drop();
  expect((await waiting).code).toBe('mcp.closed');
  expect((await servers.call('lab.echo', {}, signal)).text).toBe('over the channel');
});

test('a storm of notices about a changed list does not become a storm of requests', async () => {
  const server = await serveOverSse();
  const { servers } = host(server.url);
  await servers.server('lab').refresh(signal);
  const before = count(server, 'tools/list');
  for (let at = 0; at < 500; at += 1) server.notify('notifications/tools/list_changed');
  for (let round = 0; round < 3; round += 1) await servers.call('lab.echo', {}, signal);
  const asked = count(server, 'tools/list') - before;
  expect([asked > 0, asked < 20]).toEqual([true, true]);
});

test('a server of the stateless revision reports a changed list and a changed resource over its subscriptions', async () => {
  let stream: ServerResponse | null = null;
  let listed = 0;
  const server = await startScriptedMcpServer((response, { message }) => {
    const { id = null, method } = message ?? {};
    const reply = (result: JsonObject) =>
      send(response, 200, { jsonrpc: '2.0', id, result: { resultType: 'complete', ...result } });
    if (method === 'server/discover')
      return reply({
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
        serverInfo: { name: 'm', version: '1' },
        ttlMs: 0,
        cacheScope: 'private',
      });
    if (method === 'tools/list') {
      const isFirstPage = isJsonObject(message?.params) && message.params.cursor === undefined;
      if (isFirstPage) return reply({ tools: [], nextCursor: '', ttlMs: 0, cacheScope: 'private' });
      listed += 1;
      return reply({ tools: listed === 1 ? TEST_TOOLS : TEST_TOOLS.slice(1), ttlMs: 0, cacheScope: 'private' });
    }
    if (method === 'resources/read')
      return reply({ contents: [{ uri: 'note:1', text: 'one' }], ttlMs: 0, cacheScope: 'private' });
    if (method !== 'subscriptions/listen') return void response.writeHead(400).end();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    notify(response, id, 'notifications/subscriptions/acknowledged', { notifications: { toolsListChanged: true } });
    if (!JSON.stringify(message).includes('note:1')) stream = response;
    else notify(response, id, 'notifications/resources/updated', { uri: 'note:1' });
  });
  open.push(server);
  const { servers, lineWith } = host(server.url);
  await servers.tools({ waitMs: 20_000, signal });
  while (stream === null) await new Promise(setImmediate);
  notify(stream, 'listen:0', 'notifications/tools/list_changed', {});
  expect(await lineWith('no longer has')).toBe('lab no longer has these tools: read');
  await servers.server('lab').readResource('note:1', signal, { isAttached: true });
  expect(await lineWith('note:1')).toStartWith('note:1 has changed since you attached it');
});

function notify(stream: ServerResponse, id: Json, method: string, params: JsonObject): void {
  const _meta = { 'io.modelcontextprotocol/subscriptionId': id };
  stream.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: { ...params, _meta } })}\n\n`);
}
