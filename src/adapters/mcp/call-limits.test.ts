import { expect, test } from 'bun:test';
import { CallClock, Pace } from './call-limits.ts';

const never = new AbortController().signal;

/** Settles when the clock has ended the call. */
function expired(clock: CallClock): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  clock.signal.addEventListener('abort', () => resolve(), { once: true });
  return promise;
}

test('silence ends a call, and so does the limit of the whole', async () => {
  const silent = new CallClock({ silenceMs: 1, totalMs: 60_000, signal: never });
  const long = new CallClock({ silenceMs: 60_000, totalMs: 1, signal: never });
  await Promise.all([expired(silent), expired(long)]);
  expect([silent.isExpired, long.isExpired]).toEqual([true, true]);
  expect([silent.isOverTotal, long.isOverTotal]).toEqual([false, true]);
});

test('the clock stands still while the user is asked', async () => {
  const clock = new CallClock({ silenceMs: 20, totalMs: 20, signal: never });
  const other = new CallClock({ silenceMs: 60, totalMs: 60, signal: never });
  await clock.pauseFor(() => expired(other));
  expect(clock.isExpired).toBe(false);
  await expired(clock);
  expect(clock.isExpired).toBe(true);
});

test('a call that is stopped from outside has not run out of time', () => {
  const stop = new AbortController();
  const clock = new CallClock({ silenceMs: 60_000, totalMs: 60_000, signal: stop.signal });
  stop.abort();
  clock.stop();
  expect([clock.signal.aborted, clock.isExpired]).toEqual([true, false]);
});

test('a pace lets a burst through at once, and what follows waits or is called off', async () => {
  const stop = new AbortController();
  const pace = new Pace(0.001, 3);
  expect([2, 1].map((count) => pace.wait(count, stop.signal))).toEqual([undefined, undefined]);
  const waiting = pace.wait(1, stop.signal);
  expect(waiting).toBeInstanceOf(Promise);
  stop.abort();
  await waiting;
});
