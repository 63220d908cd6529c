import { isDurable } from '../../protocol/durable-event.ts';
import { AishError, type ErrorFact } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import { isJsonObject, omitUndefined, parseJsonObject } from '../../protocol/json.ts';
import { EventStreamReader } from '../model/sse.ts';
import { connectionLost, invalidEvent, noDaemon, refused } from './messages.ts';

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
function isConnectionError(thrown: unknown): boolean {
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

/** How long a lost daemon is looked for. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

interface FollowerListener {
  /** Called with each event before its reader is handed it. */
  take?(recorded: Recorded): void;
  /** The reader has left, or the session has ended. May be called more than once. */
  ended(): void;
}

interface Body {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/**
 * Follows a session's events over HTTP. It connects at once, so nothing that happens after its making is missed, and reads
 * only as fast as its reader does. A stream that breaks off is taken up again behind the last event with an id that was handed on.
 */
export class EventFollower implements AsyncIterableIterator<Recorded> {
  readonly #address: DaemonAddress;
  readonly #sessionId: string;
  readonly #listener: FollowerListener;
  readonly #abort = new AbortController();
  readonly #ready: Recorded[] = [];
  #body: Promise<Body>;
  #parser = new EventStreamReader();
  #after: number;
  /** The last refusal or notice after it; null before the first connection stands. */
  #nth: number | null = null;
  #ended = false;
  #closed = false;

  constructor(address: DaemonAddress, sessionId: string, after: number, listener: FollowerListener) {
    this.#address = address;
    this.#sessionId = sessionId;
    this.#after = after;
    this.#listener = listener;
    this.#body = this.#connect();
    this.#body.catch(() => {}); // Told to anyone who reads next.
  }

  /** Settles when the daemon has taken this reader in, or cannot. */
  async opened(): Promise<void> {
    await this.#body.catch(() => {});
  }

  async next(): Promise<IteratorResult<Recorded>> {
    while (!this.#ended) {
      const recorded = this.#ready.shift();
      if (recorded !== undefined) {
        this.#listener.take?.(recorded);
        return { done: false, value: recorded };
      }
      if (this.#closed) break;
      await this.#read();
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<Recorded>> {
    this.#ended = true;
    this.#abort.abort();
    this.#listener.ended();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #connect(): Promise<Body> {
    const stream = `/sessions/${encodeURIComponent(this.#sessionId)}/events`;
    const isBack = this.#nth !== null;
    const path = isBack ? stream : `${stream}?after=${this.#after}`;
    const headers: Record<string, string> = { accept: 'text/event-stream' };
    if (isBack) headers['last-event-id'] = `${this.#after}.${this.#nth}`;
    const response = await sendRequest(this.#address, { path, headers, signal: this.#abort.signal });
    if (!response.ok || response.body === null) throw await toRefusal(response);
    this.#nth ??= 0;
    return response.body.getReader();
  }

  async #read(): Promise<void> {
    const body = await this.#body.catch((thrown) => this.#recover(thrown));
    if (body === null) return;
    const bytes = await readBytes(body);
    if (this.#ended) return;
    if (bytes === null) return this.#reconnect();
    for (const { type, data } of this.#parser.push(bytes)) {
      if (type === 'closed') this.#closed = true;
      else if (type !== 'overflow') this.#take(parseRecorded(data));
    }
  }

  #take(recorded: Recorded): void {
    const { seq, nth } = recorded;
    if (isDurable(recorded.event)) {
      if (seq <= this.#after) return;
      this.#after = seq;
      this.#nth = 0;
    } else if (nth !== undefined) this.#nth = nth;
    this.#ready.push(recorded);
  }

  /** Somebody was there, so the first connection broke like any later one does. */
  async #recover(thrown: unknown): Promise<null> {
    if (!(thrown instanceof AishError) || thrown.code !== 'daemon.lost' || this.#ended) return this.#fail(thrown);
    // An op submitted meanwhile may have been refused.
    this.#nth ??= 0;
    await this.#reconnect();
    return null;
  }

  async #fail(thrown: unknown): Promise<null> {
    if (this.#ended) return null;
    await this.return();
    throw thrown;
  }

  async #reconnect(): Promise<void> {
    this.#parser = new EventStreamReader();
    const until = Date.now() + PATIENCE_MS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
      try {
        this.#body = this.#connect();
        await this.#body;
        return;
      } catch (thrown) {
        if (this.#ended) return;
        if (!isConnectionError(thrown) || Date.now() > until) return void (await this.#fail(thrown));
        await Bun.sleep(pause);
      }
    }
  }
}

/** The next bytes; null when the connection is gone. */
async function readBytes(body: Body): Promise<Uint8Array | null> {
  try {
    const { done, value } = await body.read();
    return done ? null : (value ?? null);
  } catch {
    return null;
  }
}

function parseRecorded(data: string): Recorded {
  const value: unknown = JSON.parse(data);
  if (
    isJsonObject(value) &&
    typeof value.seq === 'number' &&
    isJsonObject(value.event) &&
    typeof value.event.type === 'string'
  )
    return value as unknown as Recorded;
  throw invalidEvent(data);
}
