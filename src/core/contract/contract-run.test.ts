import { expect, test } from 'bun:test';
import type { ContractCheck } from '../../protocol/contract.ts';
import { afterChecks, type ContractRun, hasNoTokenLeft, isResumable, resumeRun, startRun } from './contract-run.ts';

const contract = { goal: 'g', until: ['a', 'b'], only: ['.'], limits: { steps: 2, minutes: 1, tokens: 100 } };

function check(exits: readonly number[], tree = 't', changed: readonly string[] = []): ContractCheck {
  const fixed = { driver: 'model', cwd: '/w', output: '', bytes: 0, durationMs: 1 } as const;
  return { records: exits.map((exit) => ({ ...fixed, line: 'x', exit })), tree, changed };
}

function run(checks: readonly ContractCheck[], from: ContractRun = startRun(1, contract)): ContractRun {
  return checks.reduce((state, one) => afterChecks(state, one, undefined), from);
}

test('checks that all pass reach the goal, or had reached it before', () => {
  expect(run([check([0, 0])]).end).toEqual({ reason: 'already-achieved' });
  expect(run([check([1, 0]), check([0, 0])]).end).toEqual({ reason: 'achieved' });
  expect(run([check([1, 0]), check([0, 1])])).toMatchObject({ end: null, stage: 'working' });
});

test('a pinned file that changed proves nothing, whatever the checks say', () => {
  expect(run([check([1, 1]), check([0, 0], 't', ['test/a'])]).end).toEqual({ reason: 'pinned-changed' });
});

test('three equal checks of an equal project are no progress', () => {
  expect(run([check([1, 0]), check([1, 0])]).end).toBeNull();
  expect(run([check([1, 0]), check([1, 0]), check([1, 0])]).end).toEqual({ reason: 'no-progress' });
  expect(run([check([1, 0]), check([1, 0], 'u'), check([1, 0])]).end).toBeNull();
  expect(run([check([1, 0]), check([2, 0]), check([1, 0])]).end).toBeNull();
});

test('the goal counts even if the limits are reached with it', () => {
  const used = { ...run([check([1, 1])]), steps: 2, tokens: 500 };
  expect(run([check([0, 0])], used).end).toEqual({ reason: 'achieved' });
  expect(run([check([1, 0])], used).end).toEqual({ reason: 'step-limit' });
  expect(run([check([1, 0])], { ...used, steps: 1 }).end).toEqual({ reason: 'token-limit' });
});

test('a model that repeats itself in vain ends the run, unless the checks pass', () => {
  const repeating = { ...run([check([1, 1])]), isRepeating: true } as const;
  expect(run([check([1, 0])], repeating).end).toEqual({ reason: 'repeated-failure' });
  expect(run([check([0, 0])], repeating).end).toEqual({ reason: 'achieved' });
});

test('a run goes on with what it used, with new limits and a new count of equal checks', () => {
  const stopped = { ...run([check([1, 0]), check([1, 0])]), steps: 2, end: { reason: 'step-limit' } } as const;
  const more = { ...contract, limits: { ...contract.limits, steps: 5 } };
  const again = resumeRun(stopped, more);
  expect(again).toMatchObject({ steps: 2, checks: 2, stage: 'checking', trail: [], end: null, contract: more, isResumed: true });
  expect(run([check([1, 0])], again).end).toBeNull();
  expect((['achieved', 'already-achieved', 'stopped', null] as const).map(isResumable)).toEqual([false, false, true, true]);
});

test('the answer that streams counts about a token for four characters', () => {
  const begun = { ...startRun(1, contract), tokens: 90 };
  expect([hasNoTokenLeft(begun, 39), hasNoTokenLeft(begun, 40)]).toEqual([false, true]);
});
