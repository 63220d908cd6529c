import { expect, test } from 'bun:test';
import { TestOutput } from './test-output.ts';

function readAll(text: string): { readonly output: TestOutput; readonly shown: string } {
  const output = new TestOutput();
  return {
    output,
    shown: text
      .split('\n')
      .flatMap((line) => output.read(line))
      .join('\n'),
  };
}

const PASSED = '\nsrc/a.test.ts:\n(pass) adds [0.1ms]\n(skip) waits\n';
const FAILED =
  '\nsrc/b.test.ts:\n(pass) opens [1ms]\nerror: expected 1\n      at src/b.test.ts:3:1\n(fail) closes [2ms]\n';

test('a file without a failure shows nothing, and its tests are counted', () => {
  const { output, shown } = readAll(PASSED);
  expect(shown).toBe('');
  expect([output.files, output.tests]).toEqual([1, 2]);
});

test('a failure is shown under the name of its file, without the tests that passed', () => {
  const { shown } = readAll(PASSED + FAILED + PASSED);
  expect(shown).toBe('\nsrc/b.test.ts:\nerror: expected 1\n      at src/b.test.ts:3:1\n(fail) closes [2ms]');
});

test('the totals of the run are its counts', () => {
  const { output } = readAll(`${PASSED}${FAILED}\n 2 pass\n 1 skip\n 1 fail\n 3 expect() calls\n`);
  expect(output.counts(1)).toEqual({ passed: 2, failed: 1, skipped: 1 });
});

test('a run that ends badly without a failed test counts as one failure', () => {
  expect(readAll(`${PASSED}\n 1 pass\n 0 fail\n`).output.counts(1)).toEqual({ passed: 1, failed: 1, skipped: 0 });
  expect(readAll('').output.counts(1)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
