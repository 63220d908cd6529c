import { describe, expect, test } from 'bun:test';
import { addSteps, listTests } from './steps.ts';

describe('the counts of a run', () => {
  test('count each step as one', () => {
    const steps = [
      { name: 'types', ok: true },
      { name: 'style', ok: false },
    ];
    expect(addSteps({ passed: 4, failed: 0, skipped: 1 }, steps)).toEqual({ passed: 5, failed: 1, skipped: 1 });
  });
});

describe('the test files of a run', () => {
  test('are those under the given folders and files, whichever way a path is written', () => {
    expect(listTests(['./scripts/steps.test.ts'])).toEqual(['scripts/steps.test.ts']);
    expect(listTests(['scripts'])).toContain('scripts/steps.test.ts');
    expect(listTests(['scripts']).filter((path) => !path.startsWith('scripts/'))).toEqual([]);
  });
});
