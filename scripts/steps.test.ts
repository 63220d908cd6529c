import { describe, expect, test } from 'bun:test';
import { addSteps, countTests } from './steps.ts';

const report =
  '<?xml version="1.0"?>\n<testsuites name="bun test" tests="7" assertions="9" failures="2" skipped="1" time="0.1">';

describe('the counts of a run', () => {
  test('are read from the report', () => {
    expect(countTests(report, 1)).toEqual({ passed: 4, failed: 2, skipped: 1 });
  });

  test('have a failure when a file did not load, although no test failed', () => {
    expect(countTests('<testsuites tests="3" failures="0" skipped="0">', 1)).toEqual({
      passed: 3,
      failed: 1,
      skipped: 0,
    });
  });

  test('have a failure when there is no report', () => {
    expect(countTests('', 1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
  });

  test('count each step as one', () => {
    const steps = [
      { name: 'types', ok: true },
      { name: 'style', ok: false },
    ];
    expect(addSteps({ passed: 4, failed: 0, skipped: 1 }, steps)).toEqual({ passed: 5, failed: 1, skipped: 1 });
  });
});
