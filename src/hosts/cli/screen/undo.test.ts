import { expect, test } from 'bun:test';
import type { RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { PLAIN_THEME } from './theme.ts';
import { formatUndoHead, formatUndoPath } from './undo.ts';

const conflict: RestoreConflict = {
  key: 'a.txt',
  path: 'a.txt',
  code: 'changed',
  why: 'the reason',
  choices: ['mine', 'theirs', 'merged'],
  now: null,
  mine: '2 lines, 8 B',
  theirs: '1 line, 4 B',
  diff: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1 @@\n one\n-two\n',
  merged: '--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+both\n',
};
const question: RestorePrompt = {
  checkpoint: 'c3',
  direction: 'undo',
  label: 'before aish.write_file',
  at: 0,
  free: 2,
  conflicts: [conflict, { ...conflict, key: 'b', path: 'b', choices: ['mine', 'theirs'] }],
  refused: [{ path: 'big.bin', why: 'it was too large when the checkpoint was made' }],
};
const view = { columns: 100, rows: 30, theme: PLAIN_THEME, all: false };

test('the head names the step, and counts the files to choose for, those restored as well, and those left as they are', () => {
  expect(formatUndoHead(question, view)).toEqual([
    'undo c3: before aish.write_file',
    '  2 files have changed since. aish changes nothing before you choose.',
    '  After your choice, aish also undoes the changes to 2 files that nobody has edited since.',
    '  left as it is: big.bin: it was too large when the checkpoint was made',
  ]);
});

test('the head goes by the codes of conflicts, not by the texts of their reasons', () => {
  const { code: _, ...ofOldLog } = conflict;
  const others: readonly RestoreConflict[] = [{ ...conflict, code: 'older' }, ofOldLog];
  const heads = others.map((other) =>
    formatUndoHead({ ...question, free: 0, conflicts: [other], refused: [] }, view).slice(1),
  );
  const expected = ['  1 file needs your choice. aish changes nothing before you choose.'];
  expect(heads).toEqual([expected, expected]);
});

test('a path is shown with both versions and the letters that answer for it', () => {
  expect(formatUndoPath(question, 0, view)).toEqual({
    lines: [
      '1 of 2  a.txt: the reason',
      '  now: 2 lines, 8 B; after the undo: 1 line, 4 B',
      '  --- a/a.txt',
      '  +++ b/a.txt',
      '  @@ -1,2 +1 @@',
      '   one',
      '  -two',
      '[k] keep the current version  [t] take the old version  [m] merge both  [v] view all  [K] keep all 2',
      '[T] take all 2  [g] give up',
    ],
    keys: ['k', 't', 'm', 'v', 'K', 'T', 'g'],
  });
});

test('the last path offers nothing for all, and a redo takes the redone version', () => {
  const redo: RestorePrompt = { ...question, direction: 'redo' };
  const { lines, keys } = formatUndoPath(redo, 1, view);
  expect([lines.at(-1), keys]).toEqual([
    '[k] keep the current version  [t] take the version after the redo  [g] give up',
    ['k', 't', 'g'],
  ]);
});

test('all of it shows what merging makes of the file', () => {
  const { lines, keys } = formatUndoPath(question, 0, { ...view, all: true });
  expect(lines.slice(7, 14)).toEqual([
    '  merged:',
    '  --- a/a.txt',
    '  +++ b/a.txt',
    '  @@ -1,2 +1,2 @@',
    '   one',
    '  -two',
    '  +both',
  ]);
  expect(keys).toEqual(['k', 't', 'm', 'K', 'T', 'g']);
});

test('a long diff is cut to the window and says so, and no row is wider than it', () => {
  const diff = `@@ -1,40 +1,40 @@\n${Array.from({ length: 40 }, (_, at) => `-line ${at} of a file\n`).join('')}`;
  const long: RestorePrompt = { ...question, conflicts: [{ ...conflict, choices: ['mine', 'theirs'], diff }] };
  const { lines, keys } = formatUndoPath(long, 0, { ...view, columns: 30, rows: 16 });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(lines.join(' ')).toContain('  … Press v to view 33 more   lines.');
  expect(keys).toEqual(['k', 't', 'v', 'g']);
});

test('names and reasons steer no terminal', () => {
  const evil: RestorePrompt = {
    ...question,
    label: 'before $ \x1b[2J',
    conflicts: [{ ...conflict, path: 'a\x1b[31m\nb' }],
  };
  const lines = [...formatUndoHead(evil, view), ...formatUndoPath(evil, 0, view).lines];
  expect(lines.join('\n')).not.toContain('\x1b');
  expect(lines.filter((line) => line.startsWith('b'))).toEqual([]);
});
