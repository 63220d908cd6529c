import { expect, test } from 'bun:test';
import { formatHalt } from './halt.ts';

const halted = { type: 'session.halted', by: 'person', running: [{ what: 'request' }] } as const;

test('a halt of the owner is told without a place', () => {
  expect(formatHalt(halted)).toBe(
    '[aish] halted; stopped: the answer of the model; you are asked about everything now (:approve ask ends that)',
  );
});

test('a halt of another seat names that seat, whatever it calls itself', () => {
  expect(formatHalt({ ...halted, seat: 'pts/3\u001b[2J' })).toBe(
    '[aish] halted at pts/3; stopped: the answer of the model; you are asked about everything now (:approve ask ends that)',
  );
});
