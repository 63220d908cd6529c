import { AishError } from '../../protocol/error.ts';
import { isDurable, type Recorded } from '../../protocol/event.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { EventStreamReader } from '../model/sse.ts';
import { type DaemonAddress, sendRequest, toRefusal } from './daemon-request.ts';

/** How long a lost daemon is looked for. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 25;
const LONGEST_PAUSE_MS = 1000;

/** The one thing a body is asked for. */
interface Body {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/**
 * Follows a session's events over HTTP. It connects at once, so nothing that happens after its making is missed, and reads
 * only as fast as its reader does. A stream that breaks off is taken up again behind the last fact that was handed on.
 */
export class EventFollower implements AsyncIterableIterator<Recorded> {
  readonly #address: DaemonAddress;
  readonly #sessionId: string;
  readonly #onEnd: () => void;
  readonly #abort = new AbortController();
  readonly #ready: Recorded[] = [];
  #body: Promise<Body>;
  #parser = new EventStreamReader();
  #after: number;
  #ended = false;
  #closed = false;

  constructor(address: DaemonAddress, sessionId: string, after: number, onEnd: () => void) {
    this.#address = address;
    this.#sessionId = sessionId;
    this.#after = after;
    this.#onEnd = onEnd;
    this.#body = this.#connect();
    this.#body.catch(() => {}); // Told to whoever reads next.
  }

  /** Settles when the daemon has taken this reader in, or cannot. */
  async opened(): Promise<void> {
    await this.#body.catch(() => {});
  }

  async next(): Promise<IteratorResult<Recorded>> {
    while (!this.#ended) {
      const recorded = this.#ready.shift();
      if (recorded !== undefined) return { done: false, value: recorded };
      if (this.#closed) break;
      await this.#read();
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<Recorded>> {
    this.#ended = true;
    this.#abort.abort();
    this.#onEnd();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #connect(): Promise<Body> {
    const path = `/sessions/${encodeURIComponent(this.#sessionId)}/events`;
    const headers = { 'last-event-id': String(this.#after), accept: 'text/event-stream' };
    const response = await sendRequest(this.#address, { path, headers, signal: this.#abort.signal });
    if (!response.ok || response.body === null) throw await toRefusal(response);
    return response.body.getReader();
  }

  async #read(): Promise<void> {
    const body = await this.#body.catch((thrown) => this.#fail(thrown));
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
    if (isDurable(recorded.event)) {
      if (recorded.seq <= this.#after) return;
      this.#after = recorded.seq;
    }
    this.#ready.push(recorded);
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
        const lost = thrown instanceof AishError && thrown.code === 'daemon.unreachable';
        if (this.#ended) return;
        if (!lost || Date.now() > until) return void (await this.#fail(thrown));
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
  ) {
    return value as unknown as Recorded;
  }
  throw new AishError('daemon.protocol', `the daemon sent what is no event: ${data.slice(0, 200)}`, {
    hint: 'both ends must be aish of one release',
  });
}
