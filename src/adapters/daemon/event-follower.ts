import { isDurable } from '../../protocol/durable-event.ts';
import { AishError } from '../../protocol/error.ts';
import type { Recorded } from '../../protocol/event.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { EventStreamReader } from '../model/sse.ts';
import { type DaemonAddress, isConnectionError, sendRequest, toRefusal } from './daemon-request.ts';
import { invalidEvent } from './messages.ts';

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
