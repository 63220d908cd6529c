import { expect, test } from 'bun:test';
import { countByPlace, orderForRemoval, type RetainedStep, takeOver } from './checkpoint-retention.ts';

function step(id: string, extra: Partial<RetainedStep> = {}): RetainedStep {
  return { id, place: '/w', sessionId: 'ended', of: null, at: Number(id.slice(1)), isUndone: false, run: null, ...extra };
}

const idsOf = (steps: readonly RetainedStep[], live: readonly string[] = []) => orderForRemoval(steps, new Set(live)).map(({ ids }) => ids);

test('the oldest goes first, and the newest never', () => {
  expect(idsOf([step('c3'), step('c2'), step('c1')])).toEqual([['c1'], ['c2']]);
});

test('a step goes together with the undos and redos of it, and is as young as they are', () => {
  const steps = [step('c5'), step('c4', { of: 'c1' }), step('c3'), step('c2', { of: 'c1' }), step('c1')];
  expect(idsOf(steps)).toEqual([['c3'], ['c4', 'c2', 'c1']]);
});

test('what can be redone stays longer than what is done, and a session that goes on longest', () => {
  const steps = [step('c5'), step('c4'), step('c3', { of: 'c2' }), step('c2', { isUndone: true }), step('c1', { sessionId: 'now' })];
  expect(idsOf(steps, ['now'])).toEqual([['c4'], ['c3', 'c2'], ['c1']]);
});

function taken(steps: readonly RetainedStep[], most: number) {
  const order = orderForRemoval(steps, new Set());
  return takeOver(order, countByPlace(steps, order), most).map(({ ids }) => ids);
}

test('as many go as bring the number down, and no more', () => {
  const steps = [step('c4'), step('c3', { of: 'c1' }), step('c2'), step('c1')];
  expect([taken(steps, 3), taken(steps, 2), taken(steps, 4)]).toEqual([[['c2']], [['c2'], ['c3', 'c1']], []]);
});

test('each work tree is counted by itself, and keeps its newest', () => {
  const linked = { place: '/linked' };
  const steps = [step('c5', linked), step('c4'), step('c3', linked), step('c2'), step('c1')];
  expect([taken(steps, 2), taken(steps, 1)]).toEqual([[['c1']], [['c1'], ['c2'], ['c3']]]);
});

test('where the folder is gone the newest goes, too, once it is old', () => {
  const gone = { place: null };
  const steps = [step('c3', gone), step('c2'), step('c1', gone)];
  expect([3, 4].map((before) => orderForRemoval(steps, new Set(), before).map(({ ids }) => ids))).toEqual([[['c1']], [['c1'], ['c3']]]);
});

test('the newest run of a work tree keeps its steps beside the others, until it is undone or another run replaces it', () => {
  const run = { run: 's1 1' };
  const own = [step('c7', run), step('c6', run), step('c5', run)];
  const others = [step('c4'), step('c3'), step('c2')];
  expect([taken([...own, ...others], 2), taken([step('c8', { run: 's1 2' }), ...own, ...others], 2)]).toEqual([
    [['c2'], ['c3']],
    [['c2'], ['c3'], ['c4'], ['c5'], ['c6']],
  ]);
  const undone = own.flatMap((one) => [step(`c9${one.id}`, { of: one.id, at: 9 }), { ...one, isUndone: true }]);
  expect(taken([step('c99'), ...undone], 2).length).toBe(3);
  expect(idsOf([...own, ...others]).at(-1)).toEqual(['c6']);
});

test('no run keeps more than a thousand units beside the others', () => {
  const own = Array.from({ length: 1200 }, (_, at) => step(`c${1200 - at}`, { run: 's1 1' }));
  expect(taken(own, 10).length).toBe(191);
});
