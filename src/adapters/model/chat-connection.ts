import type { AnswerReading } from '../../core/completion-assembler.ts';
import { AishError } from '../../protocol/error.ts';
import type { CompletionDelta } from '../../protocol/model.ts';
import { type Stopped, toNetworkError } from './model-error.ts';
import { type ModelEndpoint, toResourceUrl } from './models.ts';
import { openRequest } from './request.ts';
import { readResponse } from './response.ts';

/** How long the tail of a finished answer is waited for, so that the connection can be used again. */
const TAIL_MS = 50;

const NOTHING = new Uint8Array(0);

/** As much of a body's reader as is needed here: to iterate over a body loads more than to read it. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** One request and its answer, watched: it is stopped by the caller's signal and by silence. */
export class ChatConnection {
  readonly #endpoint: ModelEndpoint;
  readonly #signal: AbortSignal;
  readonly #controller = new AbortController();
  #stopped: Stopped = null;
  #timer: Timer | undefined;
  #body: BodyReader | undefined;
  #ended = false;

  constructor(endpoint: ModelEndpoint, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#stop('aborted');
  }

  /** Sends the body and reads the answer to its end. A connection that breaks ends the answer; the reader sees if it was whole. */
  async read(body: string, onDelta: (delta: CompletionDelta) => void): Promise<AnswerReading> {
    this.#watch('first-byte');
    try {
      const url = toResourceUrl(this.#endpoint.baseUrl, 'chat/completions');
      const response = await openRequest(this.#endpoint, url, { body }, this.#controller.signal);
      this.#body = response.body?.getReader();
      return await readResponse(
        { status: response.status, headers: response.headers, body: this.#bytes() },
        (delta) => {
          if (this.#stopped === null) onDelta(delta);
        },
      );
    } catch (thrown) {
      throw thrown instanceof AishError ? thrown : toNetworkError(thrown, this.#endpoint, this.#stopped);
    }
  }

  /** Lets go of the connection: at once when the answer did not end, else after its last bytes. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    this.#signal.removeEventListener('abort', this.#onAbort);
    if (this.#ended || this.#body === undefined) return;
    void this.#readTail(this.#body);
  }

  async *#bytes(): AsyncGenerator<Uint8Array, void, void> {
    for (;;) {
      const next = await this.#next();
      if (next === null) return;
      yield next;
    }
  }

  async #next(): Promise<Uint8Array | null> {
    try {
      const next = await this.#body?.read();
      if (this.#stopped !== null) throw toNetworkError(null, this.#endpoint, this.#stopped);
      this.#ended = next === undefined || next.done === true;
      if (next === undefined || next.done) return null;
      this.#watch('idle');
      return next.value ?? NOTHING;
    } catch (thrown) {
      this.#ended = true;
      if (this.#stopped !== null) throw toNetworkError(thrown, this.#endpoint, this.#stopped);
      return null;
    }
  }

  async #readTail(body: BodyReader): Promise<void> {
    const timer = setTimeout(() => this.#controller.abort(), TAIL_MS);
    try {
      const tail = await body.read();
      if (!tail.done) this.#controller.abort();
    } catch {
      // The answer was whole before; how the connection ends does not matter.
    } finally {
      clearTimeout(timer);
    }
  }

  #watch(limit: 'first-byte' | 'idle'): void {
    clearTimeout(this.#timer);
    const { firstByteMs, idleMs } = this.#endpoint.timeouts;
    this.#timer = setTimeout(() => this.#stop(limit), limit === 'idle' ? idleMs : firstByteMs);
  }

  readonly #onAbort = (): void => this.#stop('aborted');

  #stop(why: Exclude<Stopped, null>): void {
    if (this.#stopped !== null) return;
    this.#stopped = why;
    this.#controller.abort();
  }
}
