import { expect, test } from 'bun:test';
import { parseExports } from './exports.ts';

test('reads what bash prints', () => {
  const printed =
    'declare -x PATH="/a b:/c"\ndeclare -x X="say \\"hi\\" \\$now"\ndeclare -x EMPTY\ndeclare -x TWO="a\nb"\n\0older="x"';
  expect(parseExports(printed)).toEqual({ PATH: '/a b:/c', X: 'say "hi" $now', TWO: 'a\nb' });
});

test('reads what zsh prints', () => {
  const printed =
    "export HOME=/home/ann\nexport PATH='/a b:/c'\ntypeset -x LANG=C\nexport ODD=$'a\\n'\nexport NONE=''\n\0";
  expect(parseExports(printed)).toEqual({ HOME: '/home/ann', PATH: '/a b:/c', LANG: 'C', ODD: 'a\n', NONE: '' });
});

const VALUES: Readonly<Record<string, string>> = {
  KEY: '-----BEGIN KEY-----\nMIIE/+=\n-----END KEY-----\n',
  QUOTES: `it's "x" \`y\` $z \\n \\`,
  BLANKS: ' \t a  b ',
  CONTROL: 'a\x1b[0m\x07\x7fb',
  OTHERS: 'näher ⟨日本⟩',
  PLAIN: 'a/b:c=d,e%f@g',
};

for (const [shell, args] of [
  ['bash', ['--norc', '-c', 'readonly PLAIN; export -p']],
  ['zsh', ['-fc', 'readonly PLAIN; export -p']],
] as const) {
  test(`reads every value as ${shell} has it, of variables that cannot be written, too`, () => {
    const { stdout } = Bun.spawnSync([shell, ...args], { env: { ...VALUES, LC_ALL: 'C.UTF-8' } });
    expect(parseExports(stdout.toString())).toMatchObject(VALUES);
  });
}
