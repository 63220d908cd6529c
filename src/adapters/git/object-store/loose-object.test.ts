import { beforeEach, describe, expect, test } from 'bun:test';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { createCheckpoint } from '../snapshot/checkpoint.ts';
import { readLooseObject, writeObject } from './loose-object.ts';
import { openRepository } from './repository.ts';

const base = useGitHome('loose-object', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get, commit } = workIn(() => cwd);
const { step, run } = stepsIn(() => cwd);
const find = (name: string) => join(cwd, '.git/objects', name.slice(0, 2), name.slice(2));

async function keep(text: string): Promise<string> {
  const repository = await openRepository(cwd);
  return writeObject(repository, 'blob', Buffer.from(text), 'keep a text');
}

for (const format of ['sha1', 'sha256']) {
  describe(`in a repository of ${format}`, () => {
    beforeEach(() => {
      rmSync(join(cwd, '.git'), { recursive: true, force: true });
      git('init', '-q', '-b', 'main', `--object-format=${format}`);
    });

    test('git finds no fault in the objects and refs of checkpoints', async () => {
      put('a', '1');
      put('folder/b', '1');
      commit();
      symlinkSync('a', join(cwd, 'link'));
      await step(() => put('folder/new', 'x'));
      await step(() => chmodSync(join(cwd, 'a'), 0o755));
      await step(() => {
        chmodSync(join(cwd, 'a'), 0o600);
        put('a', '2');
      });
      expect(git('fsck', '--strict', '--no-dangling')).toBe('');
      expect(git('for-each-ref', '--format=%(refname)', 'refs/aish').split('\n')).toContain('refs/aish/c3/after');
      await run('undo');
      expect(get('a')).toBe('1');
      expect(git('fsck', '--strict', '--no-dangling')).toBe('');
    });

    test('an object has the name and the content that git gives it', async () => {
      const name = await keep('some\0bytes');
      expect(git('cat-file', 'blob', name)).toBe('some\0bytes');
      expect(readLooseObject(await openRepository(cwd), 'blob', name)?.toString()).toBe('some\0bytes');
    });
  });
}

test('an object that is there becomes young instead of being written', async () => {
  const name = await keep('text');
  utimesSync(find(name), 1, 1);
  const { ino } = statSync(find(name));
  expect(await keep('text')).toBe(name);
  expect(statSync(find(name))).toMatchObject({ ino });
  expect(statSync(find(name)).mtimeMs).toBeGreaterThan(Date.now() - 60_000);
});

test('a damaged object is not read', async () => {
  const name = await keep('text');
  const other = readFileSync(find(await keep('other')));
  chmodSync(find(name), 0o600);
  writeFileSync(find(name), other);
  expect(readLooseObject(await openRepository(cwd), 'blob', name)).toBeNull();
});

test('packed objects and refs serve as the loose ones do', async () => {
  put('a', '1');
  await step(() => put('a', '2'));
  const open = await createCheckpoint({ ...STEP, cwd });
  git('gc', '-q', '--prune=now');
  expect(existsSync(join(cwd, '.git/refs/aish/c2/before'))).toBe(false);
  const { finalizeCheckpoint } = await import('../snapshot/checkpoint.ts');
  put('a', '3');
  await finalizeCheckpoint(open);
  expect((await createCheckpoint({ ...STEP, cwd })).id).toBe('c3');
  expect(git('fsck', '--strict', '--no-dangling')).toBe('');
});

test('a snapshot after a step is not kept where the commit before it is gone', async () => {
  put('a', '1');
  const open = await createCheckpoint({ ...STEP, cwd });
  git('update-ref', '-d', open.ref);
  git('update-ref', '-d', `${open.ref}-modes`);
  git('prune', '--expire=now');
  const { finalizeCheckpoint } = await import('../snapshot/checkpoint.ts');
  put('a', '2');
  await expect(finalizeCheckpoint(open)).rejects.toMatchObject({ code: 'git.failed' });
  expect(git('for-each-ref')).toBe('');
});

test('a folder of objects that is read-only makes an error that names the step', async () => {
  if (process.getuid?.() === 0) return;
  put('a', '1');
  commit();
  chmodSync(join(cwd, '.git/objects'), 0o500);
  await expect(createCheckpoint({ ...STEP, cwd })).rejects.toMatchObject({ name: 'AishError' });
  chmodSync(join(cwd, '.git/objects'), 0o700);
});
