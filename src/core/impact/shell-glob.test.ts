import { expect, test } from 'bun:test';
import { readGlob, toMatcher } from './shell-glob.ts';

test.each([
  ['*.ts', 'a.ts', true],
  ['*', '.hidden', false],
  ['.*', '.hidden', true],
  ['a?c', 'abc', true],
  ['a?c', 'a\nc', true],
  ['[!ab]', 'c', true],
  ['[]x]', ']', true],
  ['[a-c]1', 'b1', true],
  ['[[:digit:]]*', '7up', true],
  ['\\**', '*x', true],
  ['\\**', 'x', false],
  ['x[', 'x[', true],
  ['(a|b)*', '(a|b)c', true],
] as const)('%s against %j is %p', (pattern, name, matches) => {
  const [part] = readGlob(pattern);
  expect(part?.name === null ? part.matches(name) : part?.name === name).toBe(matches);
});

test('letter case and leading dots count for nothing where that is asked for', () => {
  expect(['A.TXT', '.TXT', 'a.md'].map(toMatcher('*.txt', { folds: true }))).toEqual([true, true, false]);
});
