import { expect, jest, test } from 'bun:test';
import type { Decision } from '../../../protocol/op.ts';
import { AnswerHabit } from './answer-habit.ts';

const ALWAYS: Decision = { type: 'allow-always', rule: 'fs.write_file' };

function passed(decision: Decision | null, ...keys: readonly string[]): string {
  let text = '';
  const habit = new AnswerHabit((bytes) => {
    text += Buffer.from(bytes).toString('utf8');
  });
  if (decision !== null) habit.begin(decision);
  for (const key of keys) habit.feed(Buffer.from(key));
  return text;
}

test.each([
  ['nothing was asked', null, ['e', 's', '\r'], 'es\r'],
  ['Enter alone', { type: 'allow' }, ['\r', 'ls\r'], 'ls\r'],
  ['the rest of yes', { type: 'allow' }, ['e', 's', '\r', 'l', 's'], 'ls'],
  ['the rest of no, at once', { type: 'deny' }, ['o\recho'], 'echo'],
  ['the rest of always', ALWAYS, ['lwa', 'ys\r'], ''],
  ['only the first Enter', { type: 'allow' }, ['\r', '\r'], '\r'],
  ['another word', { type: 'allow' }, ['e', 'c', 'h', 'o', '\r'], 'echo\r'],
  ['Ctrl-C in the middle', { type: 'allow' }, ['e', '\x03'], 'e\x03'],
  ['letters of other alphabets', { type: 'allow' }, ['e', 'é'], 'eé'],
  ['a reason, which had its own Enter', { type: 'deny', reason: 'no' }, ['\r'], '\r'],
] as const)('what follows an answer is taken out or passes whole: %s', (_, decision, keys, expected) => {
  expect(passed(decision, ...keys)).toBe(expected);
});

test('what is held back passes after a while', () => {
  jest.useFakeTimers();
  let text = '';
  const habit = new AnswerHabit((bytes) => {
    text += Buffer.from(bytes).toString();
  });
  habit.begin({ type: 'allow' });
  habit.feed(Buffer.from('es'));
  expect(text).toBe('');
  jest.advanceTimersByTime(2000);
  expect(text).toBe('es');
  jest.useRealTimers();
});
