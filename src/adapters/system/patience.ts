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
