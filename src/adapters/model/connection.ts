import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import { AishError } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import { type Stopped, toNetworkError } from './model-error.ts';
import { type ModelEndpoint, openRequest } from './models.ts';

/** One HTTP request as a wire writes it. Key and common headers are added by the connection. */
interface WireRequest {
  readonly url: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A report of a server beside its answer. */
export type ServerSign =
  /** The request waits for its turn. */
  | { readonly type: 'queued' }
  /** The share of the prompt that is read, from 0 to 100. */
  | { readonly type: 'reading'; readonly percent: number }
  /** Only llama.cpp sends such timings. */
  | { readonly type: 'llama.cpp' };

/** A response as `fetch` gives it. The body ends early if the connection breaks. */
interface WireResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly body: AsyncIterable<Uint8Array>;
}

/**
 * The connection that every wire uses for one request. Limits of silence, redirects, proxies, keys and aborts are handled here, so no wire
 * handles them.
 */
export interface WireConnection {
  readonly endpoint: ModelEndpoint;
  /** Sends the request. The caller's signal ends it, and so does silence. */
  readonly open: (request: WireRequest) => Promise<WireResponse>;
  /** Passes a part of the answer on. */
  readonly onDelta: (delta: CompletionDelta) => void;
  /** The answer has grown. Tool calls grow without a delta. */
  readonly onGrowth: () => void;
  /** Passes on what the server says beside its answer. */
  readonly onSign: (sign: ServerSign) => void;
  /** The connection broke, so the end of the body is not the end of the response. */
  readonly isBroken: () => boolean;
}

/** A language of model servers: it writes a request, and reads the response, in its own form. */
export interface Wire {
  /** Sends one request and reads its answer. A fault of the answer is returned; only errors of the connection are thrown. */
  answer(request: ModelRequest, connection: WireConnection): Promise<AnswerReading>;
}

/** Longest wait for the tail of a finished response, so that the connection can be used again. */
const TAIL_MS = 50;

const NOTHING = new Uint8Array(0);

/** The part of a body's reader that is used here: iterating over a body would load more code. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** Receives what happens on a connection. */
export interface ConnectionHooks {
  readonly onDelta: (delta: CompletionDelta) => void;
  /** The body that has just left. */
  readonly onBody: (body: string) => void;
  /** Receives what the server says beside its answer. */
  readonly onSign: (sign: ServerSign) => void;
}

/** One request and its response. The caller's signal stops it, and so does silence. */
export class ModelConnection implements WireConnection {
  readonly endpoint: ModelEndpoint;
  readonly #hooks: ConnectionHooks;
  readonly #signal: AbortSignal;
  readonly #controller = new AbortController();
  #stopped: Stopped = null;
  #timer: Timer | undefined;
  #body: BodyReader | undefined;
  #ended = false;
  /** The connection broke before the end of the response. */
  #isBroken = false;
  /** When the response last grew, in milliseconds of a monotonic clock. */
  #grownAt = performance.now();

  constructor(endpoint: ModelEndpoint, signal: AbortSignal, hooks: ConnectionHooks) {
    this.endpoint = endpoint;
    this.#hooks = hooks;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#stop('aborted');
  }

  readonly open = async ({ url, body, headers }: WireRequest): Promise<WireResponse> => {
    this.#watch('first-byte');
    const opening = openRequest(this.endpoint, url, omitUndefined({ body, headers }), this.#controller.signal);
    // Sent first: the bookkeeping in `onBody` runs while the request travels.
    this.#hooks.onBody(body);
    const response = await opening;
    this.#body = response.body?.getReader();
    return { status: response.status, headers: response.headers, body: this.#bytes() };
  };

  readonly onDelta = (delta: CompletionDelta): void => {
    if (this.#stopped === null) this.#hooks.onDelta(delta);
  };

  readonly onGrowth = (): void => {
    this.#grownAt = performance.now();
  };

  readonly onSign = (sign: ServerSign): void => {
    if (sign.type === 'reading') {
      // A prompt of which more is read is no idle connection, and the next part of it may take as long as a first byte.
      this.onGrowth();
      if (sign.percent < 100) this.#watch('first-byte');
    }
    if (this.#stopped === null) this.#hooks.onSign(sign);
  };

  readonly isBroken = (): boolean => this.#isBroken;

  /** The error that a wire ended with, in words. */
  explain(thrown: unknown): AishError {
    if (this.#stopped !== null) return toNetworkError(thrown, this.endpoint, this.#stopped);
    return thrown instanceof AishError ? thrown : toNetworkError(thrown, this.endpoint, null);
  }

  /** Releases the connection: at once if the response is incomplete, else after its last bytes. */
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
      if (this.#stopped !== null) throw toNetworkError(null, this.endpoint, this.#stopped);
      this.#ended = next === undefined || next.done === true;
      if (next === undefined || next.done) return null;
      this.#watch('idle');
      // aish gives up on a server that keeps a connection alive and sends no part of a response.
      if (performance.now() - this.#grownAt > this.endpoint.timeouts.barrenMs) this.#stop('barren');
      return next.value ?? NOTHING;
    } catch (thrown) {
      this.#ended = true;
      if (this.#stopped !== null) throw toNetworkError(thrown, this.endpoint, this.#stopped);
      this.#isBroken = true;
      return null;
    }
  }

  async #readTail(body: BodyReader): Promise<void> {
    const timer = setTimeout(() => this.#controller.abort(), TAIL_MS);
    try {
      const tail = await body.read();
      if (!tail.done) this.#controller.abort();
    } catch {
      // The response is complete; how the connection ends does not matter.
    } finally {
      clearTimeout(timer);
    }
  }

  #watch(limit: 'first-byte' | 'idle'): void {
    clearTimeout(this.#timer);
    const { firstByteMs, idleMs } = this.endpoint.timeouts;
    this.#timer = setTimeout(() => this.#stop(limit), limit === 'idle' ? idleMs : firstByteMs);
  }

  readonly #onAbort = (): void => this.#stop('aborted');

  #stop(why: Exclude<Stopped, null>): void {
    if (this.#stopped !== null) return;
    this.#stopped = why;
    this.#controller.abort();
  }
}
