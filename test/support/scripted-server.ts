import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { ServerConfig } from '../../src/adapters/mcp/servers.ts';
import { isJsonObject, type JsonObject } from '../../src/protocol/json.ts';
import { fixtureServer } from './conversation.ts';
import { type SeenRequest, startScriptedMcpServer } from './mcp-server.ts';
import { type Answers, type Reply, Script } from './script.ts';
import { useFolder } from './test-folder.ts';
import { until } from './until.ts';

export type Way = 'stdio' | 'http';

/** A server whose answers stand in a script, over either way. */
export interface ScriptedServer {
  readonly config: ServerConfig;
  /** All messages that it got, with the facts of each start over standard input and output. */
  readonly seen: () => readonly JsonObject[];
  /** Requests as they came; empty over standard input and output. */
  readonly http: readonly SeenRequest[];
  close(): Promise<void>;
}

const BASE = useFolder('scripted');

export async function scriptedServer(way: Way, answers: Answers, banner = ''): Promise<ScriptedServer> {
  return way === 'stdio' ? overStdio(answers, banner) : overHttp(answers);
}

/** Messages of a method that the server got. */
export function requestsOf(server: ScriptedServer, method: string): readonly JsonObject[] {
  return server.seen().filter((message) => message.method === method);
}

/** Settles when the server has got a message of a method. */
export function gets(server: ScriptedServer, method: string): Promise<readonly JsonObject[]> {
  return until(
    { what: method },
    () => requestsOf(server, method),
    (found) => found.length > 0,
  );
}

function overStdio(answers: Answers, banner: string): ScriptedServer {
  const folder = mkdtempSync(join(BASE, 'server-'));
  const [script, log] = [join(folder, 'script.json'), join(folder, 'log')];
  writeFileSync(script, JSON.stringify(answers));
  writeFileSync(log, '');
  const [command = '', ...args] = fixtureServer('by-script.ts', script, log, banner);
  const read = (): readonly JsonObject[] => {
    const lines = readFileSync(log, 'utf8').split('\n').slice(0, -1);
    return lines.map((line): unknown => JSON.parse(line)).filter(isJsonObject);
  };
  return { config: { command, args }, seen: read, http: [], close: async () => {} };
}

async function overHttp(answers: Answers): Promise<ScriptedServer> {
  const script = new Script(answers);
  const answered = new Set<unknown>();
  const waiting: (() => void)[] = [];
  let sessions = 0;
  const server = await startScriptedMcpServer((response, { method, message }) => {
    if (method !== 'POST' || message === null) return void response.writeHead(405).end();
    if (message.method === undefined) {
      answered.add(message.id);
      for (const wake of waiting.splice(0)) wake();
    }
    const reply = script.reply(message);
    if (reply === null) return void response.writeHead(202).end();
    const headers: Record<string, string> = {};
    if (message.method === 'initialize') {
      sessions += 1;
      headers['mcp-session-id'] = `session-secret-${sessions}`;
    }
    const ready = async (): Promise<void> => {
      while (!reply.awaited.every((id) => answered.has(id)))
        await new Promise<void>((resolve) => waiting.push(resolve));
    };
    void answerHttp(response, reply, headers, ready);
  });
  const seen = () => server.seen.flatMap(({ message }) => (message === null ? [] : [message]));
  return { config: { url: server.url }, seen, http: server.seen, close: () => server.close() };
}

async function answerHttp(
  response: ServerResponse,
  reply: Reply,
  own: Readonly<Record<string, string>>,
  ready: () => Promise<void>,
): Promise<void> {
  const { messages, body, delayMs = 0, exit, endsStream = false, raw, status = 200 } = reply;
  const headers = { ...own, ...reply.headers };
  const streams = messages.length > 0 || endsStream;
  if (streams) response.writeHead(status, { 'content-type': 'text/event-stream', ...headers });
  for (const message of messages) response.write(`data: ${JSON.stringify(message)}\n\n`);
  if (delayMs > 0) await Bun.sleep(delayMs);
  await ready();
  if (exit !== undefined) response.destroy();
  else if (endsStream) response.end();
  else if (body === null) return;
  else if (streams) response.end(`data: ${JSON.stringify(body)}\n\n`);
  else response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(raw ?? JSON.stringify(body));
}
