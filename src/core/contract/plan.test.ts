import { expect, test } from 'bun:test';
import type { PlanItem } from '../../protocol/contract.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { changedItems, editPlan, formatItems, MOST_ITEMS, toItemText } from './plan.ts';
import { readPlan } from './read-plan.ts';

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
