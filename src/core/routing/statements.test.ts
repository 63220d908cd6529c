import { expect, test } from 'bun:test';
import { lex } from './lexer.ts';
import { parseStatements } from './statements.ts';

function read(source: string): { commands: string[]; valid: boolean; open: boolean } {
  const { commands, valid, open } = parseStatements(lex(source));
  return { commands: commands.map(({ words }) => words.map(({ value }) => value).join(' ')), valid, open };
}

test.each([
  ['ls -la | wc; pwd', ['ls -la', 'wc', 'pwd']],
  ['for f in *.ts; do echo "$f"; done', ['echo $f']],
  ['if [ -f x ]; then rm x; fi', ['[ -f x ]', 'rm x']],
  ['case $1 in a|b) ls;; *) pwd;; esac', ['ls', 'pwd']],
  ['greet() {\n  echo hi\n}', ['echo hi']],
  ['cat <<X > f\nis this a command?\nX\nls', ['cat', 'ls']],
  ['A=1 make >log 2>&1', ['make']],
  ['rm it\\\'s "a b"', ["rm it's a b"]],
  ["docker's gone", ["docker's gone"]],
  ['((i++)) && [[ -n $x ]]', []],
])('%p holds its commands', (source, commands) => {
  expect(read(source)).toEqual({ commands, valid: true, open: false });
});

test.each([
  'for each file print it',
  'ls | | wc',
  'function keys do nothing',
  'do it',
  'see (below)',
  'case in point',
  '; ls',
  'for now in production use the old key',
  'for x in the first list',
])('%p is no grammar', (source) => expect(read(source).valid).toBe(false));

test.each([
  'echo "unfinished',
  'ls |',
  'while true; do',
  'cat <<X',
  'ls \\',
  'for f in a b',
  'for svc in api web',
  'select x in one two',
  'case x in',
])('%p is continued', (source) => {
  expect(read(source)).toMatchObject({ valid: true, open: true });
});
