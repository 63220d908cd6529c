import { expect, test } from 'bun:test';
import { formatHalt } from './halt.ts';

const halted = { type: 'session.halted', by: 'user', running: [{ what: 'request' }] } as const;

test('a halt of the owner is told without a place', () => {
  expect(formatHalt(halted)).toBe(
    '[aish] halted; stopped: the answer of the model; you are asked about everything now (:approve ask ends that)',
  );
});

test('a halt of another attached client names that attached client, whatever it calls itself', () => {
  expect(formatHalt({ ...halted, client: 'pts/3\u001b[2J' })).toBe(
    '[aish] halted at pts/3; stopped: the answer of the model; you are asked about everything now (:approve ask ends that)',
  );
});
