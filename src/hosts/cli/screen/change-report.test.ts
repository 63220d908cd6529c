import { expect, test } from 'bun:test';
import { createTheme, PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { type ChangeReport, type DryRunReport, type FileEffect, NO_CHANGES } from '../../../protocol/change-report.ts';
import type { CommandEffect } from '../../../protocol/tool.ts';
import { formatAppliedReport, formatChangeReport, formatDryRun, parseChoice } from './change-report.ts';

const plain = { theme: PLAIN_THEME, columns: 100, cwd: '/app' };

function effectOf(of: Partial<FileEffect>): FileEffect {
  return {
    kind: 'deletes',
    files: 0,
    folders: 0,
    bytes: 0,
    untracked: 0,
    ignored: 0,
    modified: 0,
    outside: 0,
    samples: [],
    ...of,
  };
}

function show(of: Partial<ChangeReport>, columns = 100): readonly string[] {
  return formatChangeReport({ ...NO_CHANGES, ...of }, { ...plain, columns });
}

test('a deletion is counted, with what nothing brings back', () => {
  const effect = effectOf({
    files: 4812,
    folders: 37,
    bytes: 1_100_000_000,
    untracked: 37,
    modified: 3,
    outside: 2,
    samples: ['/app/build', '/elsewhere/x'],
  });
  expect(show({ effects: [effect] }, 200)).toEqual([
    '  Would delete 4,812 files (1.1 GB) and 37 folders: 37 not tracked by git, 3 changed since the last commit; 2 outside the project.',
    '    build, /elsewhere/x',
  ]);
});

test('few things are named', () => {
  const effects = [
    effectOf({ files: 1, bytes: 6, untracked: 1, samples: ['/app/notes.txt'] }),
    effectOf({ kind: 'creates', files: 1, bytes: 0, samples: ['/home/x/new'], outside: 1 }),
    effectOf({ kind: 'creates', folders: 1, samples: ['/app/out'] }),
    effectOf({ kind: 'overwrites', files: 2, bytes: 2000, samples: ['/app/a b', '/app/c'], maybe: true }),
  ];
  expect(show({ effects })).toEqual([
    '  Would delete notes.txt (6 B), which is not tracked by git.',
    '  Would create /home/x/new: outside the project.',
    '  Would create the folder out.',
    '  Might overwrite "a b", c (2.0 kB).',
  ]);
});

test('what git ignores is said to be beyond every undo', () => {
  const effects = [
    effectOf({ files: 1, bytes: 6, ignored: 1, outside: 1, samples: ['/app/build/f1'] }),
    effectOf({ files: 301, folders: 2, bytes: 2100, ignored: 301, samples: ['/app/build'] }),
  ];
  expect(show({ effects }, 140)).toEqual([
    '  Would delete build/f1 (6 B), which is ignored by git (no undo brings it back); outside the project.',
    '  Would delete 301 files (2.1 kB) and 2 folders: 301 ignored by git (no undo brings them back).',
    '    build',
  ]);
});

test('what is too large for a checkpoint is said to be beyond every undo', () => {
  const effects = [
    effectOf({ files: 1, bytes: 12_000_000, untracked: 1, large: 1, samples: ['/app/disk.img'] }),
    effectOf({ kind: 'overwrites', files: 3, bytes: 36_000_000, ignored: 1, large: 2, samples: ['/app/disks'] }),
  ];
  expect(show({ effects }, 140)).toEqual([
    '  Would delete disk.img (12.0 MB), which is too large for a checkpoint (no undo brings it back) and is not tracked by git.',
    '  Would overwrite 3 files (36.0 MB): 1 ignored by git (no undo brings it back), 2 too large for a checkpoint (no undo brings them back).',
    '    disks',
  ]);
});

test('how many more there are is counted from all of them', () => {
  const samples = Array.from({ length: 8 }, (_, at) => `/app/f${at}`);
  const effects = [
    effectOf({ files: 11, bytes: 6, samples, unnamed: 3 }),
    effectOf({ files: 2285, bytes: 6, samples, unnamed: 2277, atLeast: true }),
    effectOf({ kind: 'moves', files: 11, bytes: 6, samples, unnamed: 14 }),
  ];
  expect(show({ effects }).filter((line) => line.startsWith('    '))).toEqual([
    '    f0, f1, f2, f3 and 7 more',
    '    f0, f1, f2, f3 and at least 2,281 more',
    '    f0, f1, f2, f3 and 9 more',
  ]);
});

test("what lies in git's own folder is said to be beyond every undo", () => {
  const effect = effectOf({ files: 20, folders: 3, bytes: 6, repository: 20, samples: ['/app/.git'] });
  expect(show({ effects: [effect] })).toEqual([
    "  Would delete 20 files (6 B) and 3 folders: 20 in git's own folder (no undo brings them back).",
    '    .git',
  ]);
});

test('of one file that is named it is told what it is', () => {
  const changed = effectOf({ kind: 'changes', files: 1, modified: 1, samples: ['/app/server.ts'] });
  expect(show({ effects: [changed] })).toEqual(['  Would change server.ts, which changed since the last commit.']);
});

test('what was not counted to its end is said to be more', () => {
  const effect = effectOf({ files: 1000, folders: 1, bytes: 5, atLeast: true, bytesAtLeast: true, outside: 1001 });
  expect(show({ effects: [effect] })).toEqual([
    '  Would delete at least 1,000 files (at least 5 B) and 1 folder: 1,001 outside the project.',
  ]);
});

test('a move names from where and to where', () => {
  const one = effectOf({ kind: 'moves', files: 1, bytes: 6, samples: ['/app/README', '/app/src/README'] });
  const folder = effectOf({ kind: 'moves', files: 3, folders: 1, bytes: 6, samples: ['/app/src', '/app/lib'] });
  const two = effectOf({ kind: 'moves', files: 2, bytes: 6, samples: ['/app/a', '/app/b', '/app/c', '/app/d'] });
  expect(show({ effects: [one, folder, two] })).toEqual([
    '  Would move README to src/README (6 B).',
    '  Would move 3 files (6 B) and 1 folder.',
    '    src → lib',
    '  Would move 2 files (6 B).',
    '    a, b, c, d',
  ]);
});

test('hosts are named, and the unknown is never nothing', () => {
  expect(
    show({ hosts: ['api.github.com', 'box'], unknown: ['what `make` does', 'x'], notes: ['no such file: y'] }),
  ).toEqual(['  Connects to api.github.com, box.', '  Unknown effects: what `make` does; x.', '  No such file: y.']);
});

test('an unknown effect promises no more of a dry run than a sandbox without network can show', () => {
  const report = { ...NO_CHANGES, unknown: ['git push'] };
  expect(formatChangeReport(report, { ...plain, dryRun: '[r] dry run' })).toEqual([
    '  Unknown effects: git push. [r] dry run may show them.',
  ]);
});

test('only what touches nothing, and of which nothing else is to be said, is said to change nothing', () => {
  expect(show({})).toEqual(['  Changes nothing.']);
  expect(show({ notes: ['ends the process 1'] })).toEqual(['  Ends the process 1.']);
});

test('a name cannot pass for words of aish, and everything fits a narrow window', () => {
  const effect = effectOf({ files: 1, bytes: 1, samples: ['/app/x\n  Changes nothing.\u001b[2K'] });
  const rows = show({ effects: [effect], hosts: ['a.example.org', 'b.example.org', 'c.example.org'] }, 24);
  expect(rows.filter((row) => row.length > 24 || row.includes('\u001b') || row === '  Changes nothing.')).toEqual([]);
  expect(rows.join(' ')).toContain('<U+000A>');
});

test('what cannot be had back has another colour than what only changes', () => {
  const theme = createTheme({ TERM: 'xterm' });
  const show = (of: Partial<FileEffect>) =>
    formatChangeReport(
      { ...NO_CHANGES, effects: [effectOf({ files: 1, samples: ['/app/a'], ...of })] },
      { ...plain, theme },
    )[0];
  const styles = [show({ untracked: 1 }), show({}), show({ kind: 'creates' })].map((row) => row?.slice(0, 5));
  expect(new Set(styles).size).toBe(3);
  expect(show({ ignored: 1 })?.slice(0, 5)).toBe(styles[0]);
});

test('an effect that stands above is not repeated: the report adds counts, hosts and what is new', () => {
  const said: readonly CommandEffect[] = [
    { kind: 'destroys', because: 'path', class: 'destructive', path: '/app/build', detail: 'build' },
    { kind: 'network', because: 'program', class: 'network' },
    { kind: 'task', because: 'task', class: 'mutating', detail: 'Makefile', command: 'make' },
  ];
  const task: CommandEffect = {
    kind: 'task',
    because: 'task',
    class: 'mutating',
    detail: 'Makefile',
    command: 'make all',
  };
  const other: CommandEffect = {
    kind: 'runs',
    because: 'script',
    class: 'mutating',
    detail: 'x.sh',
    command: 'sh x.sh',
  };
  const effects = [
    effectOf({ files: 3, folders: 1, bytes: 6, samples: ['/app/build'] }),
    effectOf({ files: 1, bytes: 6, samples: ['/app/other'] }),
  ];
  const report = { ...NO_CHANGES, effects, hosts: ['box'], unexplained: [task, other] };
  expect(formatChangeReport(report, { ...plain, said })).toEqual([
    '  3 files (6 B) and 1 folder.',
    '    build',
    '  Would delete other (6 B).',
    '  Host: box.',
    '  Unknown effects: sh x.sh: runs the script x.sh.',
  ]);
  expect(formatChangeReport({ ...NO_CHANGES, unexplained: [task] }, { ...plain, said, dryRun: '[r] dry run' })).toEqual(
    ['  The estimate shows nothing more. [r] dry run may show more.'],
  );
});

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
