import { expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, workIn } from '../../../../test/support/git-place.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { planUndo } from '../../../engine/effects/plan-undo.ts';
import { openRepository } from '../object-store/repository.ts';
import { diffStep, timeline } from '../snapshot/timeline.ts';
import { applyRestore } from './apply.ts';

const base = useGitHome('older-steps', ADA);
let cwd = '';
const { git, put, get, commit } = workIn(() => cwd);

/** A folder with two steps that became a repository, in which there is another one. */
async function becomeRepository(): Promise<void> {
  cwd = realpathSync(mkdtempSync(join(base, 'home', 'folder-')));
  put('a', '1\n');
  await runStep(cwd, () => put('a', '2\n'));
  await runStep(cwd, () => put('sub/b', '1\n'));
  git('init', '-q');
  commit();
  await runStep(cwd, () => put('c', '1\n'));
}

test('a folder that became a repository has its earlier steps apart, and they go back and forth there', async () => {
  await becomeRepository();
  const restore = async (direction: 'undo' | 'redo', paths?: readonly string[]) => {
    const plan = await planUndo({ cwd, id: null, direction, apart: true, ...(paths === undefined ? {} : { paths }) });
    return (await applyRestore(plan, {}, { limits: USUAL_RETENTION, sessionId: 's1', keep: cwd })).restored;
  };
  const of = async (apart: boolean) => (await timeline(cwd, undefined, [], apart)).map(({ id }) => id);
  expect([await of(false), await of(true)]).toEqual([['c1'], ['c2', 'c1']]);
  expect([await restore('undo', ['a']), get('a')]).toEqual([['a'], '1\n']);
  expect([await restore('undo'), await restore('redo'), get('sub/b')]).toEqual([['sub/b'], ['sub/b'], '1\n']);
  expect(git('status', '--porcelain')).toBe(' M a\n?? c\n');
});

test('the repository says where they are once it has nothing to take back itself, and folders below it find them', async () => {
  await becomeRepository();
  const undo = async () =>
    applyRestore(
      await planUndo({ cwd, id: null, direction: 'undo' }),
      {},
      { limits: USUAL_RETENTION, sessionId: 's1' },
    );
  await undo();
  await expect(undo()).rejects.toMatchObject({
    message: 'there is nothing to undo in this work tree',
    hint: 'aish undo --apart uses the checkpoints made before this folder became a git repository',
  });
  const diff = await diffStep({ cwd: join(cwd, 'sub'), id: 'c1', of: 'step', apart: true });
  expect(diff.split('\n').filter((line) => /^[+-]\d/.test(line))).toEqual(['-1', '+2']);
});

test('a place without such steps says so', async () => {
  cwd = realpathSync(mkdtempSync(join(base, 'home', 'folder-')));
  mkdirSync(join(cwd, 'sub'));
  await expect(openRepository(join(cwd, 'sub'), { apart: true })).rejects.toThrow(
    'aish has no checkpoints from before this folder became a git repository',
  );
});
