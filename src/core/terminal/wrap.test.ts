import { describe, expect, test } from 'bun:test';
import fc from '../../../test/support/properties.ts';
import { textWidth } from './graphemes.ts';
import { clipText, quoteText, wrapLines, wrapProse, wrapText } from './wrap.ts';

describe('wrapText', () => {
  test('folds at blanks, and goes on where the first word stands', () => {
    expect(wrapText('  the server is down: start it, then try again\nshort', 20)).toBe(
      '  the server is\n  down: start it,\n  then try again\nshort',
    );
  });

  test('does not cut a word, which is one thing for anyone who copies it', () => {
    expect(wrapText('see /a/very/long/path/to/a/file now', 10)).toBe('see\n/a/very/long/path/to/a/file\nnow');
  });

  test('keeps the blanks inside of a row and every word, at any width', () => {
    const words = fc.array(fc.stringMatching(/^[a-z日]{1,12}$/), { maxLength: 20 });
    fc.assert(
      fc.property(words, fc.integer({ min: 1, max: 40 }), (list, width) => {
        const wrapped = wrapText(list.join(' '), width);
        expect(wrapped.split(/[ \n]/).filter((word) => word !== '')).toEqual(list);
        for (const row of wrapped.split('\n')) expect(textWidth(row) <= width || !row.includes(' ')).toBe(true);
      }),
    );
    expect(wrapText('name   value', 80)).toBe('name   value');
  });
});

test('untrusted content is folded at blanks behind a margin, with all of its characters', () => {
  expect(quoteText('a few words here\n\n  so  ', 16)).toEqual(['  | a few words', '  ¦  here', '  | ', '  |   so  ']);
  const line = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '日') });
  fc.assert(
    fc.property(line, fc.integer({ min: 6, max: 30 }), (text, width) => {
      const rows = quoteText(text, width);
      expect(rows.map((row) => row.slice(4)).join('')).toBe(text);
      for (const row of rows) expect(textWidth(row)).toBeLessThanOrEqual(width);
    }),
  );
});

test('text is cut by its width, with a sign where something is left out', () => {
  expect([wrapLines('日本語x', 4), clipText('日本語x', 5), clipText('abc', 3), clipText('abc', 0)]).toEqual([
    ['日本', '語x'],
    '日本…',
    'abc',
    '',
  ]);
});

test('a family counts as its members, which stand beside each other on a terminal that joins nothing', () => {
  const family = '👨\u200d👩\u200d👧';
  expect(wrapLines(family.repeat(3), 13)).toEqual([family.repeat(2), family]);
});

test('prose is folded between words, and a word wider than the window is cut behind a margin', () => {
  expect([
    wrapProse('while it is read-only', 20),
    wrapProse('[a] always by this rule', 20, ''),
    wrapProse('replaces /a/very/long/path/indeed.txt now', 16),
  ]).toEqual([
    ['  while it is', '  read-only'],
    ['[a] always by this', '  rule'],
    ['  replaces', '  /a/very/long/p', '  ath/indeed.txt', '  now'],
  ]);
});
