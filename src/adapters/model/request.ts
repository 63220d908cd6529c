import { AishError } from '../../protocol/error.ts';
import { isLoopback, type ModelEndpoint } from './models.ts';

/**
 * Sends one request. A redirect is handed back unfollowed, since following it would carry key and conversation elsewhere;
 * this machine is reached directly whatever proxy is set.
 */
export async function openRequest(
  endpoint: ModelEndpoint,
  url: string,
  options: { readonly body?: string },
  signal: AbortSignal,
): Promise<Response> {
  const headers: Record<string, string> = { accept: 'application/json, text/event-stream', 'user-agent': 'aish' };
  if (endpoint.key !== null) headers.authorization = `Bearer ${checkKey(endpoint.key, endpoint)}`;
  if (options.body !== undefined) headers['content-type'] = 'application/json';
  return fetch(url, {
    method: options.body === undefined ? 'GET' : 'POST',
    headers,
    ...(options.body === undefined ? {} : { body: options.body }),
    signal,
    redirect: 'manual',
    ...(isLoopback(endpoint.baseUrl) ? { proxy: false as const } : {}),
  });
}

function checkKey(key: string, endpoint: ModelEndpoint): string {
  if (/^[\x21-\x7e]+$/.test(key)) return key;
  throw new AishError('model.bad-key', `the key of model "${endpoint.name}" holds characters no key can have`, {
    hint: `set ${endpoint.keyEnv ?? 'the variable'} again; a line break or a quotation mark may have been copied with it`,
  });
}
