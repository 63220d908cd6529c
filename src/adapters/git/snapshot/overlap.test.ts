import { describe, expect, test } from 'bun:test';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { stepsIn } from '../../../../test/support/steps-in.ts';
import type { Checkpoint } from '../../../protocol/checkpoint.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';

const base = useGitHome('overlap', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const { put, get, has } = workIn(() => cwd);
const { plan, run, states } = stepsIn(() => cwd);
const begin = (sessionId: string): Promise<Checkpoint> => createCheckpoint({ ...STEP, cwd, sessionId });

/** A step of the model in one terminal, and within its time one of the user in another. */
async function overlap(): Promise<void> {
  put('o', '1');
  const model = await begin('model');
  const user = await begin('user');
  put('b', 'user');
  put('o', 'user');
  await finalizeCheckpoint(user);
  put('a', 'model');
  await finalizeCheckpoint(model);
}

const planned = async (id: string) =>
  (await plan('undo', id)).paths.map(({ path, state, why }) => [path, state, why].filter((part) => part !== ''));

describe('what two steps changed that ran at the same time', () => {
  const why = (id: string) => `${id}, which ran at the same time, changed it as well`;

  test('is asked about, and what one of them alone changed is not', async () => {
    await overlap();
    expect([await planned('c1'), await planned('c2')]).toEqual([
      [
        ['a', 'restore'],
        ['b', 'conflict', why('c2')],
        ['o', 'conflict', why('c2')],
      ],
      [
        ['b', 'conflict', why('c1')],
        ['o', 'conflict', why('c1')],
      ],
    ]);
  });

  test('stays where nobody can be asked', async () => {
    await overlap();
    expect([(await run('undo', 'c1')).restored, get('b'), get('o'), await states()]).toEqual([
      ['a'],
      'user',
      'user',
      ['c3 c1 done', 'c2  done', 'c1  partly'],
    ]);
  });

  test('counts as undone in both where it is taken back in one, until it is done once more', async () => {
    await overlap();
    await run('undo', 'c1', { b: 'theirs', o: 'theirs' });
    expect([has('b'), get('o'), await states()]).toEqual([false, '1', ['c3 c1 done', 'c2  undone', 'c1  undone']]);
    await run('redo');
    expect([get('b'), get('o'), (await states()).slice(1)]).toEqual([
      'user',
      'user',
      ['c3 c1 done', 'c2  done', 'c1  done'],
    ]);
  });

  test('leaves the longer step undone in part where the shorter one is taken back', async () => {
    await overlap();
    await run('undo', 'c2', { b: 'theirs', o: 'theirs' });
    expect(await states()).toEqual(['c3 c2 done', 'c2  undone', 'c1  partly']);
    expect((await run('undo', 'c1')).restored).toEqual(['a']);
    expect((await states()).at(-1)).toBe('c1  undone');
  });

  test('is asked about also where the other step never ended', async () => {
    const model = await begin('model');
    put('a', 'model');
    await begin('killed');
    put('b', 'killed');
    await finalizeCheckpoint(model);
    expect(await planned('c1')).toEqual([
      ['a', 'restore'],
      ['b', 'conflict', 'c2, which ran at the same time, may have changed it'],
    ]);
  });

  test('is asked about also where an undo of another step put it there', async () => {
    put('a', '1');
    const first = await begin('user');
    put('a', '2');
    await finalizeCheckpoint(first);
    const model = await begin('model');
    await run('undo', 'c1');
    put('b', 'model');
    await finalizeCheckpoint(model);
    expect(await planned('c2')).toEqual([
      ['a', 'conflict', why('c3')],
      ['b', 'restore'],
    ]);
  });
});

test('nothing is asked about steps one after the other, no matter who made them', async () => {
  for (const [sessionId, content] of [
    ['model', '1'],
    ['user', '2'],
    ['model', '3'],
  ] as const) {
    const made = await begin(sessionId);
    put('a', content);
    await finalizeCheckpoint(made);
  }
  await run('undo');
  expect([get('a'), await planned('c2')]).toEqual(['2', [['a', 'restore']]]);
});

test('a step that another session is in the middle of may have changed all that was changed meanwhile', async () => {
  await begin('model');
  const user = await begin('user');
  put('a', 'which of both?');
  await finalizeCheckpoint(user);
  expect(await planned('c2')).toEqual([['a', 'conflict', 'c1, which ran at the same time, may have changed it']]);
  const next = await begin('model');
  put('b', 'model');
  await finalizeCheckpoint(next);
  expect(await planned('c2')).toEqual([['a', 'restore']]);
  rmSync(join(cwd, 'a'));
});
