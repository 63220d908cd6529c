import { dirname } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { HttpError } from './http-error.ts';

/* All texts of the daemon and of session servers. Each message follows a prefix such as `aish:`, so it begins in lower case. */

// Requests

const ROUTES =
  'the routes are /health, /halt, /chat, /sessions, /sessions/ID, /sessions/ID/ops, /sessions/ID/query, /sessions/ID/events and /sessions/ID/terminal';

export function noRoute(path: string): HttpError {
  return new HttpError(404, { code: 'http.not-found', message: `${path} is not a route`, hint: ROUTES });
}

export function wrongMethod(path: string, method: string, allow: string): HttpError {
  const message = `${path} does not accept ${method}`;
  return new HttpError(405, { code: 'http.method', message, hint: `use ${allow}` }, { allow });
}

export function bodyTooLarge(mostBytes: number): HttpError {
  return new HttpError(413, {
    code: 'http.too-large',
    message: `the body has more than ${mostBytes / 1e6} MB`,
    hint: 'send less; no model reads that much at once',
  });
}

export function notJsonBody(type: string | undefined): HttpError {
  return new HttpError(415, {
    code: 'http.content-type',
    message: `the Content-Type of the body is ${type ?? 'missing'}`,
    hint: 'send JSON with the header Content-Type: application/json',
  });
}

export function badBody(problem: string): HttpError {
  const hint = 'docs/protocol.md describes ops and bodies';
  return new HttpError(400, { code: 'http.bad-request', message: problem, hint });
}

export function invalidJson(cause: unknown): HttpError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new HttpError(400, { code: 'http.bad-request', message: `the body is not valid JSON: ${problem}` });
}

export function badEventId(value: string): HttpError {
  return new HttpError(400, {
    code: 'http.bad-request',
    message: `"${value}" is not the id of an event`,
    hint: 'send the last id as Last-Event-ID, or the number of a durable event as ?after=',
  });
}

export function badDirectory(cwd: string): HttpError {
  const hint = 'send the absolute path of an existing directory';
  return new HttpError(400, { code: 'http.bad-request', message: `cwd: "${cwd}" is not a directory here`, hint });
}

export function badSize(): HttpError {
  const message = 'columns and rows must be whole numbers from 1 to 10000';
  return new HttpError(400, { code: 'http.bad-request', message });
}

export function noWebSocket(): HttpError {
  return new HttpError(
    426,
    { code: 'http.upgrade', message: 'a terminal needs a WebSocket', hint: 'connect to this route as a WebSocket' },
    { upgrade: 'websocket', connection: 'upgrade' },
  );
}

/** A terminal shows this in place of output that it was too slow to read. */
export const OUTPUT_SKIPPED = '\r\n[aish skipped some output because this terminal was too slow]\r\n';

/** Stands in front of a system message of a client, which the model reads as a message of the user. */
export const CLIENT_INSTRUCTIONS = '[instructions from the client]';

// Access

export function foreignHost(host: string, port: number | null): HttpError {
  return new HttpError(403, {
    code: 'http.host',
    message: `the Host "${host}" is not ${port === null ? 'this machine' : 'this daemon'}`,
    hint: port === null ? NO_PAGES : `use http://127.0.0.1:${port}/`,
  });
}

const NO_PAGES = 'web pages must not use this daemon, and no program may forward their requests';

export function foreignOrigin(origin: string): HttpError {
  const message = `the daemon refuses requests from pages of "${origin}"`;
  return new HttpError(403, { code: 'http.origin', message, hint: NO_PAGES });
}

export function wrongToken(): HttpError {
  return new HttpError(
    401,
    {
      code: 'http.unauthorized',
      message: 'the token is missing or wrong',
      hint: 'send "Authorization: Bearer TOKEN"; the token is in AISH_TOKEN, or in the file that aish serve prints',
    },
    { 'www-authenticate': 'Bearer realm="aish"' },
  );
}

export function strangerConnected(): HttpError {
  return new HttpError(503, {
    code: 'http.stranger',
    message: 'another user was connected to this socket, and aish closed that connection',
    hint: 'send the request again',
  });
}

/** The report for the owner of the socket. */
export function strangerReached(path: string): AishError {
  return new AishError('socket.stranger', `another user connected to ${path}; aish closed the connection at once`, {
    hint: `to keep other users out: chmod 700 ${dirname(path)}`,
  });
}

// Sessions

export function sessionNotOpen(id: string): AishError {
  return new AishError('session.not-found', `no session "${id}" is open here`, {
    hint: `to open a stored session: POST /sessions {"resume": "${id}"}`,
  });
}

export function otherSession(id: string, wanted: string): AishError {
  return new AishError('session.not-found', `this is the socket of session ${id}, not of "${wanted}"`, {
    hint: 'each session that is open at a terminal has its own socket',
  });
}

export function tooManySessions(most: number): HttpError {
  return new HttpError(
    429,
    {
      code: 'session.too-many',
      message: `this daemon keeps at most ${most} sessions open`,
      hint: 'close some with DELETE /sessions/ID',
    },
    { 'retry-after': '1' },
  );
}

/** `action`: what only the owner may do, such as `end the session`. */
export function ownedSession(action: string): HttpError {
  return new HttpError(403, {
    code: 'session.owned',
    message: `this session is open at a terminal, so a client cannot ${action}`,
    hint: 'for sessions of your own, start a daemon: aish serve',
  });
}

export function closing(): HttpError {
  return new HttpError(503, { code: 'session.closed', message: 'the daemon is closing' });
}

export function noSocket(cause: unknown): AishError {
  return new AishError('session.no-socket', `no other terminal can join this session: ${String(cause)}`, {
    hint: 'the session works all the same; XDG_RUNTIME_DIR sets the folder of its socket',
    cause,
  });
}

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

export function badToken(shortest: number): AishError {
  return new AishError('usage', `AISH_TOKEN must have ${shortest} or more visible ASCII characters`, {
    hint: 'to make a token: openssl rand -hex 32; without AISH_TOKEN, aish makes one',
  });
}

export function daemonRunning(path: string): AishError {
  return new AishError('daemon.running', `another aish serve listens on ${path}`, {
    hint: `use that daemon, end it first, or ${OTHER_SOCKET}`,
  });
}

export function longSocketPath(path: string, bytes: number, most: number): AishError {
  return new AishError('usage', `the socket path has ${bytes} bytes, and the system allows ${most}: ${path}`, {
    hint: 'choose a shorter path with --socket',
  });
}

export function notASocket(path: string): AishError {
  return new AishError('usage', `${path} exists and is not a socket`, { hint: OTHER_SOCKET });
}

export function hostRefused(host: string): AishError {
  return new AishError('usage', `--host ${host} is not possible: the daemon listens only on loopback addresses`, {
    hint: 'from another machine, use ssh: ssh -L 3000:127.0.0.1:3000 HOST',
  });
}

/** A wrong command line of `aish serve`. */
export function badUsage(message: string): AishError {
  return new AishError('usage', message, {
    hint: 'aish serve [--socket PATH | --host 127.0.0.1 --port N] [--approve ask|read-only|all] [--max-steps N]',
  });
}

export const formatUnknownArgument = (word: string): string => `aish serve does not know ${word}`;
export const formatNeedsValue = (option: string): string => `${option} needs a value`;
export const SOCKET_OR_PORT = 'use either --socket or --port';
export const formatTakes = (option: string, values: string, given: string): string =>
  `${option} takes ${values}, not ${given}`;
export const formatRange = (least: number, most: number | null): string =>
  `a whole number from ${least}${most === null ? '' : ` to ${most}`}`;
