import { NO_RETRIES, nextRetry, type RetryLimits, type RetryProgress } from '../../core/model/retry-policy.ts';
import type { RequestDelay } from '../../protocol/model.ts';
import { ModelFault } from './model-error.ts';
import { isNear, type ModelEndpoint } from './models.ts';

/** Time and chance for retries. */
export interface RetryClock {
  /** Waits. After an abort it returns early; the next try reports the abort. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>;
  /** From 0 up to 1. */
  random(): number;
}

const REAL_CLOCK: RetryClock = { wait: waitOut, random: Math.random };

/** The surroundings of retries. */
export interface RetryOptions {
  /** The server is not ready, and the request waits. */
  readonly onDelay?: (delay: RequestDelay) => void;
  /** The server has answered before, or aish runs it: if it refuses connections, it is starting. */
  readonly isExpected?: boolean;
  readonly clock?: RetryClock;
}

/** Repeats the requests of one answer, as long as no byte of it has come. All of them share one count. */
export class Retries {
  readonly #endpoint: ModelEndpoint;
  readonly #limits: RetryLimits;
  readonly #signal: AbortSignal;
  readonly #options: RetryOptions;
  #progress: RetryProgress = NO_RETRIES;

  constructor(endpoint: ModelEndpoint, signal: AbortSignal, options: RetryOptions = {}) {
    const { baseUrl, timeouts } = endpoint;
    this.#endpoint = endpoint;
    this.#limits = {
      isNear: isNear(baseUrl),
      firstByteMs: timeouts.firstByteMs,
      isExpected: options.isExpected === true,
    };
    this.#signal = signal;
    this.#options = options;
  }

  /** Does the work, and again after each setback that may pass. Any wire can use it: it throws a `ModelFault` for a failed try. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await work();
      } catch (thrown) {
        if (this.#signal.aborted || !(await this.#waitAfter(thrown))) throw thrown;
      }
    }
  }

  async #waitAfter(thrown: unknown): Promise<boolean> {
    if (!(thrown instanceof ModelFault) || thrown.setback === null) return false;
    const { onDelay, clock = REAL_CLOCK } = this.#options;
    const { setback, said } = thrown;
    const retry = nextRetry(this.#progress, setback, this.#limits, clock.random());
    if (retry === null) return false;
    const { progress, ...rest } = retry;
    this.#progress = progress;
    // A model that loads is reported once: there is no time to count down to.
    if (setback.reason !== 'loading' || rest.attempt === 1)
      onDelay?.({ reason: setback.reason, model: this.#endpoint.name, ...rest, said });
    await clock.wait(rest.waitMs, this.#signal);
    return true;
  }
}

async function waitOut(ms: number, signal: AbortSignal): Promise<void> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, ms);
  const onAbort = (): void => over.resolve();
  signal.addEventListener('abort', onAbort, { once: true });
  if (!signal.aborted) await over.promise;
  signal.removeEventListener('abort', onAbort);
  clearTimeout(timer);
}
