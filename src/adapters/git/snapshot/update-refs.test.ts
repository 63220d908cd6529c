import { expect, test } from 'bun:test';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { createCheckpoint } from './checkpoint.ts';

const base = useGitHome('update-refs', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get, commit } = workIn(() => cwd);
const { step, run } = stepsIn(() => cwd);

/** Puts a link to a folder of the user's in the place of something of git's. */
function plant(name: string): string {
  const aim = join(base, `aim-${crypto.randomUUID()}`);
  mkdirSync(aim);
  const path = join(cwd, '.git', name);
  rmSync(path, { recursive: true, force: true });
  mkdirSync(join(path, '..'), { recursive: true });
  symlinkSync(aim, path);
  return aim;
}

for (const name of ['refs/aish/c2', 'refs/aish', 'refs/aish/c7/before']) {
  test(`a link at ${name} is not written through, and the error says what to do`, async () => {
    put('a', '1');
    await step(() => put('a', '2'));
    const aim = plant(name);
    const path = join(cwd, '.git', name);
    await expect(createCheckpoint({ ...STEP, cwd })).rejects.toMatchObject({
      code: 'checkpoint.unavailable',
      message: `${path} is a symbolic link, so git would write the checkpoint to its target`,
      hint: `check its target, then remove the link: rm ${path}`,
    });
    expect(readdirSync(aim)).toEqual([]);
    rmSync(path);
    await step(() => put('a', '3'));
    await run('undo');
    expect(get('a')).toBe('2');
  });
}

test('packed refs that are a link are not written through', async () => {
  put('a', '1');
  commit();
  git('pack-refs', '--all');
  const aim = join(base, `packed-${crypto.randomUUID()}`);
  renameSync(join(cwd, '.git/packed-refs'), aim);
  symlinkSync(aim, join(cwd, '.git/packed-refs'));
  await expect(createCheckpoint({ ...STEP, cwd })).rejects.toMatchObject({ code: 'checkpoint.unavailable' });
});

test('refs that are a link as a whole are not written through', async () => {
  put('a', '1');
  commit();
  const aim = join(base, `refs-${crypto.randomUUID()}`);
  renameSync(join(cwd, '.git/refs'), aim);
  symlinkSync(aim, join(cwd, '.git/refs'));
  await expect(createCheckpoint({ ...STEP, cwd })).rejects.toMatchObject({ code: 'checkpoint.unavailable' });
  expect(readdirSync(aim).includes('aish')).toBe(false);
});

test('a ref that names a branch is replaced and not followed', async () => {
  put('a', '1');
  commit();
  const head = git('rev-parse', 'HEAD');
  mkdirSync(join(cwd, '.git/refs/aish/c1'), { recursive: true });
  writeFileSync(join(cwd, '.git/refs/aish/c1/after'), 'ref: refs/heads/main\n');
  await step(() => put('a', '2'));
  expect(git('rev-parse', 'main')).toBe(head);
});
