import { expect, test } from 'bun:test';
import { until } from './until.ts';

test('waiting settles with the first look that is taken', async () => {
  let looks = 0;
  const look = (): number => ++looks;
  expect(await until({ what: 'three looks', lookMs: 0 }, look, (seen) => seen === 3)).toBe(3);
  expect(looks).toBe(3);
});

test('waiting for what does not come tells what it was and how it looked last', async () => {
  const waiting = until(
    { what: 'a process', limitMs: 0, lookMs: 0 },
    () => ['none'],
    () => false,
  );
  expect(waiting).rejects.toThrow('a process: not within 0 s; last seen: [ "none" ]');
});
