import { expect, test } from 'bun:test';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';
import { timeline } from './timeline.ts';

const base = useGitHome('removal-plan', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put } = workIn(() => cwd);

const LIMITS = { steps: 4, bytes: 1e9 };
let moment = 1;

async function step(sessionId = 's1', run?: number): Promise<string> {
  moment += 1;
  const options = {
    cwd,
    label: 'x',
    toolName: 'write',
    mode: 'ref',
    limits: LIMITS,
    sessionId,
    run,
    at: moment,
  } as const;
  const checkpoint = await createCheckpoint(options);
  put('a', `${moment}`);
  await finalizeCheckpoint(checkpoint);
  return checkpoint.id;
}

const ids = async () => (await timeline(cwd)).map(({ id }) => id);

test('with each step over the limit the oldest goes, and nothing of it stays', async () => {
  for (let number = 1; number <= 9; number += 1) await step();
  expect(await ids()).toEqual(['c9', 'c8', 'c7', 'c6']);
  const refs = git('for-each-ref', '--format=%(refname)', 'refs/aish').trim().split('\n');
  expect([...new Set(refs.map((ref) => ref.split('/')[2]))]).toEqual(['c6', 'c7', 'c8', 'c9']);
});

test('steps that another session makes meanwhile count, and those of the session itself go last', async () => {
  for (let number = 1; number <= 6; number += 1) await step();
  await step('s2');
  await step('s2');
  expect(await ids()).toEqual(['c8', 'c7', 'c6', 'c5']);
  await step();
  expect(await ids()).toEqual(['c9', 'c8', 'c6', 'c5']);
});

test('an undo changes the plan: it goes together with its step', async () => {
  for (let number = 1; number <= 6; number += 1) await step();
  await undoStep({ cwd, id: null });
  await step();
  await step();
  await step();
  const left = await timeline(cwd);
  expect(left.map(({ id, of }) => [id, of])).toEqual([
    ['c10', null],
    ['c9', null],
    ['c8', null],
  ]);
});

test('a run longer than the limit keeps all of its steps, and the next run takes their place', async () => {
  await step();
  await step();
  for (let number = 1; number <= 7; number += 1) await step('s1', 1);
  expect(await ids()).toEqual(['c9', 'c8', 'c7', 'c6', 'c5', 'c4', 'c3', 'c2', 'c1']);
  for (let number = 1; number <= 6; number += 1) await step('s1', 2);
  expect(await ids()).toEqual(['c15', 'c14', 'c13', 'c12', 'c11', 'c10', 'c9', 'c8']);
});
