import { expect, test } from 'bun:test';
import {
  type EntryState,
  formatApplied,
  groupChanges,
  isUntouched,
  listDifferences,
  listOutside,
  type PathChange,
  wantsCopy,
} from './change-set.ts';

const FILE: EntryState = {
  kind: 'file',
  mode: 0o644,
  size: 3,
  modifiedNs: 1n,
  changedNs: 1n,
  inode: 1n,
  device: 1n,
  names: 1,
  user: 0,
  group: 0,
  special: -1n,
};
const FOLDER: EntryState = { ...FILE, kind: 'folder', mode: 0o755, size: 0 };

const created = (path: string, after = FILE): PathChange => ({ path, before: null, after });
const deleted = (path: string, before = FILE): PathChange => ({ path, before, after: null });
const changed = (path: string): PathChange => ({ path, before: FILE, after: { ...FILE, size: 9 } });

const grouped = (changes: readonly PathChange[], isMoved = true) =>
  groupChanges(changes, () => isMoved).map(({ kind, path, from, members }) => [kind, path, ...(from ? [from] : []), members]);

test('what comes with a folder goes with it, and so does all of the repository', () => {
  const changes = [
    created('a/b', FOLDER),
    created('a', FOLDER),
    created('a/b/c', { ...FILE, size: 5 }),
    changed('ab'),
    deleted('old', FOLDER),
    deleted('old/x', { ...FILE, size: 7 }),
    changed('.git/index'),
    created('.git/objects/1'),
    changed('.gitignore'),
  ];
  expect(grouped(changes)).toEqual([
    ['repository', '.git', [6, 7]],
    ['changed', '.gitignore', [8]],
    ['created', 'a', [1, 0, 2]],
    ['changed', 'ab', [3]],
    ['deleted', 'old', [4, 5]],
  ]);
});

test('a file that comes back elsewhere as it was has moved, and one that holds something else has not', () => {
  expect(grouped([deleted('one'), created('two')])).toEqual([['renamed', 'two', 'one', [0, 1]]]);
  expect(grouped([deleted('one'), created('two')], false)).toEqual([
    ['deleted', 'one', [0]],
    ['created', 'two', [1]],
  ]);
});

test('a folder that comes back elsewhere with all that was in it has moved', () => {
  const changes = [deleted('old', FOLDER), deleted('old/a'), created('new', FOLDER), created('new/a')];
  expect(grouped(changes)).toEqual([['renamed', 'new', 'old', [0, 1, 2, 3]]]);
  expect(grouped([...changes, created('new/b')])).toEqual([
    ['created', 'new', [2, 3, 4]],
    ['deleted', 'old', [0, 1]],
  ]);
});

test('a folder in the place of a file, and the other way round, is one change with what is in it', () => {
  const swapped: PathChange = { path: 'x', before: FILE, after: FOLDER };
  expect(grouped([swapped, created('x/y')])).toEqual([['changed', 'x', [0, 1]]]);
  const back: PathChange = { path: 'x', before: FOLDER, after: FILE };
  expect(grouped([back, deleted('x/y')])).toEqual([['changed', 'x', [0, 1]]]);
});

test('a path is untouched as long as nobody wrote, replaced or closed it', () => {
  const cases: readonly (readonly [EntryState | null, EntryState | null])[] = [
    [null, null],
    [FILE, { ...FILE }],
    [FOLDER, { ...FOLDER, changedNs: 9n, modifiedNs: 9n }],
    [FILE, null],
    [null, FILE],
    [{ ...FILE, changedNs: 2n }, FILE],
    [{ ...FILE, inode: 2n }, FILE],
    [{ ...FOLDER, mode: 0o700 }, FOLDER],
    [FOLDER, FILE],
  ];
  expect(cases.map(([now, then]) => isUntouched(now, then))).toEqual([
    ...[true, true, true],
    ...[false, false, false, false, false, false],
  ]);
});

const GIVEN = { way: 'overlay', blocked: null, hidden: [], isRoot: false } as const;
const ALWAYS = 'Unlike a real run, the dry run had no network and a /tmp of its own, and it left the shell as it was (cd, export).';

test('what any dry run lacks is always told, and the rest where it showed', () => {
  expect(listDifferences('fine', GIVEN)).toEqual([ALWAYS]);
  expect(listDifferences('mv: Invalid cross-device link', { ...GIVEN, blocked: 'the sandbox has no network' })).toEqual([
    ALWAYS,
    'The sandbox blocked it: the sandbox has no network.',
    'It could not rename a folder, which a real run can do.',
  ]);
  expect(listDifferences('mv: Device or resource busy', { ...GIVEN, hidden: ['.env'], isRoot: true })).toEqual([
    ALWAYS,
    'Root had no special rights in the dry run.',
    'Files that hold secrets were hidden from it: .env.',
  ]);
});

test('a copy is wanted where a folder could not be renamed', () => {
  expect([wantsCopy('EXDEV: cross-device link not permitted'), wantsCopy('done')]).toEqual([true, false]);
});

test('places outside are those that it said it could not write to', () => {
  const output = [
    "touch: cannot touch '/home/ann/x': Read-only file system",
    'bash: ../y: Read-only file system',
    '/usr/bin/bash: line 1: /var/z: Read-only file system',
    '/opt/q: Read-only file system',
    "touch: cannot touch '/app/in': Read-only file system",
    'cat: /etc/shadow: Permission denied',
    "rm: cannot remove './.env': Read-only file system",
    'cp: deep/server.key: Read-only file system',
  ].join('\n');
  expect(listOutside(output, '/app')).toEqual(['/home/ann/x', '../y', '/var/z', '/opt/q']);
});

test('the model reads what was applied, what was left, and what could not be', () => {
  expect(formatApplied({ applied: [], left: [], conflicts: [] })).toBe(
    'ran on a copy of the project (dry run); it changed no file, so there was nothing to apply',
  );
  expect(formatApplied({ applied: ['a', 'b'], left: [], conflicts: [] })).toBe(
    'ran on a copy of the project (dry run); the user applied all changes: a, b',
  );
  expect(formatApplied({ applied: [], left: ['a'], conflicts: [{ path: 'b', why: 'it is busy' }] })).toBe(
    'ran on a copy of the project (dry run); the user applied: nothing; left out by the user: a; not applied: b (it is busy)',
  );
});

test('a long list is counted', () => {
  const applied = Array.from({ length: 42 }, (_, at) => `f${at}`);
  expect(formatApplied({ applied, left: [], conflicts: [] })).toEndWith('f39, and 2 more');
});
