import { expect, test } from 'bun:test';
import type { RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { PLAIN_THEME } from './theme.ts';
import { formatUndoHead, formatUndoPath } from './undo.ts';

const conflict: RestoreConflict = {
  key: 'a.txt',
  path: 'a.txt',
  why: 'it changed since',
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
const view = { size: { columns: 100, rows: 30 }, theme: PLAIN_THEME, all: false };

test('the head tells the step, how many files are asked about, what goes back as well, and what no answer brings back', () => {
  expect(formatUndoHead(question, view.size, PLAIN_THEME)).toEqual([
    'undo c3: before aish.write_file',
    '  2 files changed since, and nothing is touched before you say what is to become of them',
    '  2 files nobody changed since: with your answer put back as well',
    '  left as it is: big.bin: it was too large when the checkpoint was made',
  ]);
});

test('the head calls nothing changed that is asked about for another reason', () => {
  const older = { ...question, free: 0, conflicts: [{ ...conflict, why: 'it is older than the step' }], refused: [] };
  expect(formatUndoHead(older, view.size, PLAIN_THEME).slice(1)).toEqual([
    '  1 file cannot just go back, and nothing is touched before you say what is to become of it',
  ]);
});

test('a path is shown with both versions and the letters that answer for it', () => {
  expect(formatUndoPath(question, 0, view)).toEqual({
    lines: [
      '1 of 2  a.txt: it changed since',
      '  there is now: 2 lines, 8 B; it would be: 1 line, 4 B',
      '  --- a/a.txt',
      '  +++ b/a.txt',
      '  @@ -1,2 +1 @@',
      '   one',
      '  -two',
      '[k]eep what is there  [t]ake the old one  [m]erge both  [v]iew all  [K]eep in all 2  [T]ake in all 2',
      '[g]ive up',
    ],
    keys: ['k', 't', 'm', 'v', 'K', 'T', 'g'],
  });
});

test('the last path offers nothing for all, and a redo takes what is of the step', () => {
  const redo: RestorePrompt = { ...question, direction: 'redo' };
  const { lines, keys } = formatUndoPath(redo, 1, view);
  expect([lines.at(-1), keys]).toEqual(["[k]eep what is there  [t]ake the step's  [g]ive up", ['k', 't', 'g']]);
});

test('all of it shows what merging makes of the file', () => {
  const { lines, keys } = formatUndoPath(question, 0, { ...view, all: true });
  expect(lines.slice(7, 14)).toEqual([
    '  merged it would be:',
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
  const { lines, keys } = formatUndoPath(long, 0, { ...view, size: { columns: 30, rows: 16 } });
  expect(lines.length).toBeLessThanOrEqual(16);
  expect(lines.every((line) => line.length <= 30)).toBe(true);
  expect(lines).toContainEqual('  … v shows all, 33 more lines');
  expect(keys).toEqual(['k', 't', 'v', 'g']);
});

test('names and reasons steer no terminal', () => {
  const evil: RestorePrompt = {
    ...question,
    label: 'before $ \x1b[2J',
    conflicts: [{ ...conflict, path: 'a\x1b[31m\nb' }],
  };
  const lines = [...formatUndoHead(evil, view.size, PLAIN_THEME), ...formatUndoPath(evil, 0, view).lines];
  expect(lines.join('\n')).not.toContain('\x1b');
  expect(lines.filter((line) => line.startsWith('b'))).toEqual([]);
});
