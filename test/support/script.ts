// The answers of a scripted MCP server, the same over every transport.
import { existsSync, readFileSync } from 'node:fs';

import { isJsonObject, type Json, type JsonObject } from '../../src/protocol/json.ts';

export type Message = JsonObject;

/** The answer to one request: what is sent, and how. */
export interface Answer {
  readonly result?: Json;
  readonly error?: Json;
  /** Messages ahead of the answer. `$token` stands for the progress token of the request. Requests among them get ids of their own. */
  readonly before?: readonly Message[];
  /** Holds the answer back until the client has answered all requests of `before`. */
  readonly waits?: boolean;
  /** No answer. */
  readonly isSilent?: boolean;
  readonly delayMs?: number;
  /** Ends the process with this status, or the connection. */
  readonly exit?: number;
  /** Ends the stream of answers and stays. */
  readonly endsStream?: boolean;
  /** Another id than that of the request. */
  readonly id?: Json;
  /** The whole answer as bytes, whatever they are. */
  readonly raw?: string;
  /** HTTP only. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers by method; of several, each serves one request and the last one all further. */
export type Answers = Readonly<Record<string, Answer | readonly Answer[]>>;

/** A result with one text. */
export const said = (text: string): Answer => ({ result: { content: [{ type: 'text', text }] } });

/** The result of `initialize`. */
export const hello = (capabilities: Message = { tools: {} }, more: Message = {}): Answer => ({
  result: { protocolVersion: '2025-11-25', capabilities, serverInfo: { name: 'scripted', version: '1' }, ...more },
});

/** A list with tools of these names, or definitions. */
export const tools = (...given: readonly (string | Message)[]): Answer => ({
  result: {
    tools: given.map((one) => (typeof one === 'string' ? { name: one, inputSchema: { type: 'object' } } : one)),
  },
});

const complete = (result: Message): Answer => ({ result: { resultType: 'complete', ...result } });

/** A server that speaks the stateless revision only. */
export const MODERN: Answers = {
  initialize: { error: { code: -32022, message: 'Unsupported protocol version' }, status: 400 },
  'server/discover': complete({
    supportedVersions: ['2026-07-28'],
    capabilities: { tools: {} },
    serverInfo: { name: 'scripted', version: '1' },
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/list': complete({
    tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/call': complete({ content: [{ type: 'text', text: 'fine' }] }),
};

const USUAL: Answers = {
  initialize: hello(),
  'tools/list': tools('echo'),
  'tools/call': said('fine'),
  ping: { result: {} },
};

/** An answer with the messages that go ahead of it, ready to be sent. */
export interface Reply extends Answer {
  readonly messages: readonly Message[];
  /** Null without an answer. */
  readonly body: Message | null;
  /** Ids of requests that the client must answer first. */
  readonly awaited: readonly string[];
}

/** Chooses the answers of one server, and counts. */
export class Script {
  readonly #answers: Answers;
  readonly #counts = new Map<string, number>();
  #asked = 0;

  constructor(answers: Answers) {
    this.#answers = { ...USUAL, ...answers };
  }

  /** Null for a message that gets no answer. */
  reply(message: Message): Reply | null {
    const { id, method, params } = message;
    if (id === undefined || typeof method !== 'string') return null;
    const answer: Answer = this.#next(method) ?? { error: { code: -32601, message: 'Method not found' } };
    const { before = [], waits = false, result, error } = answer;
    const token = tokenOf(params);
    const messages = before.map((one) => this.#address(one, token));
    const awaited = waits ? messages.flatMap((one) => (typeof one.id === 'string' ? [one.id] : [])) : [];
    const content: Message = error === undefined ? { result: result === undefined ? {} : result } : { error };
    const body = answer.isSilent === true ? null : { jsonrpc: '2.0', id: answer.id ?? id, ...content };
    return { ...answer, messages, body, awaited };
  }

  #next(method: string): Answer | undefined {
    const found = this.#answers[method];
    if (found === undefined || !isList(found)) return found;
    const at = this.#counts.get(method) ?? 0;
    this.#counts.set(method, at + 1);
    return found[Math.min(at, found.length - 1)];
  }

  #address(message: Message, token: Json): Message {
    const text = JSON.stringify({ jsonrpc: '2.0', ...message }).replaceAll('"$token"', JSON.stringify(token));
    const filled = JSON.parse(text) as Message;
    const isRequest = typeof filled.method === 'string' && !filled.method.startsWith('notifications/');
    this.#asked += 1;
    return isRequest ? { id: `asked-${this.#asked}`, ...filled } : filled;
  }
}

/** The script in a file, or in the word itself. */
export function readAnswers(word: string): Answers {
  return JSON.parse(existsSync(word) ? readFileSync(word, 'utf8') : word);
}

function isList(found: Answer | readonly Answer[]): found is readonly Answer[] {
  return Array.isArray(found);
}

function tokenOf(params: Json | undefined): Json {
  const meta = isJsonObject(params) ? params._meta : null;
  return (isJsonObject(meta) ? meta.progressToken : null) ?? null;
}
