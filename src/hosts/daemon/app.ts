import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { writeShellNames } from '../../adapters/daemon/remote-names.ts';
import { type SessionClient, untilState } from '../../core/session/session-client.ts';
import { isIdle } from '../../core/session/state.ts';
import { addToReport, type CallReport, EMPTY_REPORT, type TurnReport } from '../../core/session/turn-report.ts';
import { denyWithoutUser } from '../../core/session/why-denied.ts';
import { isLoopbackHost } from '../../core/text/address.ts';
import type { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import type { Session } from '../../engine/session/session.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import type { PastMessage } from '../../protocol/event.ts';
import { type Json, omitUndefined } from '../../protocol/json.ts';
import {
  type ChatBody,
  type ChatMessage,
  type Checked,
  parseChatBody,
  parseOp,
  parseQuery,
  parseSessionBody,
} from '../../protocol/op-schema.ts';
import type { Query } from '../../protocol/query.ts';
import { HttpError, toErrorResponse, toRefusal } from './http-error.ts';
import { type SessionHost, summarize } from './live-sessions.ts';
import * as messages from './messages.ts';
import { CLIENT_INSTRUCTIONS, closing, foreignHost, foreignOrigin, wrongToken } from './messages.ts';
import {
  type Heartbeat,
  joinTerminal,
  parseAfter,
  readClientName,
  type SocketClient,
  streamEvents,
} from './streams.ts';

/** Dependencies of the routes. */
export interface AppOptions {
  readonly sessions: SessionHost;
  readonly heartbeat: Heartbeat;
  readonly version: string;
  /** The check of requests; null on a socket, because only its owner can enter its folder. */
  readonly guard: Guard | null;
  /** Reports a bug to the owner. */
  readonly onFault: (thrown: unknown) => void;
}

interface Bindings {
  /** Removes the idle timeout of the connection. */
  readonly keepOpen: () => void;
  /** Upgrades the request to a WebSocket; false if it asks for none. */
  readonly upgrade: (client: SocketClient) => boolean;
}

type Route = Context<{ Bindings: Bindings }>;

/** Largest body of a request. */
const MOST_BODY = 8_000_000;

/** The HTTP API as one function from request to response. */
export function createApp(options: AppOptions): Hono<{ Bindings: Bindings }> {
  const app = createGuardedApp(options);
  addSessionRoutes(app, options);
  app.post('/halt', async (c) => c.json({ halted: await options.sessions.haltAll() }));
  app.get('/health', (c) => c.json({ status: 'ok', version: options.version, sessions: options.sessions.size }));
  app.post('/chat', async (c) => answerChat(await readBody(c, parseChatBody), options.sessions, c.req.raw.signal));
  refuseOtherMethods(app);
  return app;
}

/** An app with one route, `/mcp`, behind the same checks. */
export function createMcpApp(
  options: Pick<AppOptions, 'guard' | 'onFault'>,
  answer: (request: Request) => Promise<Response>,
): Hono<{ Bindings: Bindings }> {
  const app = createGuardedApp(options);
  app.all('/mcp', (c) => answer(c.req.raw));
  return app;
}

/** An app without routes that checks each request. */
function createGuardedApp({ guard, onFault }: Pick<AppOptions, 'guard' | 'onFault'>): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  app.onError((thrown, c) => {
    const response = toErrorResponse(thrown);
    // A client that disconnects in the middle of its request is not a bug.
    if (response.status === 500 && !c.req.raw.signal.aborted) onFault(thrown);
    return response;
  });
  app.notFound((c) => {
    throw messages.noRoute(c.req.path);
  });
  app.use(async (c, next) => {
    if (guard === null) checkSocketRequest(c.req.raw.headers);
    else checkRequest(c.req.raw.headers, guard);
    // An accepted request may take long: a model, a server or a large log answers late.
    c.env.keepOpen();
    await next();
  });
  app.use(bodyLimit({ maxSize: MOST_BODY, onError: tooLarge }));
  return app;
}

