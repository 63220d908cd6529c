import { expect, test } from 'bun:test';
import type { CheckpointStep } from '../../../protocol/checkpoint.ts';
import { formatRestore, formatTimeline } from './undo.ts';

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

const view = { now: 121_000 };

test('a report tells which step it was, and path by path what went back, what was kept and what was left', () => {
  const report = {
    restored: ['a', 'gone'],
    removed: ['gone'],
    kept: ['b'],
    refused: [{ path: 'c', why: 'it changed since' }],
  };
  const step = { checkpoint: 'c1', label: 'before $ gzip a', stepAt: 1000 };
  expect(formatRestore({ ...step, direction: 'redo', report }, view)).toBe(
    'redo c1: before $ gzip a (2 min ago)\n  restored  a\n  removed  gone\n  kept  b\n  left as it is  c: it changed since',
  );
  expect(formatRestore({ ...step, report: { restored: [], refused: [] } }, view)).toBe(
    'undo c1: before $ gzip a (2 min ago)\n  Nothing to do: the files are already as they were before this step.',
  );
  expect(formatRestore({ ...step, direction: 'redo', undo: 'c2', report: { restored: [], refused: [] } }, view)).toBe(
    [
      'redo c1: before $ gzip a (2 min ago)',
      '  Nothing to do: the files are already as they were after this step.',
      '  On another branch, :redo c1 can still redo it. The next :redo goes to the step after it.',
    ].join('\n'),
  );
  expect(formatRestore({ checkpoint: 'c1', report: { restored: ['a'], refused: [] } }, view)).toBe(
    'undo c1\n  restored  a',
  );
  expect(formatRestore({ checkpoint: 'c1', report: { restored: ['a'], removed: ['a'], refused: [] } }, view)).toBe(
    'undo c1\n  removed  a\n  :redo restores the removed files',
  );
});

test('no name or label of a report adds a row to it or steers the terminal', () => {
  const report = { restored: ['a\n  removed  b\x1b[2J'], refused: [{ path: 'c\nd', why: 'it\nchanged' }] };
  expect(formatRestore({ checkpoint: 'c1', label: 'before $ x\x1b[2J', report }, view).split('\n')).toEqual([
    'undo c1: before $ x<U+001B>[2J',
    '  restored  a<U+000A>  removed  b<U+001B>[2J',
    '  left as it is  c<U+000A>d: it<U+000A>changed',
  ]);
});

test('of very many files the first are named and the rest is counted, in rows no wider than the window', () => {
  const restored = Array.from({ length: 600 }, (_, at) => `file ${at}`);
  const rows = formatRestore(
    { checkpoint: 'c1', label: 'before $ rm -rf files', report: { restored, refused: [] }, undo: 'c2' },
    { ...view, columns: 24 },
  ).split('\n');
  expect([rows.length, rows.slice(0, 3), rows.slice(-4)]).toEqual([
    25,
    ['undo c1: before $ rm -rf', '  files', '  restored  file 0'],
    ['  restored  file 19', '  … and 580 more files;', '  :diff --step c2 shows', '  all'],
  ]);
});
