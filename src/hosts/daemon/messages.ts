import { dirname } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { HttpError } from './http-error.ts';

/* All texts of the daemon and of session servers. Each message follows a prefix such as `aish:`, so it begins in lower case. */

/** An HTTP error; `hint` is the next step for the client. */
function httpError(
  status: number,
  code: string,
  message: string,
  hint?: string,
  headers?: Record<string, string>,
): HttpError {
  return new HttpError(status, { code, message, ...(hint === undefined ? {} : { hint }) }, headers);
}

const usage = (message: string, hint: string): AishError => new AishError('usage', message, { hint });

// Requests

const ROUTES =
  'the routes are /health, /halt, /chat, /sessions, /sessions/ID, /sessions/ID/ops, /sessions/ID/query, /sessions/ID/events and /sessions/ID/terminal';

export const noRoute = (path: string) => httpError(404, 'http.not-found', `${path} is not a route`, ROUTES);

export const wrongMethod = (path: string, method: string, allow: string) =>
  httpError(405, 'http.method', `${path} does not accept ${method}`, `use ${allow}`, { allow });

export const bodyTooLarge = (mostBytes: number) =>
  httpError(
    413,
    'http.too-large',
    `the body has more than ${mostBytes / 1e6} MB`,
    'send less; no model reads that much at once',
  );

export const notJsonBody = (type: string | undefined) =>
  httpError(
    415,
    'http.content-type',
    `the Content-Type of the body is ${type ?? 'missing'}`,
    'send JSON with the header Content-Type: application/json',
  );

const badRequest = (message: string, hint?: string) => httpError(400, 'http.bad-request', message, hint);

export const badBody = (problem: string) => badRequest(problem, 'docs/protocol.md describes ops and bodies');

export const invalidJson = (cause: unknown) =>
  badRequest(`the body is not valid JSON: ${cause instanceof Error ? cause.message : String(cause)}`);

export const badEventId = (value: string) =>
  badRequest(
    `"${value}" is not the id of an event`,
    'send the id of the last event that you received as Last-Event-ID, or the number of a stored event as ?after=',
  );

export const badDirectory = (cwd: string) =>
  badRequest(`cwd: "${cwd}" is not a directory here`, 'send the absolute path of an existing directory');

export const badSize = () => badRequest('columns and rows must be whole numbers from 1 to 10000');

export const noWebSocket = () =>
  httpError(426, 'http.upgrade', 'this route needs a WebSocket', 'connect to this route as a WebSocket', {
    upgrade: 'websocket',
    connection: 'upgrade',
  });

/** A terminal shows this in place of output that it was too slow to read. */
export const OUTPUT_SKIPPED = '\r\n[aish skipped some output because this terminal was too slow]\r\n';

/** Stands in front of a system message of a client, which the model reads as a message of the user. */
export const CLIENT_INSTRUCTIONS = '[instructions from the client]';

// Access

const NO_PAGES = 'web pages must not use this daemon, and no program may forward their requests';

/** `port`: the port of the daemon; null on a socket. */
export const foreignHost = (host: string, port: number | null) =>
  port === null
    ? httpError(403, 'http.host', `the Host header "${host}" does not name this machine`, NO_PAGES)
    : httpError(403, 'http.host', `the Host "${host}" is not this daemon`, `use http://127.0.0.1:${port}/`);

export const foreignOrigin = (origin: string) =>
  httpError(403, 'http.origin', `the daemon refuses requests from web pages of "${origin}"`, NO_PAGES);

export const wrongToken = () =>
  httpError(
    401,
    'http.unauthorized',
    'the token is missing or wrong',
    'send "Authorization: Bearer TOKEN"; the token is in AISH_TOKEN, or in the file that aish serve prints',
    { 'www-authenticate': 'Bearer realm="aish"' },
  );

export const strangerConnected = () =>
  httpError(
    503,
    'http.stranger',
    'another user was connected to this socket, and aish closed that connection',
    'send the request again',
  );

/** The report for the owner of the socket. */
export const strangerReached = (path: string) =>
  new AishError('socket.stranger', `another user connected to ${path}; aish closed the connection at once`, {
    hint: `to keep other users out: chmod 700 ${dirname(path)}`,
  });

// Sessions

export const sessionNotOpen = (id: string) =>
  new AishError('session.not-found', `no session "${id}" is open in this process`, {
    hint: `to open a stored session: POST /sessions {"resume": "${id}"}`,
  });

export const otherSession = (id: string, wanted: string) =>
  new AishError('session.not-found', `this is the socket of session ${id}, not of "${wanted}"`, {
    hint: 'each session that is open at a terminal has its own socket',
  });

export const tooManySessions = (most: number) =>
  httpError(
    429,
    'session.too-many',
    `this daemon keeps at most ${most} sessions open`,
    'close some with DELETE /sessions/ID',
    { 'retry-after': '1' },
  );

/** `action`: what only the owner may do, such as `end the session`. */
export const ownedSession = (action: string) =>
  httpError(
    403,
    'session.owned',
    `this session is open at a terminal, so a client cannot ${action}`,
    'for sessions of your own, start a daemon: aish serve',
  );

export const closing = () => httpError(503, 'session.closed', 'the daemon is closing');

export const noSocket = (cause: unknown) =>
  new AishError('session.no-socket', `no other terminal can join this session: ${String(cause)}`, {
    hint: 'the session works all the same; XDG_RUNTIME_DIR sets the folder of its socket',
    cause,
  });

// The start of a daemon

const OTHER_SOCKET = 'choose another path with --socket';

export function cannotListen(
  at: { readonly type: 'socket'; readonly path: string } | { readonly type: 'tcp'; host: string; port: number },
  cause: unknown,
): AishError {
  const [place, hint] =
    at.type === 'socket'
      ? [at.path, OTHER_SOCKET]
      : [`${at.host}:${at.port}`, 'choose another port with --port; 0 takes any free port'];
  return new AishError('daemon.listen', `cannot listen on ${place}: ${String(cause)}`, { hint, cause });
}

export const badToken = (shortest: number) =>
  usage(
    `AISH_TOKEN must have ${shortest} or more visible ASCII characters`,
    'to make a token: openssl rand -hex 32; without AISH_TOKEN, aish makes one',
  );

export const daemonRunning = (path: string) =>
  new AishError('daemon.running', `another aish serve listens on ${path}`, {
    hint: `use that daemon, end it first, or ${OTHER_SOCKET}`,
  });

export const longSocketPath = (path: string, bytes: number, most: number) =>
  usage(
    `the socket path has ${bytes} bytes, and the system allows ${most}: ${path}`,
    'choose a shorter path with --socket',
  );

export const notASocket = (path: string) => usage(`${path} exists and is not a socket`, OTHER_SOCKET);

export const SOCKET_OR_PORT = 'use either --socket or --port';
