import { describe, expect, test } from 'bun:test';
import { restOfCommand, splitBashWords } from './bash-words.ts';

const BREAKS = ' \t\n"\'><=;|&(:';

describe('words as bash hands them to completion functions', () => {
  const lines: readonly (readonly [string, readonly string[], string, number])[] = [
    ['git ch', ['git', 'ch'], 'ch', 4],
    ['git ', ['git', ''], '', 4],
    ['ls --color=au', ['ls', '--color', '=', 'au'], 'au', 11],
    ['ls --color=', ['ls', '--color', '='], '', 11],
    ['scp host:/a', ['scp', 'host', ':', '/a'], '/a', 9],
    ['cat "a b', ['cat', '"a b'], 'a b', 4],
    ["cat 'a b'", ['cat', "'a b'"], "a b'", 4],
    ['cat a\\ b', ['cat', 'a\\ b'], 'a\\ b', 4],
    ['cat a\\ ', ['cat', 'a\\ '], 'a\\ ', 4],
    ['', [''], '', 0],
  ];
  for (const [line, words, current, start] of lines) {
    test(JSON.stringify(line), () => expect(splitBashWords(line, BREAKS)).toEqual({ words, current, start }));
  }

  test('characters the person took out of the breaks do not cut', () => {
    expect(splitBashWords('a b:c', ' \t\n').words).toEqual(['a', 'b:c']);
  });
});

test.each([
  ['git | main', ' main'],
  ['git | "a; b" c; ls', ' "a; b" c'],
  ['git | x > file', ' x'],
  ['git ch|eckout main', ''],
  ['git |', ''],
])('behind the cursor in %j the command goes on with %j', (marked, rest) => {
  expect(restOfCommand(marked.replace('|', ''), marked.indexOf('|'))).toBe(rest);
});
