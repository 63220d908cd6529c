import { expect, test } from 'bun:test';
import { matchDirectories } from './match-directories.ts';

test('words find directories in order, the last word in the last name', () => {
  const used = ['/src/aish/docs', '/src/aish', '/src/site/docs', '/src/docs-old/x'].map((path, weight) => ({ path, weight }));
  expect(matchDirectories(['docs'], used)).toEqual(['/src/site/docs', '/src/aish/docs']);
  expect(matchDirectories(['AISH', 'doc'], used)).toEqual(['/src/aish/docs']);
  expect(matchDirectories(['docs', 'aish'], used)).toEqual([]);
});
