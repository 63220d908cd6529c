import { expect, test } from 'bun:test';
import { parseExports, readGlob, readShellState } from './shell-state.ts';

const habits = (shell: string, options: readonly string[], names: readonly string[] = []) =>
  [...readShellState({ shell, options, names, exports: {} }).habits].sort();

test('options of bash are read as what they do', () => {
  expect(habits('bash', ['globskipdots', 'dotglob', 'noglob', 'checkwinsize'])).toEqual(['dots', 'none']);
  expect(habits('bash', ['globstar', 'nullglob', 'failglob', 'nocaseglob', 'globskipdots'])).toEqual(['deep', 'empty', 'fails', 'folds']);
});

test('a bash without the option for it matches the parent with a dot and a star', () => {
  expect(habits('bash', ['checkwinsize'])).toEqual(['parents']);
});

test('a shell that told nothing has no habits', () => {
  expect([habits('bash', []), habits('zsh', [])]).toEqual([[], []]);
});

test('options of zsh are read as what they do, those that are off too', () => {
  expect(habits('zsh', ['glob', 'caseglob', 'nomatch'])).toEqual(['fails']);
  expect(habits('zsh', ['globdots', 'caseglob'])).toEqual(['dots', 'none']);
});

test('a place that cd looks in first is a habit', () => {
  expect(habits('bash', [], ['CDPATH'])).toEqual(['cd-path']);
});

test('variables are kept that are paths or short words, and no secrets', () => {
  const exports = {
    BUILD: '/srv/build',
    OUT: 'dist',
    API_TOKEN: 'abc',
    LONG: 'ghp_0123456789abcdefABCDEF',
    URL: 'https://me:secret@host/',
    PWD: '/x',
  };
  const { variables } = readShellState({ shell: 'bash', options: [], names: [], exports });
  expect([...variables.keys()]).toEqual(['BUILD', 'OUT']);
});

test('reads what bash prints', () => {
  const printed = 'declare -x PATH="/a b:/c"\ndeclare -x X="say \\"hi\\" \\$now"\ndeclare -x EMPTY\ndeclare -x TWO="a\nb"\n\0older="x"';
  expect(parseExports(printed)).toEqual({ PATH: '/a b:/c', X: 'say "hi" $now', TWO: 'a\nb' });
});

test('reads what zsh prints', () => {
  const printed = "export HOME=/home/ann\nexport PATH='/a b:/c'\ntypeset -x LANG=C\nexport ODD=$'a\\n'\nexport NONE=''\n\0";
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

test.each([
  ['*.ts', 'a.ts', true],
  ['*', '.hidden', false],
  ['.*', '.hidden', true],
  ['x[', 'x[', true],
  ['(a|b)*', '(a|b)c', true],
] as const)('the part %s against %j is %p', (pattern, name, matches) => {
  const [part] = readGlob(pattern);
  expect(part?.name === null ? part.matches(name) : part?.name === name).toBe(matches);
});
