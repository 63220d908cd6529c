import { expect, test } from 'bun:test';
import { openContract } from './contract-command.ts';

test('a contract breaks no word at the edge of the screen', () => {
  const client = { submit: () => Promise.reject(new Error('nobody said yes')) };
  const line = "'make the tests pass' until 'npm test' within 3 steps in background";
  const review = openContract(line, { client, cwd: '/w', home: '/h' }, () => Promise.resolve(''));
  const rows = review.show(40).split('\n');
  expect(rows.filter((row) => row.length > 40)).toEqual([]);
  expect(rows.join(' ').replaceAll(/\s+/g, ' ')).toBe(review.show(1000).replaceAll('\n', ' '));
});
