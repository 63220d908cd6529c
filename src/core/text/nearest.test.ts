import { expect, test } from 'bun:test';
import { editDistance, nearestNames } from './nearest.ts';

test('letters are added, dropped, changed and swapped at the price of one', () => {
  const to = ['git', 'gi', 'gits', 'gat', 'igt', 'tig', ''];
  expect(to.map((word) => editDistance('git', word))).toEqual([0, 1, 1, 1, 1, 2, 3]);
});

test('the nearest names come first, and none that is far', () => {
  const names = ['gist', 'git', 'cat', 'GTI', 'kubectl'];
  expect([nearestNames('gti', names), nearestNames('kubeclt', names), nearestNames('x'.repeat(65), names)]).toEqual([
    ['GTI', 'git'],
    ['kubectl'],
    [],
  ]);
});
