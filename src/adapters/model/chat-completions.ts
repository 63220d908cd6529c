import type { AnswerReading } from '../../core/model/completion-assembler.ts';
import type { AnswerFault } from '../../core/model/server-fault.ts';
import { AishError } from '../../protocol/error.ts';
import type { Completion, CompletionDelta, ModelRequest } from '../../protocol/model.ts';
import { type ConnectionHooks, ModelConnection } from './connection.ts';
import { formatLoading, formatRateLimit, RESPONSE_ENDED } from './messages.ts';
import { isLoading, toLine, toModelError } from './model-error.ts';
import { listModels, nameModel } from './model-list.ts';
import { type ModelEndpoint, toResourceUrl } from './models.ts';
import { readResponse } from './response.ts';
import type { Wire } from './wire.ts';
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

/** Chat completions: the wire of every local server and of most hosted ones. */
const chatWire: Wire = {
  async answer(request, { endpoint, open, onDelta, onGrowth, isBroken }) {
    const body = JSON.stringify(toWireBody(endpoint, request));
    const response = await open({ url: toResourceUrl(endpoint.baseUrl, 'chat/completions'), body });
    return readResponse(response, onDelta, { onGrowth, isBroken });
  },
};

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
  const wire = chatWire;
  let isRepeated = false;
  const onBody = (body: string): void => {
    if (!isRepeated) options.onBody?.(body, named);
    isRepeated = true;
  };
  for (;;) {
    const { fault, finish, ...whole } = await send(wire, named, request, { onDelta, onBody }, signal);
    if (fault === null && finish !== null) {
      if (named !== endpoint) options.onNamed?.(named);
      return { ...whole, finish };
    }
    const why = fault ?? { kind: 'incomplete_stream', message: RESPONSE_ENDED };
    const waitMs = retries.waitFor(why);
    if (waitMs === null) throw await toModelError(why, named, () => listNames(named, signal));
    await waitOut(waitMs, signal);
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
  wire: Wire,
  endpoint: ModelEndpoint,
  request: ModelRequest,
  hooks: ConnectionHooks,
  signal: AbortSignal,
): Promise<AnswerReading> {
  await using connection = new ModelConnection(endpoint, signal, hooks);
  try {
    return await wire.answer(request, connection);
  } catch (thrown) {
    throw connection.explain(thrown);
  }
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
