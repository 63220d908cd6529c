import { expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { countBytes, formatByteSize, truncateMiddle } from './truncate.ts';

test('a text within the budget stays as it is', () => {
  expect(truncateMiddle('short', 5)).toBe('short');
});

test('a long text keeps head and tail and counts what is missing', () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}`);
  const cut = truncateMiddle(lines.join('\n'), 100).split('\n');
  expect(cut[0]).toBe('line 0');
  expect(cut.at(-1)).toBe('line 99');
  expect(cut.find((line) => line.startsWith('[…'))).toBe('[… 87 lines, 695 characters left out of 789 …]');
});

test('no character is cut in two, and the result stays near the budget', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 }), fc.integer({ min: 10, max: 200 }), (text, budget) => {
      const cut = truncateMiddle(text, budget);
      expect(cut.isWellFormed()).toBe(true);
      expect(cut.length).toBeLessThanOrEqual(budget + 80);
    }),
  );
});

test('sizes are told in the unit that fits', () => {
  expect([0, 999, 1000, 128_906, 100_000_043, 5e9].map(formatByteSize)).toEqual([
    ...['0 B', '999 B', '1.0 kB', '128.9 kB', '100.0 MB', '5.0 GB'],
  ]);
});

test('where every byte counts, one is one', () => {
  expect([0, 1, 1024].map(countBytes)).toEqual(['0 bytes', '1 byte', '1024 bytes']);
});
