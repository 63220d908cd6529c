import { expect, test } from 'bun:test';
import { type EntryState, groupChanges, isUntouched, type PathChange } from './change-set.ts';

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
  groupChanges(changes, () => isMoved).map(({ kind, path, from, members }) => [
    kind,
    path,
    ...(from ? [from] : []),
    members,
  ]);

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
