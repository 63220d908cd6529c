import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '../../../../../test/support/test-folder.ts';
import { KnownPaths } from './highlighter.ts';

const base = useFolder('paths');

function inFolder() {
  const cwd = mkdtempSync(join(base, 'work-'));
  let changed = Promise.withResolvers<void>();
  const paths = new KnownPaths({ cwd: () => cwd, home: cwd, changed: () => changed.resolve() });
  const next = async () => {
    await changed.promise;
    changed = Promise.withResolvers<void>();
  };
  return { cwd, paths, next };
}

test('a path is not known at first, and known once the disk has answered', async () => {
  const { cwd, paths, next } = inFolder();
  writeFileSync(join(cwd, 'a b'), '');
  const first = paths.has('a b');
  await next();
  expect([first, paths.has('a b'), paths.has('./a b')]).toEqual([false, true, true]);
});

test('what stands in the home directory is found behind its sign', async () => {
  const { cwd, paths, next } = inFolder();
  mkdirSync(join(cwd, 'x'));
  paths.has('~/x');
  await next();
  expect(paths.has('~/x')).toBe(true);
});

test('of many paths at once some are asked for later, and none is forgotten', async () => {
  const { cwd, paths, next } = inFolder();
  const names = Array.from({ length: 12 }, (_, at) => `file${at}`);
  for (const name of names) writeFileSync(join(cwd, name), '');
  while (!names.every((name) => paths.has(name))) await next();
  expect(names.map((name) => paths.has(name))).toEqual(names.map(() => true));
});
