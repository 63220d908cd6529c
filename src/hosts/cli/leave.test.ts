import { expect, test } from 'bun:test';
import { Leave } from './leave.ts';

const JOBS = [
  { number: 1, state: 'running', line: 'sleep 60' },
  { number: 2, state: 'stopped', line: 'vim a' },
] as const;

test('leaving with jobs is held back once, and again after something else was done', () => {
  const leave = new Leave();
  expect(leave.holdBack(JOBS)).toBe('2 jobs would end: sleep 60, vim a (stopped); leave once more to go');
  expect(leave.holdBack(JOBS)).toBe(null);
  leave.forget();
  expect(leave.holdBack([JOBS[0]])).toBe('1 job would end: sleep 60; leave once more to go');
});

test('without jobs nothing holds', () => {
  expect(new Leave().holdBack([])).toBe(null);
});
