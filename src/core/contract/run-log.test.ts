import { expect, test } from 'bun:test';
import type { Contract } from '../../protocol/contract.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import { readRun, timeOfRun } from './receipt.ts';

const contract: Contract = { goal: 'g', until: ['a'], only: ['.'], limits: { steps: 2, minutes: 1, tokens: 100 } };
const START: SessionEvent = { type: 'contract.started', number: 1, contract };
const END: SessionEvent = { type: 'contract.ended', number: 1, reason: 'stopped' };
const MORE = { ...contract, limits: { ...contract.limits, steps: 9 } };
const AGAIN: SessionEvent = { type: 'contract.resumed', number: 1, contract: MORE };
const OTHER: SessionEvent = { type: 'command.started', line: 'x', driver: 'user' };
const TURN: SessionEvent = { type: 'turn.started', turn: 1, text: 'g', contract: 1 };

/** The events, a second apart. */
function recorded(...events: readonly SessionEvent[]): readonly Recorded[] {
  return events.map((event, at) => ({ seq: at + 1, at: at * 1000, event }));
}

function read(...events: readonly SessionEvent[]) {
  const run = readRun(recorded(...events));
  if (run === null) return null;
  const { spans, isOpen } = run;
  return { spans: spans.map((span) => span.map(({ seq }) => seq)), isOpen, time: timeOfRun(run, 20_000) };
}

test('a run has the events up to its end, and no time passes for it afterwards', () => {
  expect(read(OTHER)).toBeNull();
  expect(read(OTHER, START, TURN)).toEqual({ spans: [[2, 3]], isOpen: true, time: 19_000 });
  expect(read(OTHER, START, TURN, END, OTHER)).toEqual({ spans: [[2, 3, 4]], isOpen: false, time: 2000 });
});

test('what happens between its end and its next start does not belong to it', () => {
  const events = [START, TURN, END, OTHER, OTHER, AGAIN, TURN] as const;
  expect(read(...events, END)).toEqual({
    spans: [
      [1, 2, 3],
      [6, 7, 8],
    ],
    isOpen: false,
    time: 4000,
  });
  expect(readRun(recorded(...events))?.contract).toEqual(MORE);
});

test('a pause counts no time', () => {
  const paused: SessionEvent = { type: 'contract.paused', number: 1, running: [] };
  const continued: SessionEvent = { type: 'contract.continued', number: 1 };
  expect(read(START, paused, TURN, TURN, continued, TURN, END)?.time).toBe(3000);
  expect(read(START, TURN, paused, TURN)?.time).toBe(2000);
});

test('a run that was cut short ends with its last event', () => {
  const resumed: SessionEvent = { type: 'session.resumed', settings: {} as never };
  expect(read(START, TURN, resumed, OTHER)).toEqual({ spans: [[1, 2]], isOpen: false, time: 1000 });
});

test('the last run counts', () => {
  expect(read(START, TURN, END, START, TURN)?.spans).toEqual([[4, 5]]);
});
