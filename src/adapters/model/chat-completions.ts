import type { AnswerReading } from '../../core/completion-assembler.ts';
import type { AnswerFault } from '../../core/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import { ChatConnection } from './chat-connection.ts';
import { isLoading, toLine, toModelError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import type { ModelEndpoint } from './models.ts';
import { toWireBody } from './wire-body.ts';

/** What a caller may be told while it waits. */
export interface RequestOptions {
  /** One line for people: why nothing comes yet. */
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
    const why = fault ?? { kind: 'incomplete_stream', message: 'the answer has no end' };
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
