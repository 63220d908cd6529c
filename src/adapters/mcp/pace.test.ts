import { expect, test } from 'bun:test';
import { Pace } from './pace.ts';

test('a pace lets a burst through at once, and what follows waits or is called off', async () => {
  const stop = new AbortController();
  const pace = new Pace(0.001, 3);
  expect([2, 1].map((count) => pace.wait(count, stop.signal))).toEqual([undefined, undefined]);
  const waiting = pace.wait(1, stop.signal);
  expect(waiting).toBeInstanceOf(Promise);
  stop.abort();
  await waiting;
});
