import { mkdtempSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Limits } from '../../src/adapters/mcp/connection.ts';
import type { ServerEvent } from '../../src/adapters/mcp/server-event.ts';
import { McpServers, type ServerConfig, type ServerStatus } from '../../src/adapters/mcp/servers.ts';
import { AishError } from '../../src/protocol/error.ts';
import { isJsonObject, type Json, type JsonObject, omitUndefined } from '../../src/protocol/json.ts';
import { useFolder } from './test-folder.ts';

/** One request as an MCP server on loopback saw it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The JSON-RPC message of a POST. */
  readonly message: JsonObject | null;
}

/** An MCP server on loopback for one test. */
export interface TestMcpServer {
  readonly url: string;
  readonly seen: readonly SeenRequest[];
  close(): Promise<void>;
}

type Respond = (response: ServerResponse, request: SeenRequest) => void;

/** The tools every test server here has; `read` is declared read-only. */
export const TEST_TOOLS: readonly JsonObject[] = [
  {
    name: 'read',
    description: 'Reads a note',
    inputSchema: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
    annotations: { readOnlyHint: true },
  },
  {
    name: 'echo',
    description: 'Says it again',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  },
  { name: 'throw', description: 'Fails', inputSchema: { type: 'object', properties: {} } },
];

/** A server that only knows POST with one JSON answer per connection, revision 2025-03-26, and checks a bearer token. */
export function startPostOnlyMcpServer({ token }: { readonly token: string }): Promise<TestMcpServer> {
  return startHttpServer((response, { method, headers, message }) => {
    response.setHeader('connection', 'close');
    if (headers.authorization !== `Bearer ${token}`) return send(response, 401, { error: 'unauthorized' });
    if (method === 'GET') return announceEndpoint(response);
    if (method !== 'POST' || message === null) return send(response, 405, { error: 'method not allowed' });
    if (message.id === undefined) return void response.writeHead(202).end();
    send(response, 200, { jsonrpc: '2.0', id: message.id, ...answerPostOnly(message) });
  });
}

/** A server whose every answer the test writes itself. */
export function startScriptedMcpServer(respond: Respond): Promise<TestMcpServer> {
  return startHttpServer(respond);
}

/** The answer to `initialize`, for scripted servers. */
export function toInitializeResult(version = '2025-06-18', capabilities: JsonObject = { tools: {} }): JsonObject {
  return { protocolVersion: version, capabilities, serverInfo: { name: 'scripted', version: '1.2.3' } };
}

/** Sends one JSON body. */
export function send(
  response: ServerResponse,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function announceEndpoint(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end('event: endpoint\ndata: /mcp\n\n');
}

function answerPostOnly(message: JsonObject): JsonObject {
  switch (message.method) {
    case 'initialize':
      return { result: toInitializeResult('2025-03-26', { tools: { listChanged: false } }) };
    case 'tools/list':
      return { result: { tools: TEST_TOOLS } };
    case 'tools/call':
      return callTool(isJsonObject(message.params) ? message.params : {});
    default:
      return { error: { code: -32601, message: `Method not found: ${String(message.method)}` } };
  }
}

function callTool({ name, arguments: args }: JsonObject): JsonObject {
  const text = (value: Json): JsonObject => ({ content: [{ type: 'text', text: value }] });
  const given = isJsonObject(args) ? args : {};
  if (name === 'read') return { result: text(`note ${String(given.name)}`) };
  if (name === 'echo') return { result: text(String(given.text)) };
  if (name === 'throw') return { result: { ...text('Error: it broke'), isError: true } };
  return { error: { code: -32601, message: `Tool not found: ${String(name)}` } };
}

async function startHttpServer(respond: Respond): Promise<TestMcpServer> {
  const seen: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    void readMessage(incoming).then((message) => {
      const request = { method: incoming.method ?? '', path: incoming.url ?? '', headers: incoming.headers, message };
      seen.push(request);
      respond(response, request);
    });
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, '127.0.0.1', () => listening.resolve());
  await listening.promise;
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    seen,
    close: async () => {
      server.closeAllConnections();
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      await closed.promise;
    },
  };
}

async function readMessage(incoming: IncomingMessage): Promise<JsonObject | null> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(Buffer.from(part));
  if (parts.length === 0) return null;
  const value: unknown = JSON.parse(Buffer.concat(parts).toString('utf8'));
  return isJsonObject(value) ? value : null;
}

/** The MCP side of a session with folders of its own, and every status line it told. */
export interface TestMcpHost {
  readonly servers: McpServers;
  readonly folder: string;
  readonly stateDir: string;
  readonly lines: readonly string[];
  /** Waits until a status line holds the text. */
  lineWith(text: string): Promise<string>;
}

const BASE = useFolder('mcp');

/** Starts the MCP side of a session. `stateDir` of an earlier one makes it a second start. */
export function createMcpHost(
  configured: Readonly<Record<string, ServerConfig>>,
  options: {
    readonly env?: Readonly<Record<string, string>>;
    readonly stateDir?: string;
    readonly approved?: Readonly<Record<string, boolean>>;
    readonly onEvent?: (event: ServerEvent) => void;
    readonly limits?: Partial<Limits>;
    readonly asksUser?: boolean;
  } = {},
): TestMcpHost {
  const folder = mkdtempSync(join(BASE, 'host-'));
  const stateDir = options.stateDir ?? join(folder, 'state');
  const lines: string[] = [];
  const waiting = new Map<string, (line: string) => void>();
  const onStatus = (_status: ServerStatus, line: string | null): void => {
    if (line === null) return;
    lines.push(line);
    for (const [text, resolve] of waiting) if (line.includes(text)) resolve(line);
  };
  const env = { PATH: process.env.PATH, HOME: folder, ...options.env };
  const { approved = {}, onEvent, limits, asksUser } = options;
  const servers = new McpServers({
    servers: configured,
    approved,
    stateDir,
    cwd: folder,
    env,
    version: '9.9.9',
    onStatus,
    ...omitUndefined({ onEvent, limits, asksUser }),
  });
  const lineWith = (text: string): Promise<string> => {
    const told = lines.find((line) => line.includes(text));
    return told === undefined ? new Promise((resolve) => waiting.set(text, resolve)) : Promise.resolve(told);
  };
  return { servers, folder, stateDir, lines, lineWith };
}

/** The error that a call fails with. */
export async function failureOf(call: Promise<unknown>): Promise<AishError> {
  const thrown: unknown = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (thrown instanceof AishError) return thrown;
  throw new Error(`not an AishError: ${thrown}`);
}
