import { expect, test } from 'bun:test';
import { completeLine } from './complete.ts';

const names = (kind: string): readonly string[] => (kind === 'output' ? ['%1', '%12', '%3'] : []);

test('a percent sign at the beginning of a line completes to the handles of outputs', () => {
  expect(completeLine('%1', 2, '/', names)).toEqual([
    { start: 0, text: '%1' },
    { start: 0, text: '%12' },
  ]);
  expect(completeLine('echo %1', 7, '/nowhere', names)).toEqual([]);
});