function addSessionRoutes(app: Hono<{ Bindings: Bindings }>, options: AppOptions): void {
  const { sessions } = options;
  app.get('/sessions', async (c) => c.json({ sessions: await sessions.list() }));
  app.post('/sessions', async (c) => {
    const { live, fresh } = await sessions.open(await readBody(c, parseSessionBody));
    return c.json({ id: live.session.sessionId, warnings: live.warnings }, fresh ? 201 : 200);
  });
  app.get('/sessions/:id', (c) => c.json(summarize(sessions.get(c.req.param('id')))));
  app.delete('/sessions/:id', async (c) => {
    await sessions.close(c.req.param('id'));
    return c.body(null, 204);
  });
  app.post('/sessions/:id/ops', (c) => takeOp(c, c.req.param('id'), sessions));
  app.post('/sessions/:id/query', async (c) => {
    const client = clientOf(c, c.req.param('id'), sessions);
    return c.json({ answer: await answerQuery(client, await readBody(c, parseQuery)) });
  });
  app.get('/sessions/:id/terminal', (c) => {
    const socket = joinTerminal(clientOf(c, c.req.param('id'), sessions), c.req.query());
    if (c.env.upgrade(socket)) return c.body(null, 204);
    throw messages.noWebSocket();
  });
  app.get('/sessions/:id/events', (c) => {
    // A HEAD request comes here too, and nobody would read or end its stream.
    if (c.req.method !== 'GET') return refuseMethod(c, 'GET');
    const client = clientOf(c, c.req.param('id'), sessions);
    const { seq, nth } = parseAfter(c.req.header('last-event-id'), c.req.query('after'));
    sessions.get(c.req.param('id')).session.begin();
    return streamEvents(client.events(seq, nth), options.heartbeat);
  });
}

/** The session for the client that sent this request. */
function clientOf(c: Route, id: string, sessions: SessionHost): LocalSessionClient {
  return sessions.client(id, readClientName(c.req.header('x-aish-client')));
}

/** Submits an op. With `?queue=1` a line waits behind the running one and the lines of other clients; events report its result. */
async function takeOp(c: Route, id: string, sessions: SessionHost): Promise<Response> {
  const client = clientOf(c, id, sessions);
  const op = await readBody(c, parseOp);
  const outcome = await client.submit(op, { inTurn: c.req.query('queue') !== undefined });
  switch (outcome.type) {
    case 'recorded':
    case 'dropped':
      return c.json({ accepted: true }, 202);
    case 'waits':
      return c.json({ accepted: true, waits: true }, 202);
    case 'refused':
      return toRefusal(outcome.error);
  }
}

/** Answers a query; an error of aish is a 422 and not a bug. */
async function answerQuery(client: SessionClient, query: Query): Promise<Json> {
  try {
    return await askAny(client, query);
  } catch (thrown) {
    throw thrown instanceof AishError ? new HttpError(422, toErrorFact(thrown)) : thrown;
  }
}

async function askAny(client: SessionClient, query: Query): Promise<Json> {
  switch (query.type) {
    case 'show':
      return client.query(query);
    case 'names': {
      const names = await client.query(query);
      return names === null ? null : writeShellNames(names);
    }
    case 'words': {
      const known = await client.query(query);
      return known === null ? null : [...known];
    }
    case 'place': {
      const { cwd, jobs } = await client.query(query);
      return { cwd, jobs: jobs.map((job) => ({ ...job })) };
    }
  }
}

/** Each path refuses the methods that it has no route for. */
function refuseOtherMethods(app: Hono<{ Bindings: Bindings }>): void {
  const methods = new Map<string, string[]>();
  for (const { method, path } of app.routes)
    if (method !== 'ALL') methods.set(path, [...(methods.get(path) ?? []), method]);
  for (const [path, allowed] of methods) app.all(path, (c) => refuseMethod(c, allowed.join(', ')));
}

function refuseMethod(c: Route, allow: string): never {
  throw messages.wrongMethod(c.req.path, c.req.method, allow);
}

function tooLarge(): never {
  throw messages.bodyTooLarge(MOST_BODY);
}

/** The JSON body, checked. An empty one counts as an object without keys. */
async function readBody<T>(c: Route, parse: (value: unknown) => Checked<T>): Promise<T> {
  const text = await c.req.text();
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && (text !== '' || type !== undefined)) throw messages.notJsonBody(type);
  const checked = parse(text === '' ? {} : parseJson(text));
  if (checked.ok) return checked.value;
  throw messages.badBody(checked.problem);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw messages.invalidJson(cause);
  }
}

/** The token and port that a request over TCP must name. */
export interface Guard {
  readonly token: string;
  /** The port listened on. */
  readonly port: () => number;
}

/**
 * Accepts a request or throws. A page of another site can make a browser send requests to the daemon, and can make its own name resolve to
 * 127.0.0.1. So neither the address nor a cookie identifies the client. Host must be a loopback name with the port of the daemon, Origin (if
 * a browser sends it) the address of the daemon, and every route needs the token, unknown routes included.
 */
