import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listPaths } from './path-words.ts';

const FILES = 5000;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'aish-paths-'));
  for (let number = 0; number < FILES; number += 1) writeFileSync(join(folder, `file-${number}`), '');
  mkdirSync(join(folder, 'only-one'));
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }), 60_000);

test('of a crowded folder a first part is offered in order, and others have their turn while it is looked through', async () => {
  let turns = 0;
  const tick = (): void => {
    turns += 1;
    ticking = setImmediate(tick);
  };
  let ticking = setImmediate(tick);
  const found = await listPaths({ folder, typed: 'file-' });
  clearImmediate(ticking);
  expect(found.length).toBe(2000);
  const numbers = found.map(({ value }) => Number(value.slice('file-'.length)));
  expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
  // It gives way after each 4,000 names; how often others run while the folder is read is up to the machine.
  expect(turns).toBeGreaterThan(0);
});

test('what fits better is found in a crowded folder, wherever it stands', async () => {
  expect((await listPaths({ folder, typed: 'only' })).map(({ value }) => value)).toEqual(['only-one/']);
  expect((await listPaths({ folder, typed: 'file-4999' })).map(({ value }) => value)).toEqual(['file-4999']);
  expect((await listPaths({ folder, typed: 'y-on' })).map(({ value }) => value)).toEqual(['only-one/']);
});
