import { lookup } from 'node:dns/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { isLoopbackHost } from '../../core/text/address.ts';
import { documentTooLarge, LOGIN_DONE, LOGIN_NOT_OURS, unsafeEndpoint } from './messages.ts';

const LIMIT_MS = 20_000;
const MAX_BYTES = 1024 * 1024;

/**
 * A fetch for documents and tokens of authorization servers, whose addresses come from the server: only https or this machine, no redirect,
 * and from a public server no way into a private network.
 */
export function createOAuthFetch(serverUrl: URL): FetchLike {
  const isPublic = isPrivateAddress(serverUrl.hostname).then((isPrivate) => !isPrivate);
  return async (address, init) => {
    const url = new URL(address);
    const isLocal = isLoopbackHost(url.hostname);
    if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) throw unsafeEndpoint(url.origin);
    if ((await isPublic) && (await isPrivateAddress(url.hostname))) throw unsafeEndpoint(url.origin);
    const timeout = AbortSignal.timeout(LIMIT_MS);
    const signal = init?.signal == null ? timeout : AbortSignal.any([init.signal, timeout]);
    const response = await fetch(url, { ...init, signal, redirect: 'manual' });
    if (response.status >= 300 && response.status < 400) throw unsafeEndpoint(url.origin);
    const { status, statusText, headers } = response;
    const body = await readBody(response);
    if (body === null) throw documentTooLarge(url.origin);
    // A response with such a status has no body.
    return new Response(status === 204 ? null : body, { status, statusText, headers });
  };
}

/** The body of a response; null if it is too large, whose rest aish does not read. */
async function readBody({ body }: Response): Promise<Uint8Array<ArrayBuffer> | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    size += part.length;
    if (size > MAX_BYTES) return null;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Ranges that a public server has no business with (RFC 1918, 4193, 6598, 3927). */
const PRIVATE =
  /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|169\.254\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|0\.|::1$|::$|f[cd][0-9a-f]{2}:|fe[89ab][0-9a-f]:|::ffff:)/i;

async function isPrivateAddress(hostname: string): Promise<boolean> {
  if (isLoopbackHost(hostname)) return true;
  const host = hostname.replace(/^\[|\]$/g, '');
  const addresses = await lookup(host, { all: true }).catch(() => []);
  return PRIVATE.test(host) || addresses.some(({ address }) => PRIVATE.test(address));
}

/** A listener on this machine to which the browser returns after a login. */
interface Loopback {
  readonly url: string;
  /** The parameters of the first return with our state. */
  readonly returned: Promise<URLSearchParams>;
  close(): void;
}

/** Opens a listener; `preferred` is the address of an earlier registration, taken again if it is free. */
export function openLoopback(
  state: string,
  preferred: { readonly url: string | null; readonly port: number | null },
): Loopback {
  const before = preferred.url === null ? null : new URL(preferred.url);
  const path = before?.pathname ?? `/callback/${crypto.randomUUID()}`;
  const { promise, resolve } = Promise.withResolvers<URLSearchParams>();
  const serve = (port: number) =>
    Bun.serve({
      hostname: '127.0.0.1',
      port,
      // An error page of Bun would show code.
      development: false,
      fetch: (request) => {
        const { pathname, searchParams } = new URL(request.url);
        if (pathname !== path || searchParams.get('state') !== state) return page(LOGIN_NOT_OURS, 404);
        resolve(searchParams);
        return page(LOGIN_DONE, 200);
      },
    });
  const server = listen(serve, preferred.port ?? (before === null ? 0 : Number(before.port)), preferred.port !== null);
  return { url: `http://127.0.0.1:${server.port}${path}`, returned: promise, close: () => void server.stop() };
}

/** A port that the user names is the only one; another one may be in use by now. */
function listen<T>(serve: (port: number) => T, port: number, isFixed: boolean): T {
  try {
    return serve(port);
  } catch (thrown) {
    if (isFixed || port === 0) throw thrown;
    return serve(0);
  }
}

function page(text: string, status: number): Response {
  const headers = {
    'content-type': 'text/plain; charset=utf-8',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  };
  return new Response(`${text}\n`, { status, headers });
}
