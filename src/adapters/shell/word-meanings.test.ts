import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lookup } from './lookup.ts';
import { findChangedProgram, seePrograms } from './word-meanings.ts';

let root: string;
let names: Lookup;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'aish-words-'));
  writeFileSync(join(root, 'names'), '');
  names = new Lookup({ file: join(root, 'names'), exports: join(root, 'exports'), path: '' });
});
afterEach(() => rmSync(root, { recursive: true }));

/** The shell writes its names for a prompt. */
async function tell(prompt: string, ...functions: readonly string[]): Promise<void> {
  writeFileSync(
    join(root, 'names'),
    ['= function', ...functions, '= builtin', 'cd', '= end', `${prompt}\0`].join('\n'),
  );
  await names.settled();
}

const see = () => seePrograms(['cd'], names, root);
const changed = async (shown: Awaited<ReturnType<typeof see>>) => findChangedProgram(shown, names, root);

test('a meaning that the shell tells only after the command was shown is no change', async () => {
  names.refresh('1');
  const shown = await see();
  await tell('1');
  expect(await changed(shown)).toBeNull();
});

test('a meaning that was unknown at an earlier prompt may have changed', async () => {
  names.refresh('1');
  const shown = await see();
  names.refresh('2');
  await tell('2', 'cd');
  expect(await changed(shown)).toEqual({ name: 'cd', isUnknown: true });
  expect(await changed(await see())).toBeNull();
});

test('a meaning that is not known any more may have changed', async () => {
  names.refresh('1');
  await tell('1');
  const shown = await see();
  names.refresh('2');
  expect(await changed(shown)).toEqual({ name: 'cd', isUnknown: true });
  await tell('2');
  expect(await changed(shown)).toBeNull();
});

test('names of the prompt before, which came in the meantime, are not taken for those of the newest', async () => {
  names.refresh('1');
  await tell('1');
  const shown = await see();
  names.refresh('2');
  const settled = names.settled();
  names.refresh('3');
  await tell('3', 'cd');
  await settled;
  expect(await changed(shown)).toEqual({ name: 'cd', isUnknown: false });
});

test('a function may do something else once a line has run, under the same name', async () => {
  names.refresh('1');
  await tell('1', 'cd');
  const shown = await see();
  expect(await changed(shown)).toBeNull();
  names.refresh('2');
  await tell('2', 'cd');
  expect(await changed(shown)).toEqual({ name: 'cd', isUnknown: true });
  expect(await changed(await see())).toBeNull();
});

test('who decides waits longer for a slow shell than who completes a line', async () => {
  names.refresh('1');
  await names.settled();
  expect(names.isCurrent).toBe(false);
  const known = names.known();
  await tell('1');
  await known;
  expect(names.isCurrent).toBe(true);
});

test('a program that was written over is another one, whatever time its file tells', async () => {
  const path = join(root, 'tool');
  writeFileSync(path, '#!/bin/sh\necho one\n', { mode: 0o755 });
  utimesSync(path, 1, 1);
  const { ctimeMs } = statSync(path);
  const meanings = {
    ...{ kindOf: () => null, aliases: new Map(), folders: [root] },
    ...{ exportsFile: join(root, 'exports'), prompt: '1', isCurrent: true },
  };
  const shown = await seePrograms(['tool'], meanings, root);
  expect(await findChangedProgram(shown, meanings, root)).toBeNull();
  while (statSync(path).ctimeMs === ctimeMs) {
    writeFileSync(path, '#!/bin/sh\necho two\n');
    utimesSync(path, 1, 1);
  }
  expect(await findChangedProgram(shown, meanings, root)).toEqual({ name: 'tool', isUnknown: false });
});