function checkRequest(headers: Headers, guard: Guard): void {
  const host = headers.get('host')?.toLowerCase() ?? '';
  if (!isOwnHost(host, guard.port())) throw foreignHost(host, guard.port());
  const origin = headers.get('origin');
  if (origin !== null && origin.toLowerCase() !== `http://${host}`) throw foreignOrigin(origin);
  if (!hasToken(headers.get('authorization'), guard.token)) throw wrongToken();
}

/**
 * The same for a request over a socket, which only its owner can reach, and no page. A program forwarded a request that comes from a page or
 * names another machine.
 */
function checkSocketRequest(headers: Headers): void {
  const host = headers.get('host')?.toLowerCase() ?? 'localhost';
  const origin = headers.get('origin');
  const name = host.replace(/:\d+$/, '');
  // Over a socket any word is a valid name; a name that a resolver could point here from a page has a dot.
  if (origin === null && (isLoopbackHost(name) || /^[\w-]+$/.test(name))) return;
  throw origin === null ? foreignHost(host, null) : foreignOrigin(origin);
}

function isOwnHost(host: string, port: number): boolean {
  const [, name = '', given = ''] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  // Some resolvers could resolve a name under .localhost to any address.
  if (!isLoopbackHost(name) || name.endsWith('.localhost')) return false;
  return given === '' ? port === 80 : Number(given) === port;
}

function hasToken(authorization: string | null, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && isSameText(given, token);
}

/** Compares digests, which have one length, to the last byte: the time shows nothing about a guess. */
function isSameText(a: string, b: string): boolean {
  const [one, other] = [digest(a), digest(b)];
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}

/** Uses Bun's hasher: the module `node:crypto` needs three megabytes. */
function digest(text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}

/*
 * The stateless route: the client keeps the history and sends all of it each time. The last message becomes a turn of a new session,
 * whose log stays like any other. No user is there, so aish denies each call that needs approval.
 */

/** Answers one `POST /chat`; a client that leaves interrupts its turn. */
async function answerChat(body: ChatBody, sessions: SessionHost, signal: AbortSignal): Promise<Response> {
  const { cwd, ...settings } = body.config ?? {};
  const past = body.messages.slice(0, -1).flatMap(toPast);
  const { live } = await sessions.open({ cwd, settings }, past);
  const client = sessions.client(live.session.sessionId);
  try {
    const report = await runTurn(client, body.messages.at(-1)?.content ?? '', signal);
    await untilState(client, isIdle);
    return toResponse(report, live.session);
  } finally {
    await sessions.release(live);
  }
}

async function runTurn(client: SessionClient, text: string, signal: AbortSignal): Promise<TurnReport> {
  const interrupt = (): void => void client.submit({ type: 'interrupt' });
  let report = EMPTY_REPORT;
  const events = client.events(client.seq);
  void client.submit({ type: 'send', text });
  signal.addEventListener('abort', interrupt, { once: true });
  if (signal.aborted) interrupt();
  for await (const { event } of events) {
    report = addToReport(report, event);
    if (event.type === 'approval.requested') denyWithoutUser(client, event);
    if (event.type === 'form.requested') {
      const answer = { action: 'decline' } as const;
      void client.submit({ type: 'answer-form', form: event.form, answer, by: 'headless' });
    }
    if (report.end !== null) break;
  }
  signal.removeEventListener('abort', interrupt);
  return report;
}

/** A past message. A system message of the client becomes one of the user, because the system message of aish stays the first. */
function toPast({ role, content }: ChatMessage): PastMessage[] {
  if (content.trim() === '') return [];
  if (role === 'system') return [{ role: 'user', text: `${CLIENT_INSTRUCTIONS}\n${content}` }];
  return [{ role, text: content }];
}

function toResponse(report: TurnReport, { sessionId, ended }: Pick<Session, 'sessionId' | 'ended'>): Response {
  const { text, calls, end, finish, error } = report;
  const usage = { prompt_tokens: report.promptTokens, completion_tokens: report.completionTokens };
  const rest = {
    text,
    tool_calls: calls.map(toCall),
    usage,
    end: end ?? 'interrupted',
    finish: finish ?? null,
    session_id: sessionId,
  };
  if (end === 'failed') return Response.json({ error, ...rest }, { status: 502 });
  if (end === null && (ended === null || ended.code === 'session.closed')) throw closing();
  if (end === null && ended !== null) return toRefusal(ended);
  return Response.json({ response: { type: 'text', content: text }, ...omitUndefined({ error }), ...rest });
}

function toCall(call: CallReport): object {
  return {
    name: call.name,
    arguments: call.arguments,
    ...(call.decision === undefined ? {} : { decision: call.decision }),
    ...(call.result === undefined ? {} : { result: call.result, is_error: call.isError }),
  };
}
