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
