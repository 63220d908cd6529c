import { AishError } from '../../protocol/error.ts';
import { isJsonObject } from '../../protocol/json.ts';

/** Where a daemon listens: a socket of this login, or loopback TCP with its token. */
export type DaemonAddress =
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'url'; readonly url: string; readonly token: string };

/** One request to a daemon. */
export interface DaemonRequest {
  readonly method?: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** Sends a request; a daemon that cannot be reached is one clear error. The answer may be of any status. */
export async function sendRequest(address: DaemonAddress, request: DaemonRequest): Promise<Response> {
  const base = address.type === 'socket' ? 'http://localhost' : address.url.replace(/\/$/, '');
  const headers: Record<string, string> = { ...request.headers };
  if (address.type === 'url') headers.authorization = `Bearer ${address.token}`;
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  try {
    return await fetch(`${base}${request.path}`, {
      method: request.method ?? 'GET',
      headers,
      timeout: false,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      ...(request.signal === undefined ? {} : { signal: request.signal }),
      ...(address.type === 'socket' ? { unix: address.path } : {}),
    });
  } catch (cause) {
    const place = address.type === 'socket' ? address.path : address.url;
    throw new AishError('daemon.unreachable', `no daemon answers at ${place}: ${String(cause)}`, {
      hint: 'start one with: aish serve',
      cause,
    });
  }
}

/** The error a refused request was answered with. */
export async function toRefusal(response: Response): Promise<AishError> {
  const text = await response.text();
  const { code, message, hint } = readError(text);
  const said = message ?? `the daemon answered ${response.status}: ${text.slice(0, 200)}`;
  return new AishError(code ?? 'daemon.refused', said, hint === undefined ? {} : { hint });
}

function readError(text: string): { code?: string; message?: string; hint?: string } {
  try {
    const body: unknown = JSON.parse(text);
    const error = isJsonObject(body) && isJsonObject(body.error) ? body.error : {};
    const { code, message, hint } = error;
    return {
      ...(typeof code === 'string' ? { code } : {}),
      ...(typeof message === 'string' ? { message } : {}),
      ...(typeof hint === 'string' ? { hint } : {}),
    };
  } catch {
    return {};
  }
}
