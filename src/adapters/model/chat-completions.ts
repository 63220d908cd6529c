import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import type { AnswerFault } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import { formatLoading, formatRateLimit, RESPONSE_ENDED } from './messages.ts';
import { isLoading, type Stopped, toLine, toModelError, toNetworkError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import { type ModelEndpoint, openRequest, toResourceUrl } from './models.ts';
import { readResponse } from './response.ts';
import { toWireBody } from './wire-body.ts';

/** Callbacks for a caller that waits. */
export interface RequestOptions {
  /** One line for users: why nothing comes yet. */
  readonly onStatus?: (text: string) => void;
  /** The endpoint with the model its server named, once that name has answered. */
  readonly onNamed?: (endpoint: ModelEndpoint) => void;
  /** The body that has just left, and the endpoint it was made for. */
  readonly onBody?: (body: string, endpoint: ModelEndpoint) => void;
}

/** Longest `Retry-After` that aish waits for. */
const LONGEST_PAUSE = 20_000;
const MOST_PAUSES = 2;
const LIST_LIMIT_MS = 3000;

/**
 * Sends a request to a model and streams its response. aish repeats the request only if no response had begun: while the server
 * loads the model, and at most twice after a short `Retry-After`. Every failure is an AishError with a code `model.*`.
 */
export async function requestCompletion(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
  options: RequestOptions = {},
): Promise<Completion> {
  const retries = new RetryPolicy(endpoint, options);
  const named = await nameWhenLoaded(endpoint, retries, signal);
  const body = JSON.stringify(toWireBody(named, request));
  // Sent first: the bookkeeping in `onBody` runs while the request travels.
  let reading = send(named, body, onDelta, signal);
  options.onBody?.(body, named);
  for (;;) {
    const { fault, finish, ...whole } = await reading;
    if (fault === null && finish !== null) {
      if (named !== endpoint) options.onNamed?.(named);
      return { ...whole, finish };
    }
    const why = fault ?? { kind: 'incomplete_stream', message: RESPONSE_ENDED };
    const waitMs = retries.waitFor(why);
    if (waitMs === null) throw await toModelError(why, named, () => listNames(named, signal));
    await waitOut(waitMs, signal);
    reading = send(named, body, onDelta, signal);
  }
}

async function nameWhenLoaded(
  endpoint: ModelEndpoint,
  retries: RetryPolicy,
  signal: AbortSignal,
): Promise<ModelEndpoint> {
  for (;;) {
    try {
      return await nameModel(endpoint, signal);
    } catch (thrown) {
      const loading = thrown instanceof AishError && thrown.code === 'model.loading';
      const waitMs = loading ? retries.waitFor({ kind: 'server', message: 'Loading model', status: 503 }) : null;
      if (waitMs === null) throw thrown;
      await waitOut(waitMs, signal);
    }
  }
}

/** Waits. After an abort it returns early, and the request after it reports the abort. */
async function waitOut(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  const onAbort = (): void => over.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (!signal.aborted) await over.promise;
  signal.removeEventListener('abort', onAbort);
  clearTimeout(timer);
}

async function send(
  endpoint: ModelEndpoint,
  body: string,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
): Promise<AnswerReading> {
  await using connection = new ChatConnection(endpoint, signal);
  return await connection.read(body, onDelta);
}

/** Counts the waits of one request and decides about the next one. */
class RetryPolicy {
  readonly #endpoint: ModelEndpoint;
  readonly #options: RequestOptions;
  #pauses = 0;
  #loadingMs = 0;
  #loadingWait = 250;

  constructor(endpoint: ModelEndpoint, options: RequestOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** Milliseconds to wait before the next try; null to give up. */
  waitFor(fault: AnswerFault): number | null {
    if (isLoading(fault)) return this.#waitForModel();
    if (fault.status !== 429 || fault.retryAfterMs === undefined) return null;
    if (fault.retryAfterMs > LONGEST_PAUSE || this.#pauses >= MOST_PAUSES) return null;
    this.#pauses += 1;
    const seconds = Math.ceil(fault.retryAfterMs / 1000);
    const retry = `${this.#pauses} of ${MOST_PAUSES}`;
    const said = toLine(fault.message, this.#endpoint);
    this.#options.onStatus?.(formatRateLimit(this.#endpoint.name, seconds, retry, said));
    return fault.retryAfterMs;
  }

  #waitForModel(): number | null {
    if (this.#loadingMs >= this.#endpoint.timeouts.firstByteMs) return null;
    if (this.#loadingMs === 0) this.#options.onStatus?.(formatLoading(this.#endpoint.name));
    const wait = this.#loadingWait;
    this.#loadingMs += wait;
    this.#loadingWait = Math.min(2000, wait * 2);
    return wait;
  }
}

/** The models that a server lists, for an error; empty if it lists none. */
async function listNames(endpoint: ModelEndpoint, signal: AbortSignal): Promise<string[]> {
  try {
    return (await listModels(endpoint, signal, LIST_LIMIT_MS)).map((model) => model.id);
  } catch {
    return [];
  }
}

/** Longest wait for the tail of a finished response, so that the connection can be used again. */
const TAIL_MS = 50;

const NOTHING = new Uint8Array(0);

/** The part of a body's reader that is used here: iterating over a body would load more code. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** One request and its response. The caller's signal stops it, and so does silence. */
class ChatConnection {
  readonly #endpoint: ModelEndpoint;
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

  constructor(endpoint: ModelEndpoint, signal: AbortSignal) {
    this.#endpoint = endpoint;
    this.#signal = signal;
    signal.addEventListener('abort', this.#onAbort, { once: true });
    if (signal.aborted) this.#stop('aborted');
  }

  /** Sends the body and reads the response to its end. A broken connection ends the response; the reader sees whether it is complete. */
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
        {
          isBroken: () => this.#isBroken,
          onGrowth: () => {
            this.#grownAt = performance.now();
          },
        },
      );
    } catch (thrown) {
      throw thrown instanceof AishError ? thrown : toNetworkError(thrown, this.#endpoint, this.#stopped);
    }
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
      if (this.#stopped !== null) throw toNetworkError(null, this.#endpoint, this.#stopped);
      this.#ended = next === undefined || next.done === true;
      if (next === undefined || next.done) return null;
      this.#watch('idle');
      // aish gives up on a server that keeps a connection alive and sends no part of a response.
      if (performance.now() - this.#grownAt > this.#endpoint.timeouts.barrenMs) this.#stop('barren');
      return next.value ?? NOTHING;
    } catch (thrown) {
      this.#ended = true;
      if (this.#stopped !== null) throw toNetworkError(thrown, this.#endpoint, this.#stopped);
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
