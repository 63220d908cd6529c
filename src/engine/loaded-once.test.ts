import { expect, test } from 'bun:test';
import { LoadedOnce } from './loaded-once.ts';

test('nothing is loaded before it is wanted, and then once', async () => {
  let times = 0;
  const loaded = new LoadedOnce(() => Promise.resolve({ number: ++times }));
  expect(times).toBe(0);
  const first = await loaded.get();
  expect([await loaded.get(), times]).toEqual([first, 1]);
});
