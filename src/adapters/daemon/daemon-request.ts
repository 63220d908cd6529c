import { AishError, type ErrorFact } from '../../protocol/error.ts';
import { isJsonObject, omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import { connectionLost, noDaemon, refused } from './messages.ts';

/** The address of a daemon: a socket of this login, or loopback TCP with its token. */
export type DaemonAddress =
  | { readonly type: 'socket'; readonly path: string }
  | { readonly type: 'url'; readonly url: string; readonly token: string };

interface DaemonRequest {
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
      ...omitUndefined({ signal: request.signal }),
      ...(address.type === 'socket' ? { unix: address.path } : {}),
    });
  } catch (cause) {
    throw toConnectionError(address, cause);
  }
}

/** The body of an answer; a connection that breaks in the middle of it is the same error as one that breaks before. */
export async function readText(address: DaemonAddress, response: Response): Promise<string> {
  try {
    return await response.text();
  } catch (cause) {
    throw toConnectionError(address, cause);
  }
}

/** Whether an error is of the connection, and the same request may do better later. */
export function isConnectionError(thrown: unknown): boolean {
  return thrown instanceof AishError && (thrown.code === 'daemon.unreachable' || thrown.code === 'daemon.lost');
}

/** Nobody listens, or somebody did and the connection broke: then nobody knows what became of the request. */
function toConnectionError(address: DaemonAddress, cause: unknown): AishError {
  const place = address.type === 'socket' ? address.path : address.url;
  if (cause instanceof Error && 'code' in cause && cause.code === 'ECONNRESET') return connectionLost(place, cause);
  return noDaemon(place, cause);
}

/** The error a refused request was answered with. */
export async function toRefusal(response: Response): Promise<AishError> {
  const text = await response.text();
  const error = readErrorFact(text);
  if (error === null) return refused(response.status, text);
  return new AishError(error.code, error.message, error.hint === undefined ? {} : { hint: error.hint });
}

/** The error in the body of an answer; null where there is none. */
export function readErrorFact(text: string): ErrorFact | null {
  const { error } = parseJsonObject(text) ?? {};
  const { code, message, hint } = isJsonObject(error) ? error : {};
  if (typeof code !== 'string' || typeof message !== 'string') return null;
  return typeof hint === 'string' ? { code, message, hint } : { code, message };
}
