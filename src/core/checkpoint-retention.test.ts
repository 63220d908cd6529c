import { expect, test } from 'bun:test';
import { orderForRemoval, type RetainedStep, takeUntil } from './checkpoint-retention.ts';

function step(id: string, extra: Partial<RetainedStep> = {}): RetainedStep {
  return { id, sessionId: 'ended', of: null, at: Number(id.slice(1)), isUndone: false, ...extra };
}

const idsOf = (steps: readonly RetainedStep[], live: readonly string[] = []) =>
  orderForRemoval(steps, new Set(live)).map(({ ids }) => ids);

test('the oldest goes first, and the newest never', () => {
  expect(idsOf([step('c3'), step('c2'), step('c1')])).toEqual([['c1'], ['c2']]);
});

test('a step goes together with the undos and redos of it, and is as young as they are', () => {
  const steps = [step('c5'), step('c4', { of: 'c1' }), step('c3'), step('c2', { of: 'c1' }), step('c1')];
  expect(idsOf(steps)).toEqual([['c3'], ['c4', 'c2', 'c1']]);
});

test('what can be redone stays longer than what is done, and a session that goes on longest', () => {
  const steps = [
    step('c5'),
    step('c4'),
    step('c3', { of: 'c2' }),
    step('c2', { isUndone: true }),
    step('c1', { sessionId: 'now' }),
  ];
  expect(idsOf(steps, ['now'])).toEqual([['c4'], ['c3', 'c2'], ['c1']]);
});

test('as many go as bring the number down, and no more', () => {
  const order = orderForRemoval([step('c4'), step('c3', { of: 'c1' }), step('c2'), step('c1')], new Set());
  expect(takeUntil(order, 1).map(({ ids }) => ids)).toEqual([['c2']]);
  expect(takeUntil(order, 2).map(({ ids }) => ids)).toEqual([['c2'], ['c3', 'c1']]);
  expect(takeUntil(order, 0)).toEqual([]);
});
