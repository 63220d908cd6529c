import { expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { openRepository } from './repository.ts';
import { sweepWithheld } from './withheld.ts';

const base = useGitHome('moved', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get } = workIn(() => cwd);
const { step, run } = stepsIn(() => cwd);

/** A step that changes a secret file, which no object of the repository holds. */
async function changeSecret(before: string, after: string): Promise<void> {
  put('.env', before);
  await step(() => put('.env', after));
}

async function storeOf(): Promise<string> {
  return (await openRepository(cwd)).withheldFolder;
}

/** The store as it was before repositories named theirs. */
async function forgetName(): Promise<string> {
  const store = await storeOf();
  rmSync(join(cwd, '.git/aish/store'));
  rmSync(join(store, 'named'));
  const legacy = join(
    dirname(store),
    new Bun.CryptoHasher('sha256').update(join(cwd, '.git')).digest('hex').slice(0, 32),
  );
  if (store !== legacy) renameSync(store, legacy);
  return legacy;
}

function moveTo(name: string): string {
  const to = join(base, `${name}-${crypto.randomUUID()}`);
  renameSync(cwd, to);
  cwd = to;
  return to;
}

test('a moved repository brings its secret files back, and all others', async () => {
  put('a', 'mine');
  await step(() => put('a', 'model'));
  moveTo('moved');
  await changeSecret('mine', 'model');
  moveTo('moved-again');
  for (const _ of ['.env', 'a']) expect((await run('undo')).refused).toEqual([]);
  expect([get('.env'), get('a')]).toEqual(['mine', 'mine']);
});

test('a repository that comes to lie where another one was has a store of its own', async () => {
  await changeSecret('mine', 'model');
  const [first, place] = [await storeOf(), cwd];
  const moved = moveTo('first');
  cwd = place;
  mkdirSync(cwd);
  git('init', '-q');
  await changeSecret('other', 'changed');
  expect(await storeOf()).not.toBe(first);
  await run('undo');
  expect(get('.env')).toBe('other');
  cwd = moved;
  await run('undo');
  expect([get('.env'), await storeOf()]).toEqual(['mine', first]);
});

test('a copy of a repository has a copy of the store, and neither takes anything from the other', async () => {
  await changeSecret('mine', 'model');
  const first = cwd;
  const copy = join(base, `copy-${crypto.randomUUID()}`);
  cpSync(first, copy, { recursive: true });
  const store = await storeOf();
  cwd = copy;
  const stores = [store, await storeOf()];
  expect([stores[1] === stores[0], await storeOf()]).toEqual([false, stores[1] ?? '']);
  // Nothing is named by a checkpoint any more, so all of the copy's goes.
  sweepWithheld(stores[1] ?? '', new Set(), Date.now() + 3_600_000);
  expect(readdirSync(join(stores[1] ?? '', 'contents'))).toEqual([]);
  cwd = first;
  await run('undo');
  expect(get('.env')).toBe('mine');
});

test('a copy undoes what was done before it was made, also when the first one is gone', async () => {
  for (const isGone of [false, true]) {
    await changeSecret('mine', 'model');
    const copy = join(base, `copy-${crypto.randomUUID()}`);
    cpSync(cwd, copy, { recursive: true });
    if (isGone) rmSync(cwd, { recursive: true });
    const before = cwd;
    cwd = copy;
    expect((await run('undo')).refused).toEqual([]);
    expect(get('.env')).toBe('mine');
    await run('redo');
    await run('undo');
    expect(get('.env')).toBe('mine');
    cwd = before;
  }
});

test('a store from before repositories named theirs goes along after the next look', async () => {
  await changeSecret('mine', 'model');
  const legacy = await forgetName();
  expect(await storeOf()).toBe(legacy);
  moveTo('legacy');
  expect(await storeOf()).toBe(legacy);
  await run('undo');
  expect(get('.env')).toBe('mine');
});

test('linked work trees have one store, and a clone has another', async () => {
  await changeSecret('mine', 'model');
  git('add', '-A');
  git('commit', '-qm', 'x');
  const first = await storeOf();
  git('worktree', 'add', '-q', `${cwd}-linked`);
  git('clone', '-q', cwd, `${cwd}-clone`);
  expect(await Promise.all([openRepository(`${cwd}-linked`), openRepository(`${cwd}-clone`)])).toEqual([
    expect.objectContaining({ withheldFolder: first }),
    expect.not.objectContaining({ withheldFolder: first }),
  ]);
});

test('a repository cannot claim the store of another one by its name', async () => {
  await changeSecret('mine', 'model');
  const victim = await storeOf();
  const name = victim.slice(victim.lastIndexOf('/') + 1);
  rmSync(join(cwd, '.git'), { recursive: true });
  cwd = join(base, `hostile-${crypto.randomUUID()}`);
  mkdirSync(cwd);
  git('init', '-q');
  mkdirSync(join(cwd, '.git/aish'));
  writeFileSync(join(cwd, '.git/aish/store'), `${name} ${'0'.repeat(64)}\n`);
  expect(await storeOf()).not.toBe(victim);
  await changeSecret('other', 'changed');
  expect(existsSync(join(victim, 'contents'))).toBe(true);
  await run('undo');
  expect(get('.env')).toBe('other');
});

test('a repository that cannot be written to finds its store, and says nothing', async () => {
  await changeSecret('mine', 'model');
  const legacy = await forgetName();
  // A folder in the place of the file: no write succeeds, for the superuser either.
  mkdirSync(join(cwd, '.git/aish/store/x'), { recursive: true });
  expect(await storeOf()).toBe(legacy);
  await run('undo');
  expect(get('.env')).toBe('mine');
});
