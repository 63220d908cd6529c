import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { truncateMiddle } from './truncate.ts';

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
    fc.property(
      fc.string({ unit: 'grapheme', minLength: 0, maxLength: 400 }),
      fc.integer({ min: 10, max: 200 }),
      (text, budget) => {
        const cut = truncateMiddle(text, budget);
        expect(cut.isWellFormed()).toBe(true);
        expect(cut.length).toBeLessThanOrEqual(budget + 80);
      },
    ),
  );
});
