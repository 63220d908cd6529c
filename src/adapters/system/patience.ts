/** The outcome of a promise, or undefined after the time limit; its work continues. Leaves no timer. */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** True if the promise settles in time, false after the time limit. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = (): boolean => true;
  return (await withTimeout(promise.then(settled, settled), limitMs)) ?? false;
}

/** The promise's outcome, or the signal's reason if that comes first; the work continues. */
export async function orAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Lets keys and whatever else waits have their turn. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

/** Waits for a time, or less if the signal aborts. Does not keep the program alive. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  const over = Promise.withResolvers<void>();
  const end = (): void => over.resolve();
  const timer = setTimeout(end, ms);
  timer.unref();
  signal.addEventListener('abort', end, { once: true });
  await over.promise;
  clearTimeout(timer);
  signal.removeEventListener('abort', end);
}

/** The time from the decision about a call to its command, mostly. */
const CALL_MS = 50;

/** Keeps what was found last, for about as long as a call of the model takes: until it has run, the same is asked several times. */
export class Briefly<T> {
  #last: { readonly key: string; readonly at: number; readonly value: T } | null = null;

  /** The value that was found last, whatever its key; null if that is too long ago. */
  get kept(): T | null {
    const last = this.#last;
    return last !== null && performance.now() - last.at < CALL_MS ? last.value : null;
  }

  /** The value that was found last, if it has this key; null if that is too long ago. */
  get(key: string): T | null {
    return this.#last?.key === key ? this.kept : null;
  }

  /** Keeps a value and returns it. */
  set(key: string, value: T): T {
    this.#last = { key, at: performance.now(), value };
    return value;
  }
}

/** Time for what is drawn later: now, and something done once after a while. */
export interface Clock {
  /** Milliseconds; only differences count. */
  now(): number;
  /** Returns what calls it off. */
  later(milliseconds: number, run: () => void): () => void;
}

/** The real time. A timer of it keeps no program alive. */
export const REAL_CLOCK: Clock = {
  now: () => performance.now(),
  later: (milliseconds, run) => {
    const timer = setTimeout(run, milliseconds);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
