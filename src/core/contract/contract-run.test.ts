import { expect, test } from 'bun:test';
import type { ContractCheck, PlanItem } from '../../protocol/contract.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import {
  afterChecks,
  type ContractRun,
  changedItems,
  editPlan,
  formatItems,
  hasNoTokenLeft,
  isResumable,
  MOST_ITEMS,
  readPlan,
  resumeRun,
  startRun,
  toItemText,
} from './contract-run.ts';

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

const PLAN: readonly PlanItem[] = [
  { text: 'a', state: 'done' },
  { text: 'b', state: 'open' },
];

test('a plan is read whole or not at all, and no text of it steers the terminal', () => {
  const items: Json = [{ text: ' a\u001b[2J\nb ', state: 'doing' }, { text: 'c' }];
  expect(readPlan({ items })).toEqual([
    { text: 'a b', state: 'doing' },
    { text: 'c', state: 'open' },
  ]);
  const wrong: readonly JsonObject[] = [
    {},
    { items: 'a' },
    { items: ['a'] },
    { items: [{ text: '' }] },
    { items: [{ text: 'a', state: 'soon' }] },
  ];
  const tooLong = { items: Array.from({ length: MOST_ITEMS + 1 }, () => ({ text: 'a' })) };
  expect([...wrong, tooLong].map((args) => readPlan(args))).toEqual([null, null, null, null, null, null]);
});

test('an item has a bounded length', () => {
  expect(toItemText('x'.repeat(9999))).toBe(`${'x'.repeat(200)}…`);
});

test('an item is added or dropped, as far as there is room and such an item', () => {
  expect(editPlan(PLAN, { add: ' c ' })).toEqual([...PLAN, { text: 'c', state: 'open' }]);
  expect(editPlan(PLAN, { drop: 1 })).toEqual([
    { text: 'a', state: 'dropped' },
    { text: 'b', state: 'open' },
  ]);
  const full = Array.from({ length: MOST_ITEMS }, (): PlanItem => ({ text: 'a', state: 'open' }));
  expect([editPlan(PLAN, { add: ' ' }), editPlan(PLAN, { drop: 3 }), editPlan(full, { add: 'a' })]).toEqual([null, null, null]);
});

test('only what changed is shown', () => {
  const after: readonly PlanItem[] = [
    { text: 'a', state: 'done' },
    { text: 'b', state: 'done' },
    { text: 'c', state: 'open' },
  ];
  const changed = changedItems(PLAN, after);
  expect(formatItems(after, changed)).toEqual(['2. [done] b', '3. [open] c']);
  expect(formatItems(after)).toHaveLength(3);
});
