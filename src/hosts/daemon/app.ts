import { type Context, Hono } from 'hono';
import { bodyLimit } from 'hono/body-limit';
import { writeShellNames } from '../../adapters/daemon/shell-names.ts';
import type { SessionClient } from '../../core/session/session-client.ts';
import type { LocalSessionClient } from '../../engine/session/local-session-client.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import type { Json } from '../../protocol/json.ts';
import { type Checked, parseChatBody, parseOp, parseQuery, parseSessionBody } from '../../protocol/op-schema.ts';
import type { Query } from '../../protocol/query.ts';
import { answerChat } from './chat.ts';
import { type Heartbeat, parseAfter, streamEvents } from './event-stream.ts';
import { checkRequest, checkSocketRequest, type Guard } from './guard.ts';
import { HttpError, toErrorResponse, toRefusal } from './http-error.ts';
import { type SessionHost, summarize } from './live-sessions.ts';
import { joinTerminal, readClientName, type SocketClient } from './terminal-socket.ts';

/** What the routes work with. */
export interface AppOptions {
  readonly sessions: SessionHost;
  readonly heartbeat: Heartbeat;
  readonly version: string;
  /** What a request must show; null on a socket, whose folder only its owner can enter. */
  readonly guard: Guard | null;
  /** Tells the owner of a fault of ours. */
  readonly onFault: (thrown: unknown) => void;
}

interface Bindings {
  /** Lifts the limit on how long the connection of this request may be quiet. */
  readonly keepOpen: () => void;
  /** Turns the request into a connection both ways; false where it did not ask for one. */
  readonly upgrade: (client: SocketClient) => boolean;
}

type Route = Context<{ Bindings: Bindings }>;

/** Largest body of a request. */
const MOST_BODY = 8_000_000;

/** The HTTP API as one function from request to response. */
export function createApp(options: AppOptions): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>();
  const { guard } = options;
  app.onError((thrown, c) => {
    const response = toErrorResponse(thrown);
    // A client that leaves in the middle of what it says is no fault of ours.
    if (response.status === 500 && !c.req.raw.signal.aborted) options.onFault(thrown);
    return response;
  });
  app.notFound((c) => {
    throw new HttpError(404, {
      code: 'http.not-found',
      message: `there is nothing at ${c.req.path}`,
      hint: 'the routes are /health, /halt, /chat, /sessions, /sessions/ID, /sessions/ID/ops, /sessions/ID/query, /sessions/ID/events and /sessions/ID/terminal',
    });
  });
  app.use(async (c, next) => {
    if (guard === null) checkSocketRequest(c.req.raw.headers);
    else checkRequest(c.req.raw.headers, guard);
    // Who may come in may take as long as it takes: a model, a server or a large log answers late.
    c.env.keepOpen();
    await next();
  });
  app.use(bodyLimit({ maxSize: MOST_BODY, onError: tooLarge }));
  addSessionRoutes(app, options);
  app.post('/halt', async (c) => c.json({ halted: await options.sessions.haltAll() }));
  app.get('/health', (c) => c.json({ status: 'ok', version: options.version, sessions: options.sessions.size }));
  app.post('/chat', async (c) => answerChat(await readBody(c, parseChatBody), options.sessions, c.req.raw.signal));
  refuseOtherMethods(app);
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
    throw new HttpError(
      426,
      {
        code: 'http.upgrade',
        message: 'a terminal is bytes both ways',
        hint: 'connect to it as a WebSocket',
      },
      { upgrade: 'websocket', connection: 'upgrade' },
    );
  });
  app.get('/sessions/:id/events', (c) => {
    // A HEAD comes here too, and nobody would ever read or end its stream.
    if (c.req.method !== 'GET') return refuseMethod(c, 'GET');
    const client = clientOf(c, c.req.param('id'), sessions);
    const { seq, nth } = parseAfter(c.req.header('last-event-id'), c.req.query('after'));
    sessions.get(c.req.param('id')).session.begin();
    return streamEvents(client.events(seq, nth), options.heartbeat);
  });
}

/** The session as the client has it that sent this request. */
function clientOf(c: Route, id: string, sessions: SessionHost): LocalSessionClient {
  return sessions.client(id, readClientName(c.req.header('x-aish-client')));
}

/** With `?queue=1` a line waits, with those of all clients, until what runs has ended; events report what becomes of it. */
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

/** What is not there to be shown is no fault of ours. */
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

const METHODS: Readonly<Record<string, string>> = {
  '/health': 'GET',
  '/halt': 'POST',
  '/chat': 'POST',
  '/sessions': 'GET, POST',
  '/sessions/:id': 'GET, DELETE',
  '/sessions/:id/ops': 'POST',
  '/sessions/:id/query': 'POST',
  '/sessions/:id/events': 'GET',
  '/sessions/:id/terminal': 'GET',
};

function refuseOtherMethods(app: Hono<{ Bindings: Bindings }>): void {
  for (const [path, allow] of Object.entries(METHODS)) app.all(path, (c) => refuseMethod(c, allow));
}

function refuseMethod(c: Route, allow: string): never {
  const message = `${c.req.path} does not take ${c.req.method}`;
  throw new HttpError(405, { code: 'http.method', message, hint: `it takes ${allow}` }, { allow });
}

function tooLarge(): never {
  throw new HttpError(413, {
    code: 'http.too-large',
    message: `the body has more than ${MOST_BODY / 1e6} MB`,
    hint: 'send less at once; no model holds that much',
  });
}

/** The JSON body, checked. An empty one counts as an object without keys. */
async function readBody<T>(c: Route, parse: (value: unknown) => Checked<T>): Promise<T> {
  const text = await c.req.text();
  const type = c.req.header('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json' && (text !== '' || type !== undefined)) {
    throw new HttpError(415, {
      code: 'http.content-type',
      message: `the body is ${type ?? 'of no named type'}`,
      hint: 'send JSON with the header Content-Type: application/json',
    });
  }
  const checked = parse(text === '' ? {} : parseJson(text));
  if (checked.ok) return checked.value;
  throw new HttpError(400, {
    code: 'http.bad-request',
    message: checked.problem,
    hint: 'docs/protocol.md describes ops and bodies',
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpError(400, {
      code: 'http.bad-request',
      message: `the body is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`,
    });
  }
}
