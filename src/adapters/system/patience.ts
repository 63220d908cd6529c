/** The outcome of a promise, or undefined when the time is over first; the work behind it goes on. Leaves no timer behind. */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), limitMs);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** True when the promise settles in time, however it does; false when the time is over first. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const settled = (): boolean => true;
  return (await withTimeout(promise.then(settled, settled), limitMs)) ?? false;
}

/** The promise's outcome, or the signal's reason when that comes first; the work behind the promise goes on. */
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
