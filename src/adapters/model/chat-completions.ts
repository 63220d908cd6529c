import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import type { AnswerFault } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import { isLoading, type Stopped, toLine, toModelError, toNetworkError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import { type ModelEndpoint, openRequest, toResourceUrl } from './models.ts';
import { readResponse } from './response.ts';
import { toWireBody } from './wire-body.ts';

/** What a caller may be told while it waits. */
export interface RequestOptions {
  /** One line for users: why nothing comes yet. */
  readonly onStatus?: (text: string) => void;
  /** The endpoint with the model its server named, once that name has answered. */
  readonly onNamed?: (endpoint: ModelEndpoint) => void;
  /** The body that has just left, and the endpoint it was made for. */
  readonly onBody?: (body: string, endpoint: ModelEndpoint) => void;
}

/** Longest pause a server may ask for that is waited out here. */
const LONGEST_PAUSE = 20_000;
const MOST_PAUSES = 2;
const LIST_LIMIT_MS = 3000;

/**
 * Asks a model and streams its answer. It is asked again only where nothing had begun: while the server loads the model, and
 * twice at most after a short pause it asked for. Every failure is an AishError with a code `model.*`.
 */
export async function requestCompletion(
  endpoint: ModelEndpoint,
  request: ModelRequest,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
  options: RequestOptions = {},
): Promise<Completion> {
  const patience = new Patience(endpoint, options);
  const named = await nameWhenLoaded(endpoint, patience, signal);
  const body = JSON.stringify(toWireBody(named, request));
  // It leaves first: what is to be done about it is done while it travels.
  let asked = ask(named, body, onDelta, signal);
  options.onBody?.(body, named);
  for (;;) {
    const { fault, finish, ...whole } = await asked;
    if (fault === null && finish !== null) {
      if (named !== endpoint) options.onNamed?.(named);
      return { ...whole, finish };
    }
    const why = fault ?? { kind: 'incomplete_stream', message: 'the response stream ended unexpectedly' };
    const waitMs = patience.waitFor(why);
    if (waitMs === null) throw await toModelError(why, named, () => listNames(named, signal));
    await waitOut(waitMs, signal);
    asked = ask(named, body, onDelta, signal);
  }
}

async function nameWhenLoaded(
  endpoint: ModelEndpoint,
  patience: Patience,
  signal: AbortSignal,
): Promise<ModelEndpoint> {
  for (;;) {
    try {
      return await nameModel(endpoint, signal);
    } catch (thrown) {
      const loading = thrown instanceof AishError && thrown.code === 'model.loading';
      const waitMs = loading ? patience.waitFor({ kind: 'server', message: 'Loading model', status: 503 }) : null;
      if (waitMs === null) throw thrown;
      await waitOut(waitMs, signal);
    }
  }
}

/** A pause. That it was aborted is told by the request after it, like every other abort. */
async function waitOut(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  const onAbort = (): void => over.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (!signal.aborted) await over.promise;
  signal.removeEventListener('abort', onAbort);
  clearTimeout(timer);
}

async function ask(
  endpoint: ModelEndpoint,
  body: string,
  onDelta: (delta: CompletionDelta) => void,
  signal: AbortSignal,
): Promise<AnswerReading> {
  await using connection = new ChatConnection(endpoint, signal);
  return await connection.read(body, onDelta);
}

/** How long one request has been put off, and how much longer it may be. */
class Patience {
  readonly #endpoint: ModelEndpoint;
  readonly #options: RequestOptions;
  #pauses = 0;
  #loadingMs = 0;
  #loadingWait = 250;

  constructor(endpoint: ModelEndpoint, options: RequestOptions) {
    this.#endpoint = endpoint;
    this.#options = options;
  }

  /** Milliseconds to wait before asking again; null to give up. */
  waitFor(fault: AnswerFault): number | null {
    if (isLoading(fault)) return this.#waitForModel();
    if (fault.status !== 429 || fault.retryAfterMs === undefined) return null;
    if (fault.retryAfterMs > LONGEST_PAUSE || this.#pauses >= MOST_PAUSES) return null;
    this.#pauses += 1;
    const seconds = Math.ceil(fault.retryAfterMs / 1000);
    this.#options.onStatus?.(
      `${this.#endpoint.name} asks for a pause of ${seconds} s: ${toLine(fault.message, this.#endpoint)}`,
    );
    return fault.retryAfterMs;
  }

  #waitForModel(): number | null {
    if (this.#loadingMs >= this.#endpoint.timeouts.firstByteMs) return null;
    if (this.#loadingMs === 0) this.#options.onStatus?.(`${this.#endpoint.name} is loading its model; waiting for it`);
    const wait = this.#loadingWait;
    this.#loadingMs += wait;
    this.#loadingWait = Math.min(2000, wait * 2);
    return wait;
  }
}

/** The names a server has, for an error; a server that does not say so has none. */
async function listNames(endpoint: ModelEndpoint, signal: AbortSignal): Promise<string[]> {
  try {
    return (await listModels(endpoint, signal, LIST_LIMIT_MS)).map((model) => model.id);
  } catch {
    return [];
  }
}

/** How long the tail of a finished answer is waited for, so that the connection can be used again. */
const TAIL_MS = 50;

const NOTHING = new Uint8Array(0);

/** As much of a body's reader as is needed here: to iterate over a body loads more than to read it. */
interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** One request and its answer, watched: it is stopped by the caller's signal and by silence. */
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
  /** When the answer grew last, in milliseconds that only count from each other. */
  #grownAt = performance.now();

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
      // A server that keeps a connection alive and answers nothing is given up after a while.
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
