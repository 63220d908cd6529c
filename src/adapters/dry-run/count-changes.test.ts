import { expect, test } from 'bun:test';
import { type EntryState, groupChanges, type PathChange } from '../../core/impact/change-set.ts';
import { countChanges } from './describe-changes.ts';

const entry = (kind: EntryState['kind'], size = 0): EntryState => ({
  kind,
  mode: 0o644,
  size,
  modifiedNs: 1n,
  changedNs: 1n,
  inode: 1n,
  device: 1n,
  names: 1,
  user: 1,
  group: 1,
  special: 0n,
});

test('a dry run is counted by kind, as an estimate is', () => {
  const changes: readonly PathChange[] = [
    { path: 'build', before: entry('folder'), after: null },
    { path: 'build/a', before: entry('file', 5), after: null },
    { path: 'new', before: null, after: entry('file', 7) },
    { path: '.git/HEAD', before: entry('file', 2), after: entry('file', 2) },
  ];
  const groups = groupChanges(changes, () => false);
  const effects = countChanges({ changes, groups, lost: new Map([['build/a', 'ignored']]), project: '/p' });
  expect(effects).toMatchObject([
    { kind: 'deletes', files: 1, folders: 1, bytes: 5, ignored: 1, samples: ['/p/build'] },
    { kind: 'changes', files: 1, folders: 0, repository: 1, samples: ['/p/.git'] },
    { kind: 'creates', files: 1, folders: 0, bytes: 7, ignored: 0, samples: ['/p/new'] },
  ]);
});

test('a move is counted once, and named from where and to where', () => {
  const changes: readonly PathChange[] = [
    { path: 'a', before: entry('file', 5), after: null },
    { path: 'b', before: null, after: entry('file', 5) },
  ];
  const groups = [{ kind: 'renamed', path: 'b', from: 'a', members: [0, 1] }] as const;
  expect(countChanges({ changes, groups, lost: new Map(), project: '/p' })).toMatchObject([
    { kind: 'moves', files: 1, folders: 0, bytes: 5, samples: ['/p/a', '/p/b'] },
  ]);
});
