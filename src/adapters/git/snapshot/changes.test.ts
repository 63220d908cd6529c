import { expect, test } from 'bun:test';
import { chmodSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { openRepository } from '../object-store/repository.ts';
import { compareLooseTrees } from './changes.ts';

const base = useGitHome('compare-trees', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put } = workIn(() => cwd);

/** The tree of all that is in the work tree. */
function treeNow(): string {
  git('add', '-A');
  return git('write-tree').trim();
}

function askGit(before: string, after: string): readonly unknown[] {
  const fields = git('diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', before, after).split('\0');
  const versions = (mode = '', blob = '') => (mode === '000000' ? null : { mode, blob });
  return fields.flatMap((field, at) => {
    if (at % 2 === 1 || field === '') return [];
    const [oldMode, newMode, oldBlob, newBlob] = field.slice(1).split(' ');
    return { path: fields[at + 1], before: versions(oldMode, oldBlob), after: versions(newMode, newBlob) };
  });
}

test('two trees differ as git says, in its order', async () => {
  for (const path of ['a', 'a.txt', 'a-b/x', 'b/c/d', 'b/same', 'gone/x', 'kind/x', 'mode', 'turns']) put(path, '1');
  const before = treeNow();
  for (const path of ['gone', 'kind', 'turns', 'a']) rmSync(join(cwd, path), { recursive: true });
  for (const path of ['a/new', 'b/c/d', 'kind', 'new/deep/er']) put(path, '2');
  chmodSync(join(cwd, 'mode'), 0o755);
  symlinkSync('mode', join(cwd, 'turns'));
  const after = treeNow();
  const repository = await openRepository(cwd);
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    const changes = compareLooseTrees(repository, one, other);
    expect(changes).toHaveLength(9);
    expect(changes).toEqual(askGit(one, other) as never);
  }
});

test('packed trees, submodules and very many trees are left to git', async () => {
  put('a', '1');
  const before = treeNow();
  for (let folder = 0; folder < 100; folder += 1) put(`d${folder}/x`, '1');
  const after = treeNow();
  const repository = await openRepository(cwd);
  expect(compareLooseTrees(repository, before, after)).toBeNull();
  git('update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},module`);
  expect(compareLooseTrees(repository, after, git('write-tree').trim())).toBeNull();
  git('-c', 'user.name=a', '-c', 'user.email=a', 'commit', '-qm', 'all');
  git('gc', '-q');
  expect(compareLooseTrees(repository, git('rev-parse', 'HEAD^{tree}').trim(), before)).toBeNull();
});
