import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCursorContext } from '../../core/completion/cursor-context.ts';
import { KnownCalls } from '../shell/known-calls.ts';
import { NO_DIRECTORIES } from '../shell/lookup.ts';
import { fromHelper } from './complete-shell.ts';
import type { HelperMatch } from './helper-protocol.ts';

let root: string;

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'matches-'));
  mkdirSync(join(root, 'a b', 'c d'), { recursive: true });
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

/** The line after a match went in. */
async function taken(line: string, match: Partial<HelperMatch> & { readonly text: string; readonly start: number }) {
  const context = findCursorContext(line, line.length);
  if (context === null) throw new Error('no context');
  const live = {
    cwd: root,
    home: root,
    commands: async () => new Map(),
    aliases: new Map(),
    variables: [],
    directories: NO_DIRECTORIES,
    options: [],
    jobs: [],
    calls: new KnownCalls(root),
    exportsFile: null,
    env: {},
  };
  const [completion] = await fromHelper([{ isPath: false, isQuoted: false, ...match }], context, live);
  return completion === undefined ? null : line.slice(0, completion.start) + completion.text;
}

describe('a match of the helper in the line', () => {
  test('goes in as it was written where that does nothing', async () => {
    expect(await taken('scp h:', { text: 'a\\ b', start: 6, isQuoted: true })).toBe('scp h:a\\ b');
  });

  const hostile = ['$(touch${IFS}x)', 'a;reboot', 'a`reboot`', 'a\nreboot', 'x\x1b[31m', 'a>b', 'a b', "a'b", '!!'];
  for (const name of hostile) {
    test(`is quoted where it would do something: ${JSON.stringify(name)}`, async () => {
      const line = await taken('git checkout ', { text: name, start: 13, isQuoted: true });
      const context = findCursorContext(line ?? '', line?.length ?? 0);
      const read = Bun.spawnSync(['bash', '-c', `printf %s ${line?.slice(13)}`]).stdout.toString();
      expect([context?.words.length, read]).toEqual([2, name]);
    });
  }

  test('keeps the folders of a path as they were typed', async () => {
    const match = { text: `${root}/a b/c d`, isPath: true };
    expect([
      await taken('ls a\\ b/c', { text: 'a b/c d', start: 3, isPath: true }),
      await taken('ls ~/a\\ b/c', { text: '~/a b/c d', start: 3, isPath: true }),
      await taken('ls "a b/c', { text: 'a b/c d', start: 3, isPath: true }),
      await taken('ls x', { ...match, start: 3 }),
    ]).toEqual(['ls a\\ b/c\\ d/', 'ls ~/a\\ b/c\\ d/', 'ls "a b/c d/', `ls ${root}/a\\ b/c\\ d/`]);
  });

  test('is no option where a path begins with a dash', async () => {
    expect([
      await taken('ls -', { text: '-rf', start: 3, isPath: true }),
      await taken('ls -', { text: '--all', start: 3 }),
      await taken('ls a/-', { text: 'a/-rf', start: 3, isPath: true }),
    ]).toEqual(['ls ./-rf', 'ls --all', 'ls a/-rf']);
  });

  test('goes behind an equals sign', async () => {
    expect(await taken('ls --color=', { text: 'auto', start: 11 })).toBe('ls --color=auto');
  });

  test('is none outside of the word', async () => {
    expect(await taken('git checkout x', { text: 'y', start: 2 })).toBeNull();
  });
});
