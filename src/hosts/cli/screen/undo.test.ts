import { expect, test } from 'bun:test';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { CheckpointStep, RestoreConflict, RestorePrompt } from '../../../protocol/checkpoint.ts';
import { formatRestore, formatTimeline, formatUndoHead, formatUndoPath } from './undo.ts';

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

const step: CheckpointStep = {
  id: 'c1',
  ref: 'refs/aish/c1/before',
  commit: '0',
  root: '/app',
  label: 'before aish.write_file',
  at: 1000,
  sessionId: 's',
  toolName: 'write_file',
  cause: 'tool',
  of: null,
  counts: { added: 1, changed: 2, removed: 0 },
  state: 'done',
};

test('a timeline tells of each step when it was, by whom, what it changed and what became of it', () => {
  const steps: readonly CheckpointStep[] = [
    {
      ...step,
      id: 'c5',
      cause: 'undo',
      of: 'c2',
      counts: { added: 0, changed: 1, removed: 0 },
      label: 'before undo of c2',
    },
    { ...step, id: 'c6', cause: 'approved-command', counts: null, isAtWork: true, label: 'before $ sleep 9' },
    { ...step, id: 'c4', cause: 'user', counts: null, label: 'before $ make' },
    { ...step, id: 'c3', cause: 'mcp', counts: { added: 0, changed: 0, removed: 3 }, state: 'partly' },
    { ...step, id: 'c2', cause: 'command-line', counts: { added: 0, changed: 0, removed: 0 }, state: 'undone' },
    step,
  ];
  expect(formatTimeline(steps, 61_000).split('\n')).toEqual([
    'c5  1 min ago  undo of c2  ~1',
    'c6  1 min ago  command     ?      running        before $ sleep 9',
    'c4  1 min ago  you         ?      unfinished     before $ make',
    'c3  1 min ago  server      -3     partly undone  before aish.write_file',
    'c2  1 min ago  CMD: line   0      undone         before aish.write_file',
    'c1  1 min ago  tool        +1 ~2                 before aish.write_file',
  ]);
});

test('an undo that changed no file is not listed', () => {
  const counts = { added: 0, changed: 0, removed: 0 };
  expect(formatTimeline([{ ...step, id: 'c2', cause: 'undo', of: 'c1', counts }, step], 61_000).split('\n')).toEqual([
    'c1  1 min ago  tool  +1 ~2    before aish.write_file',
  ]);
});

test('in a narrow window what a step was made for stands under its row', () => {
  const steps = [
    { ...step, id: 'c2', cause: 'undo', of: 'c1' } as const,
    { ...step, label: 'before $ make all of it again' },
  ];
  expect(formatTimeline(steps, 61_000, 40).split('\n')).toEqual([
    'c2  1 min ago  undo of c1  +1 ~2',
    'c1  1 min ago  tool        +1 ~2',
    '    before $ make all of it again',
  ]);
});

test('a row is cut to the window, and what a label holds steers no terminal', () => {
  const [row = ''] = formatTimeline([{ ...step, label: `before $ \x1b[2J${'x'.repeat(90)}` }], 61_000, 60).split('\n');
  expect([row.length, row.includes('\x1b'), row.endsWith('…')]).toEqual([60, false, true]);
});

const facts = { now: 121_000 };

test('a report tells which step it was, and path by path what went back, what was kept and what was left', () => {
  const report = {
    restored: ['a', 'gone'],
    removed: ['gone'],
    kept: ['b'],
    refused: [{ path: 'c', why: 'it changed since' }],
  };
  const step = { checkpoint: 'c1', label: 'before $ gzip a', stepAt: 1000 };
  expect(formatRestore({ ...step, direction: 'redo', report }, facts)).toBe(
    'redo c1: before $ gzip a (2 min ago)\n  restored  a\n  removed  gone\n  kept  b\n  left as it is  c: it changed since',
  );
  expect(formatRestore({ ...step, report: { restored: [], refused: [] } }, facts)).toBe(
    'undo c1: before $ gzip a (2 min ago)\n  Nothing to do: the files are already as they were before this step.',
  );
  expect(formatRestore({ ...step, direction: 'redo', undo: 'c2', report: { restored: [], refused: [] } }, facts)).toBe(
    [
      'redo c1: before $ gzip a (2 min ago)',
      '  Nothing to do: the files are already as they were after this step.',
      '  On another branch, :redo c1 can still redo it. The next :redo goes to the step after it.',
    ].join('\n'),
  );
  expect(formatRestore({ checkpoint: 'c1', report: { restored: ['a'], refused: [] } }, facts)).toBe(
    'undo c1\n  restored  a',
  );
  expect(formatRestore({ checkpoint: 'c1', report: { restored: ['a'], removed: ['a'], refused: [] } }, facts)).toBe(
    'undo c1\n  removed  a\n  :redo restores the removed files',
  );
});

test('no name or label of a report adds a row to it or steers the terminal', () => {
  const report = { restored: ['a\n  removed  b\x1b[2J'], refused: [{ path: 'c\nd', why: 'it\nchanged' }] };
  expect(formatRestore({ checkpoint: 'c1', label: 'before $ x\x1b[2J', report }, facts).split('\n')).toEqual([
    'undo c1: before $ x<U+001B>[2J',
    '  restored  a<U+000A>  removed  b<U+001B>[2J',
    '  left as it is  c<U+000A>d: it<U+000A>changed',
  ]);
});

test('of very many files the first are named and the rest is counted, in rows no wider than the window', () => {
  const restored = Array.from({ length: 600 }, (_, at) => `file ${at}`);
  const rows = formatRestore(
    { checkpoint: 'c1', label: 'before $ rm -rf files', report: { restored, refused: [] }, undo: 'c2' },
    { ...facts, columns: 24 },
  ).split('\n');
  expect([rows.length, rows.slice(0, 3), rows.slice(-4)]).toEqual([
    25,
    ['undo c1: before $ rm -rf', '  files', '  restored  file 0'],
    ['  restored  file 19', '  … and 580 more files;', '  :diff --step c2 shows', '  all'],
  ]);
});
