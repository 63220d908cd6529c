import { expect, test } from 'bun:test';
import { readItems, siftText } from './source.ts';

test('words are separated by blanks, and quotes and backslashes hold them together', () => {
  expect(readItems('a  b\tc\n\'d e\' "f\'g" h\\ i\nx"y z"\n', 'blank')).toEqual([
    'a',
    'b',
    'c',
    'd e',
    "f'g",
    'h i',
    'xy z',
  ]);
});

test('with a mark a line is one word, without the blanks before it', () => {
  expect(readItems('  a b\n\nc\n', 'line')).toEqual(['a b', 'c']);
});

test('what xargs would stumble over is not known', () => {
  expect(readItems("it's\n", 'blank')).toBeNull();
  expect(readItems('a\\\nb\n', 'blank')).toBeNull();
});

test('quotes are nothing where a sign of its own ends each word', () => {
  expect(readItems("a b\0it's\0", 'null')).toEqual(['a b', "it's"]);
  expect(readItems("it's\na b\n", 'raw-line')).toEqual(["it's", 'a b']);
});

test('lines are passed on where they match, or where they do not', () => {
  const sift = { pattern: 'row-0', folds: false, isInverted: false };
  expect(siftText('row-01\nrow-11\n', [sift])).toBe('row-01\n');
  expect(siftText('row-01\nROW-11\n', [{ ...sift, isInverted: true }])).toBe('ROW-11\n');
  expect(
    siftText('row-01\nROW-02\n', [
      { ...sift, folds: true },
      { ...sift, pattern: '2$' },
    ]),
  ).toBe('ROW-02\n');
  expect(siftText('', [sift])).toBe('');
});
