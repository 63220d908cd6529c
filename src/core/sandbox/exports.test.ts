import { expect, test } from 'bun:test';
import { parseExports } from './exports.ts';

test('reads what bash prints', () => {
  const printed =
    'declare -x PATH="/a b:/c"\ndeclare -x X="say \\"hi\\" \\$now"\ndeclare -x EMPTY\ndeclare -x TWO="a\nb"\n\0older="x"';
  expect(parseExports(printed)).toEqual({ PATH: '/a b:/c', X: 'say "hi" $now', TWO: 'a\nb' });
});

test('reads what zsh prints', () => {
  expect(
    parseExports("export HOME=/home/ann\nexport PATH='/a b:/c'\ntypeset -x LANG=C\nexport ODD=$'a\\n'\n\0"),
  ).toEqual({
    HOME: '/home/ann',
    PATH: '/a b:/c',
    LANG: 'C',
  });
});
