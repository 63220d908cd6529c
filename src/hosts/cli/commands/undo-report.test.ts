import { expect, test } from 'bun:test';
import type { CheckpointStep } from '../../../protocol/checkpoint.ts';
import { formatRestore, formatTimeline } from './undo-report.ts';

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
    { ...step, id: 'c4', cause: 'person', counts: null, label: 'before $ make' },
    { ...step, id: 'c3', cause: 'mcp', counts: { added: 0, changed: 0, removed: 3 }, state: 'partly' },
    { ...step, id: 'c2', cause: 'command-line', counts: { added: 0, changed: 0, removed: 0 }, state: 'undone' },
    step,
  ];
  expect(formatTimeline(steps, 61_000).split('\n')).toEqual([
    'c5  1 min ago  undo of c2  ~1',
    'c4  1 min ago  you         ?      cut short      before $ make',
    'c3  1 min ago  server      -3     partly undone  before aish.write_file',
    'c2  1 min ago  CMD: line   0      undone         before aish.write_file',
    'c1  1 min ago  tool        +1 ~2                 before aish.write_file',
  ]);
});

test('a row is cut to the window, and what a label holds steers no terminal', () => {
  const [row = ''] = formatTimeline([{ ...step, label: `before $ \x1b[2J${'x'.repeat(90)}` }], 61_000, 50).split('\n');
  expect([row.length, row.includes('\x1b'), row.endsWith('…')]).toEqual([50, false, true]);
});

test('a report tells path by path what went back, what was kept and what was left', () => {
  const report = {
    restored: ['a', 'gone'],
    removed: ['gone'],
    kept: ['b'],
    refused: [{ path: 'c', why: 'it changed since' }],
  };
  expect([
    formatRestore({ checkpoint: 'c1', direction: 'redo', report }),
    formatRestore({ checkpoint: 'c1', report: { restored: [], refused: [] } }),
  ]).toEqual([
    'redo c1\n  restored  a\n  removed  gone\n  kept  b\n  left as it is  c: it changed since',
    'nothing to undo since c1',
  ]);
});
