import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { openRepository } from '../object-store/repository.ts';
import { applyRestore } from '../restore/apply.ts';
import { planRestore } from '../restore/plan.ts';
import { createCheckpoint, finalizeCheckpoint, keepSnapshotAfter } from './checkpoint.ts';
import { takeSnapshot } from './snapshot.ts';
import { diffStep, timeline } from './timeline.ts';

const base = useGitHome('timeline', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { put } = workIn(() => cwd);
const { step, run } = stepsIn(() => cwd);

describe('the timeline', () => {
  test('tells of each step its cause, its counts and whether it is undone', async () => {
    put('a', '1');
    put('b', '1');
    const checkpoint = await createCheckpoint({ ...STEP, cwd, cause: 'command-line', toolName: 'exec' });
    put('a', '2');
    put('c', '2');
    rmSync(join(cwd, 'b'));
    await finalizeCheckpoint(checkpoint);
    const plan = await planRestore({ cwd, id: null, direction: 'undo' });
    await applyRestore(plan, {}, { limits: USUAL_RETENTION, sessionId: 's1', at: STEP.at + 1 });
    await createCheckpoint({ ...STEP, cwd });
    const steps = (await timeline(cwd)).map(({ commit: _, ref: __, root: ___, label, ...rest }) => ({
      label,
      ...rest,
    }));
    const { at } = STEP;
    expect(steps).toEqual([
      {
        id: 'c3',
        label: 'before a step',
        at,
        sessionId: 's1',
        toolName: 'write',
        cause: 'tool',
        of: null,
        counts: null,
        state: 'done',
        isAtWork: true,
      },
      {
        id: 'c2',
        label: 'before undo of c1',
        at: at + 1,
        sessionId: 's1',
        toolName: 'undo',
        cause: 'undo',
        of: 'c1',
        counts: { added: 1, changed: 1, removed: 1 },
        state: 'done',
      },
      {
        id: 'c1',
        label: 'before a step',
        at,
        sessionId: 's1',
        toolName: 'exec',
        cause: 'command-line',
        of: null,
        counts: { added: 1, changed: 1, removed: 1 },
        state: 'undone',
      },
    ]);
  });
});

test('an undo that was killed has no counts: nobody knows how far it came', async () => {
  put('a', '1');
  await step(() => put('a', '2'));
  const { undo } = await run('undo');
  if (undo === null) throw new Error('nothing was undone');
  const repository = await openRepository(cwd);
  await keepSnapshotAfter(repository, undo, await takeSnapshot(repository));
  const seen = async () =>
    (await timeline(cwd)).map(({ id, counts, isAtWork, state }) => [id, counts, isAtWork, state]);
  const counts = { added: 0, changed: 1, removed: 0 };
  expect((await seen())[0]).toEqual(['c2', null, true, 'done']);
  await step(() => put('b', '1'));
  expect((await seen()).slice(1)).toEqual([
    ['c2', null, undefined, 'done'],
    ['c1', counts, undefined, 'partly'],
  ]);
});

describe('a diff', () => {
  test('of a step leaves out what came later, and one since the step does not', async () => {
    put('a', '1\n');
    put('b', '1\n');
    const id = await step(() => put('a', '2\n'));
    put('b', '2\n');
    const lines = async (of: 'step' | 'since', paths: readonly string[] = []) =>
      (await diffStep({ cwd, id, of, paths })).split('\n').filter((line) => /^[+-]/.test(line));
    expect(await lines('step')).toEqual(['--- a/a', '+++ b/a', '-1', '+2']);
    expect(await lines('since')).toEqual(['--- a/a', '+++ b/a', '-1', '+2', '--- a/b', '+++ b/b', '-1', '+2']);
    expect(await lines('since', ['b'])).toEqual(['--- a/b', '+++ b/b', '-1', '+2']);
  });
});

test('the list tells what each step changed, newest first', async () => {
  put('a', '1');
  await step(() => put('b', '1'));
  await createCheckpoint({ ...STEP, cwd });
  const list = await timeline(cwd);
  expect(list.map(({ id, label, counts }) => ({ id, label, counts }))).toEqual([
    { id: 'c2', label: 'before a step', counts: null },
    { id: 'c1', label: 'before a step', counts: { added: 1, changed: 0, removed: 0 } },
  ]);
});

test('the diff runs from the checkpoint to the present', async () => {
  put('a', '1\n');
  await createCheckpoint({ ...STEP, cwd });
  put('a', '2\n');
  expect((await diffStep({ cwd, id: null, of: 'since' })).split('\n').slice(2)).toEqual([
    '--- a/a',
    '+++ b/a',
    '@@ -1 +1 @@',
    '-1',
    '+2',
    '',
  ]);
});

test('a name in any script reads as it is in a diff, and one that would end its line stands in quotes', async () => {
  await step(() => put('naïve\nname', '1\n'));
  await step(() => put('größe', '1\n'));
  const headOf = async (id: string) => (await diffStep({ cwd, id, of: 'step' })).split('\n')[0];
  expect([await headOf('c1'), await headOf('c2')]).toEqual([
    'diff --git "a/naïve\\nname" "b/naïve\\nname"',
    'diff --git a/größe b/größe',
  ]);
});
