/** True when the promise settles in time, false when the time is over first. Leaves no timer behind. */
export async function settlesWithin(promise: Promise<unknown>, limitMs: number): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.resolve(false), limitMs);
  const settled = promise.then(
    () => true,
    () => true,
  );
  try {
    return await Promise.race([settled, late.promise]);
  } finally {
    clearTimeout(timer);
  }
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
