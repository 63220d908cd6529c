import { expect, test } from 'bun:test';
import { formatWordDiff } from './word-diff.ts';

test.each([
  ['a word', 'Reads a note.', 'Reads a secret note.', 'Reads a {+secret +}note.'],
  ['a sign', '"type": "string"', '"type": "number"', '"type": "[-string-]{+number+}"'],
  ['a hidden character', 'Reads', 'Reads\u200b', 'Reads{+<U+200B>+}'],
  ['a letter that looks the same', 'read', 're\u0430d', '[-read-]{+re<U+0430>d+}'],
  ['what could pass for a mark', 'a [-b-]', 'c [-b-]', '[-a-]{+c+} \\[-b\\-]'],
  ['a change behind a backslash', 'a\\', 'a\\b', 'a\\{+b+}'],
])('%s is told', (_, before, after, shown) => {
  expect(formatWordDiff(before, after)).toBe(shown);
});

test('rows far from a change are left out, and a change of several rows is marked in each', () => {
  const rows = ['one', 'two', 'three', 'four', 'five'];
  expect(formatWordDiff(rows.join('\n'), [...rows, 'six', 'seven'].join('\n'))).toBe(
    ['…', 'three', 'four', 'five', '{+six+}', '{+seven+}'].join('\n'),
  );
});

test('a line end that came is no invisible change', () => {
  expect(formatWordDiff('a', 'a\n')).toBe('a{+\\n+}\n');
});

test('nothing is told of what is the same', () => {
  expect(formatWordDiff('a\nb', 'a\nb')).toBe('…');
});
