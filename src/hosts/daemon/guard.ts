import { isLoopbackHost } from '../../core/model/server-fault.ts';
import { foreignHost, foreignOrigin, wrongToken } from './messages.ts';

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
export function checkRequest(headers: Headers, guard: Guard): void {
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
export function checkSocketRequest(headers: Headers): void {
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
