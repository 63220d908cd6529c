import { expect, test } from 'bun:test';
import type { DryRunReport } from '../../../protocol/change-report.ts';
import { formatAppliedReport, formatDryRun, parseChoice } from './change-report.ts';
import { createTheme } from './theme.ts';

const theme = createTheme({ TERM: 'xterm', NO_COLOR: '1' });
const report: DryRunReport = {
  way: 'overlay',
  project: '/app',
  record: {
    line: 'x',
    driver: 'model',
    exit: 1,
    cwd: '/app',
    output: 'printed\x1b[2J\n',
    bytes: 9,
    durationMs: 1,
    handle: 2,
  },
  items: [
    {
      number: 1,
      kind: 'changed',
      path: 'a\x1b[31m',
      about: '3 B → 9 B',
      diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n',
    },
    { number: 2, kind: 'renamed', path: 'new', from: 'old', about: '' },
    {
      number: 3,
      kind: 'changed',
      path: 'c',
      about: '',
      conflict: 'it has a second name (a hard link)',
      warnings: ['ignored by git (no undo brings it back)'],
    },
  ],
  count: 3,
  effects: [
    {
      kind: 'changes',
      files: 2,
      folders: 0,
      bytes: 9,
      untracked: null,
      ignored: 1,
      modified: null,
      outside: 0,
      samples: ['/app/a\x1b[31m', '/app/c'],
    },
  ],
  hosts: [],
  unknown: ['a write to /home/ann/x, outside the project'],
  notes: ['Unlike a real run, the dry run had no network.'],
};

test('the prompt shows all changes, and spells out hidden characters', () => {
  const { lines, keys } = formatDryRun(report, {
    columns: 100,
    rows: 40,
    theme,
    all: false,
    ofCall: true,
  });
  expect(lines).toEqual([
    'dry run: exit 1 · 3 changes · %2 · the project is unchanged',
    '  Would change a<U+001B>[31m, c: 1 ignored by git (no undo brings it back).',
    '  output:',
    '    printed',
    '  --- a/a',
    '  +++ b/a',
    '  @@ -1 +1 @@',
    '  -one',
    '  +two',
    '  1  changed  a<U+001B>[31m  (3 B → 9 B)',
    '  2  renamed  old → new',
    '  3  changed  c',
    '      ignored by git (no undo brings it back)',
    '      cannot be applied: it has a second name (a hard link)',
    '  Unknown effects: a write to /home/ann/x, outside the project.',
    '  Unlike a real run, the dry run had no network.',
    '[a] apply all  [c] choose some  [d] discard  [y] run it for real  [n] no',
  ]);
  expect(keys).toEqual(['a', 'c', 'd', 'y', 'n']);
});

test('a long output is cut before the list, and a applies only after the whole list was shown', () => {
  const items = Array.from(
    { length: 30 },
    (_, at) => ({ number: at + 1, kind: 'created', path: `f${at}`, about: '' }) as const,
  );
  const long = { ...report, items, count: 30, effects: [], unknown: [] };
  const view = { columns: 100, rows: 24, theme, ofCall: false };
  const cut = formatDryRun(long, { ...view, all: false });
  expect([cut.lines.length <= 24, cut.keys]).toEqual([true, ['c', 'd', 'v']]);
  expect(cut.lines.filter((line) => line.includes('…'))).toEqual([
    '  … Press v to view 14 more lines. After that, [a] applies all changes.',
  ]);
  expect(formatDryRun(long, { ...view, all: true }).keys).toEqual(['a', 'c', 'd']);
});

test('a dry run of the user without changes can only be discarded', () => {
  const nothing = { ...report, items: [], count: 0 };
  expect(formatDryRun(nothing, { columns: 80, rows: 24, theme, all: false, ofCall: false }).keys).toEqual(['d']);
});

test.each([
  ['1 3-5', [1, 3, 4, 5]],
  ['2,1', [1, 2]],
  ['6', null],
  ['5-4', null],
  ['0', null],
  ['all', null],
  ['', null],
])('"%s" is chosen as it reads', (text, chosen) => expect(parseChoice(text, 5)).toEqual(chosen));

test('a change that was not applied has its reason', () => {
  const rows = formatAppliedReport({ applied: ['a'], left: ['b'], conflicts: [{ path: 'c', why: 'it is busy' }] }, 80);
  expect(rows).toEqual(['  Applied 1 change; 1 not applied.', '  not applied: c: it is busy']);
});
