import { expect, test } from 'bun:test';
import { readPattern } from './glob.ts';

test.each([
  ['', '*', true],
  ['abc', 'a?c', true],
  ['a\nc', 'a?c', true],
  ['😀', '?', true],
  ['a*b', 'a\\*b', true],
  ['axb', 'a\\*b', false],
  ['git push -f', 'git*-f', true],
  ['c', '[!ab]', true],
  [']', '[]x]', true],
  ['x]', 'x[]]', true],
  ['b1', '[a-c]1', true],
  ['-', '[a-]', true],
  ['7up', '[[:digit:]]*', true],
  ['!', '[[:alpha:]!]', true],
  ['é', '[!a-z]', true],
  ['[', '[', true],
  ['[]', '[]', true],
  ['[!]', '[!]', true],
  ['(a|b)c', '(a|b)*', true],
  ['a/.b', '*', true],
  [`${'a'.repeat(5000)}b`, `${'*a'.repeat(20)}*c`, false],
  ['x', `${'['.repeat(2000)}`, false],
  ['.env', '.[[:graph:]]nv', true],
  ['.env', '.[[=e=]]nv', true],
  ['.env', '.[![:constructor:]]nv', true],
  ['.env', `.[${'e'.repeat(1000)}]nv`, true],
  ['x', `${'ab'.repeat(500_000)}*`, true],
  ['\uffff', '[😀-\uffff]', false],
])('%j against %s is %p', (text, pattern, matches) => {
  expect(readPattern(pattern)(text)).toBe(matches);
});

test('letter case counts for nothing where that is asked for', () => {
  const matches = readPattern('[a-c]*.txt', { folds: true });
  expect(['A.TXT', 'bé.txt', 'd.txt'].map(matches)).toEqual([true, true, false]);
});
