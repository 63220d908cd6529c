import { expect, test } from 'bun:test';
import { chmodSync, existsSync, mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { openRepository } from '../object-store/repository.ts';
import { listRefFolders, writeLooseRefs } from './loose-refs.ts';

const base = useGitHome('loose-refs', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, commit } = workIn(() => cwd);
const file = (name: string) => join(cwd, '.git', name);

async function write(...lines: readonly string[]): Promise<boolean> {
  if (!existsSync(join(cwd, 'a'))) {
    put('a', '1');
    commit();
  }
  const head = git('rev-parse', 'HEAD').trim();
  return writeLooseRefs(
    await openRepository(cwd),
    lines.map((line) => `${line} ${head}`),
  );
}

const list = async () => [...(listRefFolders(await openRepository(cwd), 'refs/aish') ?? [])].sort();

test('refs are made and changed as git makes them', async () => {
  expect(await write('create refs/aish/c1/before', 'create refs/aish/c1/before-modes')).toBe(true);
  expect(await write('update refs/aish/c1/before')).toBe(true);
  expect(git('for-each-ref', '--format=%(refname) %(objectname)', 'refs/aish').trim().split('\n')).toEqual(
    ['before', 'before-modes'].map((name) => `refs/aish/c1/${name} ${git('rev-parse', 'HEAD').trim()}`),
  );
  expect(statSync(file('refs/aish/c1/before')).mode).toBe(statSync(file('refs/heads/main')).mode);
  expect(readdirSync(file('refs/aish/c1')).sort()).toEqual(['before', 'before-modes']);
});

test('a ref that exists is not made anew, packed or not, and no lock stays', async () => {
  await write('create refs/aish/c1/before');
  expect(await write('create refs/aish/c1/before-modes', 'create refs/aish/c1/before')).toBe(false);
  git('pack-refs', '--all');
  expect(await write('create refs/aish/c1/before')).toBe(false);
  expect(git('for-each-ref', '--format=%(refname)', 'refs/aish').trim()).toBe('refs/aish/c1/before');
  expect(await list()).toEqual(['c1']);
});

test('a ref that somebody else has locked is left to git', async () => {
  mkdirSync(file('refs/aish/c1'), { recursive: true });
  writeFileSync(file('refs/aish/c1/before.lock'), '');
  expect(await write('create refs/aish/c1/before')).toBe(false);
  expect(readdirSync(file('refs/aish/c1'))).toEqual(['before.lock']);
  expect(await list()).toEqual([]);
});

test('a lock that a killed process left long ago keeps no ref in its place', async () => {
  await write('create refs/aish/c1/before', 'create refs/aish/c1/after');
  for (const name of ['before', 'after']) {
    writeFileSync(file(`refs/aish/c1/${name}.lock`), '');
    utimesSync(file(`refs/aish/c1/${name}.lock`), 1_700_000_000, 1_700_000_000);
  }
  expect(await write('update refs/aish/c1/after')).toBe(true);
  expect(await write('delete refs/aish/c1/before', 'delete refs/aish/c1/after')).toBe(true);
  expect(existsSync(file('refs/aish/c1'))).toBe(false);
});

test('a ref goes with the folder that is empty then, if it has the value that is named', async () => {
  await write('create refs/aish/c1/before', 'create refs/aish/c1/after', 'create refs/aish/c2/before');
  expect(await write('delete refs/aish/c1/before', 'create refs/aish/c3/before')).toBe(true);
  const repository = await openRepository(cwd);
  expect(await writeLooseRefs(repository, [`delete refs/aish/c2/before ${'0'.repeat(40)}`])).toBe(false);
  expect(await writeLooseRefs(repository, ['delete refs/aish/c1/after', 'delete refs/aish/c4/before'])).toBe(false);
  expect(readdirSync(file('refs/aish/c1'))).toEqual(['after']);
  expect(await writeLooseRefs(repository, ['delete refs/aish/c1/after', 'delete refs/aish/c2/before'])).toBe(true);
  expect(readdirSync(file('refs/aish'))).toEqual(['c3']);
  expect(git('for-each-ref', '--format=%(refname)', 'refs/aish').trim()).toBe('refs/aish/c3/before');
});

test('packed refs that go, shared repositories and tables of refs are left to git', async () => {
  await write('create refs/aish/c1/before');
  git('pack-refs', '--all');
  expect(await write('delete refs/aish/c1/before')).toBe(false);
  await write('update refs/aish/c1/before');
  expect(await write('delete refs/aish/c1/before')).toBe(false);
  chmodSync(file('refs'), 0o2775);
  expect(await write('create refs/aish/c2/before')).toBe(false);
  chmodSync(file('refs'), 0o755);
  mkdirSync(file('reftable'));
  expect(await write('create refs/aish/c2/before')).toBe(false);
  expect(listRefFolders(await openRepository(cwd), 'refs/aish')).toBeNull();
  expect(existsSync(file('refs/aish/c2'))).toBe(false);
});
