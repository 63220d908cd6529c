import { expect, test } from 'bun:test';
import { LineQueue } from './line-queue.ts';
import { PLAIN_THEME } from './screen/theme.ts';

function queueOf(...lines: string[]): LineQueue {
  const queue = new LineQueue();
  for (const line of lines) queue.add(line);
  return queue;
}

test('lines run in the order they were entered, urgent ones before the others', () => {
  const queue = queueOf('one', 'two');
  queue.addUrgent('now');
  queue.addUrgent('then');
  expect(queue.takeAll()).toEqual(['now', 'then', 'one', 'two']);
  expect(queue.isEmpty).toBe(true);
});

test('what was entered last is taken back first', () => {
  const queue = queueOf('one', 'two');
  expect([queue.takeLast(), queue.takeFirst(), queue.takeLast(), queue.takeFirst()]).toEqual([
    'two',
    'one',
    null,
    null,
  ]);
});

test('the rows are numbered, tell what is next, and show one line of each', () => {
  const queue = queueOf('one\ntwo', 'tab\there');
  queue.addUrgent('now');
  expect(queue.rows(PLAIN_THEME)).toEqual([
    '  next 1: now',
    '  queued 2: one …',
    '  queued 3: tab<U+0009>here',
    '  Up takes back · Ctrl-S sends now',
  ]);
  queue.urge();
  queue.takeFirst();
  expect(queue.rows(PLAIN_THEME)[0]).toBe('  next 1: one …');
});

test('of many lines the first are shown and the rest counted', () => {
  const queue = queueOf('1', '2', '3', '4', '5', '6', '7');
  expect(queue.rows(PLAIN_THEME).slice(4)).toEqual([
    '  queued 5: 5',
    '  and 2 more',
    '  Up takes back · Ctrl-S sends now',
  ]);
  expect(queueOf().rows(PLAIN_THEME)).toEqual([]);
});

test('for a screen reader signs are words, and the keys need not be told again', () => {
  const queue = queueOf('one');
  const theme = { ...PLAIN_THEME, words: true };
  expect(queue.rows(theme)).toEqual(['  queued 1: one', '  Up takes back, Ctrl-S sends now']);
  expect(queue.rows(theme, { withKeys: false })).toEqual(['  queued 1: one']);
});

test('in a narrow window a row is cut with a sign, and each key has one', () => {
  expect(queueOf('echo a long line').rows(PLAIN_THEME, { columns: 20 })).toEqual([
    '  queued 1: echo a …',
    '  Up takes back',
    '  Ctrl-S sends now',
  ]);
});
