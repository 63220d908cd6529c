import { afterEach, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ShellNames } from '../../protocol/query.ts';
import { RemoteNames, readShellNames } from './remote-names.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

interface Asked {
  readonly names: RemoteNames;
  /** The words of each request. */
  readonly words: (readonly string[])[];
  /** The number of requests for all names. */
  readonly lists: () => number;
}

/** Names of a session whose shell knows these words; null where it has no shell. */
function namesOf(known: readonly string[] | null, path = ''): Asked {
  const words: (readonly string[])[] = [];
  let lists = 0;
  const told: ShellNames | null =
    known === null
      ? null
      : { commands: new Map(known.map((word) => [word, 'file'])), aliases: new Map(), variables: [] };
  const names = new RemoteNames({
    askWords: async (asked) => {
      words.push(asked);
      return known === null ? null : new Set(asked.filter((word) => known.includes(word)));
    },
    askNames: async () => {
      lists += 1;
      return told;
    },
    path,
    home: undefined,
    cwd: () => '/',
  });
  return { names, words, lists: () => lists };
}

test('words of one moment are asked for together, and are known when the answer has come', async () => {
  const { names, words } = namesOf(['git', 'make']);
  const typed = ['git', 'make', 'nonsense'];
  expect(typed.map((word) => names.has(word))).toEqual([false, false, false]);
  await names.settled();
  expect(typed.map((word) => names.has(word))).toEqual([true, true, false]);
  expect(words).toEqual([typed]);
  expect(names.news).toBe(2);
});

test('a word that is met first is known at once where all names are', async () => {
  const { names } = namesOf(['git']);
  await names.load();
  expect([names.has('git'), names.has('nonsense')]).toEqual([true, false]);
});

test('what is no word is asked of nobody', () => {
  const { names, words } = namesOf([]);
  expect([names.has(''), names.has('x'.repeat(5000)), names.settled(), words]).toEqual([false, false, null, []]);
});

test('after a command words and names are asked for anew, when somebody types', async () => {
  const { names, words, lists } = namesOf(['git']);
  names.has('git');
  await names.settled();
  names.has('git');
  expect([words.length, lists()]).toEqual([1, 1]);
  names.expire();
  expect([words.length, lists()]).toEqual([1, 1]);
  names.has('git');
  await names.settled();
  expect([words.length, lists()]).toEqual([2, 2]);
});

test('while the session has no shell, the programs of this machine count', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'aish-names-'));
  folders.push(folder);
  writeFileSync(join(folder, 'greet'), '#!/bin/sh\n', { mode: 0o755 });
  mkdirSync(join(folder, 'folder'));
  const { names } = namesOf(null, folder);
  const typed = ['greet', 'folder', 'cd', 'hello'];
  for (const word of typed) names.has(word);
  await names.settled();
  expect(typed.map((word) => names.has(word))).toEqual([true, false, true, false]);
  expect([...(await names.list((word) => word.startsWith('gre'), '/'))]).toEqual([['greet', 'file']]);
});

test('who does not answer knows nothing, and nothing fails for it', async () => {
  const gone = async (): Promise<never> => {
    throw new Error('gone');
  };
  const names = new RemoteNames({
    askWords: gone,
    askNames: gone,
    path: '',
    home: undefined,
    cwd: () => '/',
  });
  names.has('git');
  await names.settled();
  expect(names.has('git')).toBe(false);
  expect([...(await names.list(() => true, '/'))]).toEqual([]);
});

test('names are read as they are told, and what is none is left out', () => {
  const told = {
    commands: [['ls', 'alias'], ['x', 'odd'], ['y'], 7],
    aliases: [['ls', 'ls -l']],
    variables: ['HOME', 7],
  };
  expect(readShellNames(told)).toEqual({
    commands: new Map([['ls', 'alias']]),
    aliases: new Map([['ls', 'ls -l']]),
    variables: ['HOME'],
  });
  expect([readShellNames(null), readShellNames('ls')]).toEqual([null, null]);
});
