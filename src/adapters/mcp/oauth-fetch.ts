import { lookup } from 'node:dns/promises';
import type { FetchLike } from '@modelcontextprotocol/client';
import { isLoopbackHost } from '../../core/text/address.ts';
import { documentTooLarge, unsafeEndpoint } from './messages.ts';

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
