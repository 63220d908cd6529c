import { afterAll, beforeAll, expect, test } from 'bun:test';
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSettled, stateOf } from '../system/folder-state.ts';
import { WhileUnchanged } from './while-unchanged.ts';

let root = '';
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'unchanged-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

test('a time of whole seconds may stand for any change of two seconds', () => {
  const times = [1000.5, 1000];
  expect(times.map((at) => [isSettled(at, 1400), isSettled(at, 3001)])).toEqual([
    [true, true],
    [false, true],
  ]);
});

test('a time in the future may stand for any change until then, as on a share whose clock runs ahead', () => {
  const now = Date.now();
  const ahead = now + 3_600_000.5;
  expect([isSettled(ahead, now), isSettled(ahead, ahead + 51)]).toEqual([false, true]);
});

/** A look at some paths, which tells how often it was made. */
function lookingAt(...paths: readonly string[]) {
  const kept = new WhileUnchanged<number>();
  let looks = 0;
  const look = () => {
    looks += 1;
    return { value: looks, paths };
  };
  return (key: unknown = '') => kept.get([key], look);
}

test('a look is kept, and made again for another key', () => {
  // Nobody makes a name in these folders while tests run.
  const get = lookingAt('/usr/bin/env', '/usr/none/such');
  expect([get(), get(), get(1), get(1), get()]).toEqual([1, 1, 2, 2, 3]);
});

test.each([
  ['a name that came to a folder behind a link', (home: string) => writeFileSync(join(home, 'b/c/file'), '')],
  [
    'a link that leads elsewhere',
    (home: string) => {
      rmSync(join(home, 'a/link'));
      symlinkSync('../elsewhere', join(home, 'a/link'));
    },
  ],
  [
    'a folder that was replaced, with the time of the one before',
    (home: string) => {
      mkdirSync(join(home, 'new/c'), { recursive: true });
      utimesSync(join(home, 'new'), 1, 1);
      renameSync(join(home, 'b'), join(home, 'old'));
      renameSync(join(home, 'new'), join(home, 'b'));
    },
  ],
])('%s is seen at once', async (name, change) => {
  const home = join(root, name);
  for (const folder of ['a', 'b/c']) mkdirSync(join(home, folder), { recursive: true });
  symlinkSync('../b', join(home, 'a/link'));
  const folders = [home, ...['a', 'b', 'b/c'].map((folder) => join(home, folder))];
  while (folders.some((folder) => stateOf(folder) === null)) await Bun.sleep(1);
  const get = lookingAt(join(home, 'a/link/c/file'));
  get();
  const before = get();
  change(home);
  expect(get()).toBe(before + 1);
});

test('a change during a slow look is seen by the next look', async () => {
  const home = join(root, 'slow');
  mkdirSync(home);
  while (stateOf(home) === null) await Bun.sleep(1);
  const kept = new WhileUnchanged<number>();
  let looks = 0;
  const look = () => {
    looks += 1;
    if (looks === 1) {
      writeFileSync(join(home, 'late'), '');
      // By the end of the look, the change is no longer a recent one.
      while (stateOf(home) === null) Bun.sleepSync(1);
    }
    return { value: looks, paths: [join(home, 'late')] };
  };
  // A third look may be another one: other tests make names in the folders above.
  expect([kept.get([], look), kept.get([], look)]).toEqual([1, 2]);
});
