import { isLoopbackHost } from '../../core/model/server-fault.ts';
import { HttpError } from './http-error.ts';

/** What a request over TCP must show. */
export interface Guard {
  readonly token: string;
  /** The port listened on. */
  readonly port: () => number;
}

/**
 * Lets a request in or throws. A page of another site can make a browser send requests here, and can make its own name
 * resolve to 127.0.0.1; so neither the address nor a cookie tells who asks. Host must be a loopback name with our port,
 * Origin, where a browser sends it, our own, and the token is asked for on every route, unknown ones included.
 */
export function checkRequest(headers: Headers, guard: Guard): void {
  const host = headers.get('host')?.toLowerCase() ?? '';
  if (!isOwnHost(host, guard.port())) {
    throw new HttpError(403, {
      code: 'http.host',
      message: `the Host "${host}" is not this daemon`,
      hint: `use http://127.0.0.1:${guard.port()}/`,
    });
  }
  const origin = headers.get('origin');
  if (origin !== null && origin.toLowerCase() !== `http://${host}`) {
    throw new HttpError(403, {
      code: 'http.origin',
      message: `requests from pages of "${origin}" are refused`,
      hint: 'pages of other sites may not use this daemon',
    });
  }
  if (!hasToken(headers.get('authorization'), guard.token)) throw unauthorized();
}

/**
 * The same for a request over a socket, which no page can reach and nobody but its owner: what comes as from a page, or under another
 * machine's name, was passed on by a program that should not.
 */
export function checkSocketRequest(headers: Headers): void {
  const host = headers.get('host')?.toLowerCase() ?? 'localhost';
  const origin = headers.get('origin');
  const name = host.replace(/:\d+$/, '');
  // Over a socket any word will do for a name; what a resolver could make a page's own has a dot in it.
  if (origin === null && (isLoopbackHost(name) || /^[\w-]+$/.test(name))) return;
  throw new HttpError(403, {
    code: origin === null ? 'http.host' : 'http.origin',
    message:
      origin === null ? `the Host "${host}" is not this machine` : `requests from pages of "${origin}" are refused`,
    hint: 'no page may use this socket, and no program may pass it on to one',
  });
}

function isOwnHost(host: string, port: number): boolean {
  const [, name = '', given = ''] = /^(.*?)(?::(\d+))?$/.exec(host) ?? [];
  // A name under .localhost is one that some resolver could turn into anything.
  if (!isLoopbackHost(name) || name.endsWith('.localhost')) return false;
  return given === '' ? port === 80 : Number(given) === port;
}

function hasToken(authorization: string | null, token: string): boolean {
  const given = /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1];
  return given !== undefined && isSameText(given, token);
}

/** Compares digests, which are of one length, to their last byte: the time taken tells nothing of how good a guess was. */
function isSameText(a: string, b: string): boolean {
  const [one, other] = [digest(a), digest(b)];
  let difference = 0;
  for (let at = 0; at < one.length; at += 1) difference |= (one[at] ?? 0) ^ (other[at] ?? 0);
  return difference === 0;
}

/** By Bun's own hasher: the module `node:crypto` would cost three megabytes. */
function digest(text: string): Uint8Array {
  return new Bun.CryptoHasher('sha256').update(text).digest();
}

function unauthorized(): HttpError {
  return new HttpError(
    401,
    {
      code: 'http.unauthorized',
      message: 'the token is missing or wrong',
      hint: 'send "Authorization: Bearer …" with the token of AISH_TOKEN or of the file named at the start',
    },
    { 'www-authenticate': 'Bearer realm="aish"' },
  );
}
