import { expect, test } from 'bun:test';
import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';

const base = useGitHome('meanwhile', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, get, has, commit } = workIn(() => cwd);
const { plan, run, step } = stepsIn(() => cwd);

/** Waits until what happens is later than a moment by the clock of files, which only moves some times a moment. */
async function later(moment: number): Promise<void> {
  const sign = join(base, 'sign');
  for (;;) {
    writeFileSync(sign, '');
    if (lstatSync(sign).ctimeMs > moment + 1) return;
    await Bun.sleep(1);
  }
}

/** A step that ends, and what the user does before the snapshot after it is taken. */
async function stepAndSave(change: () => void, save: () => void): Promise<void> {
  const checkpoint = await createCheckpoint({ ...STEP, cwd });
  change();
  const endedAt = Date.now();
  await later(endedAt);
  save();
  await finalizeCheckpoint(checkpoint, { endedAt });
}

test('what the user saves, moves and removes between the end of a step and its snapshot is asked about', async () => {
  for (const name of ['model', 'both', 'mine', 'moved', 'gone', 'dir/other']) put(name, 'old\n');
  mkdirSync(join(cwd, 'quiet'));
  put('quiet/model', 'old\n');
  commit();
  await stepAndSave(
    () => {
      put('model', 'model\n');
      put('both', 'model\n');
      rmSync(join(cwd, 'quiet/model'));
      put('quiet/made', 'model\n');
    },
    () => {
      put('both', 'mine\n');
      put('mine', 'mine\n');
      put('user', 'mine\n');
      renameSync(join(cwd, 'moved'), join(cwd, 'dir/moved'));
      rmSync(join(cwd, 'gone'));
    },
  );
  const why = 'it changed just after the step ended, so the change may be yours';
  expect((await plan()).paths.map((path) => [path.path, path.state, path.why])).toEqual([
    ['both', 'conflict', why],
    ['dir/moved', 'conflict', why],
    ['gone', 'conflict', why],
    ['mine', 'conflict', why],
    ['model', 'restore', ''],
    ['moved', 'conflict', why],
    ['quiet/made', 'restore', ''],
    ['quiet/model', 'restore', ''],
    ['user', 'conflict', why],
  ]);
  const { restored, refused } = await run('undo');
  expect([restored, refused.length]).toEqual([['model', 'quiet/made', 'quiet/model'], 6]);
  expect(['both', 'mine', 'user', 'dir/moved'].map(get)).toEqual(['mine\n', 'mine\n', 'mine\n', 'old\n']);
  expect(['gone', 'moved'].map(has)).toEqual([false, false]);
});

test('what a step did up to its end is its own, also with old times', async () => {
  put('a', 'old\n');
  await step(() => put('a', 'model\n'));
  await stepAndSave(
    () => put('b', 'model\n'),
    () => undefined,
  );
  expect((await run('undo')).restored).toEqual(['b']);
  expect((await run('undo')).restored).toEqual(['a']);
});

test('mode "commit" commits nothing that was saved after a step', async () => {
  put('a', 'old\n');
  commit();
  await stepAndSave(
    () => put('a', 'model\n'),
    () => put('mine', 'mine\n'),
  );
  await createCheckpoint({ ...STEP, cwd, mode: 'commit' });
  expect(git('show', '--format=', '--name-only', 'HEAD')).toBe('a\n');
});
