import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { eachChild, parseShell, type SyntaxNode } from '../commands/syntax.ts';
import { classifyLine } from './classify-line.ts';

const context = { home: '/home/user', project: '/home/user/project', cwd: '/home/user/project' };

/** Lines of every shape that the grammar has. `§` is where a command is substituted. */
const SHAPES: readonly string[] = [
  // Words and the parts of words.
  'echo §',
  'echo a§b',
  'echo "a §"',
  'echo $"a §"',
  "echo $'a'§",
  'ls *§',
  'ls @(a|b)§',
  'ls {a,§}',
  'ls {a,b}§',
  'cat <(echo §)',
  'tee >(cat §)',
  // Parameters with an operation.
  'echo ${x:-§}',
  'echo ${x-"§"}',
  'echo ${x:=§}',
  'echo ${x:+§}',
  'echo ${x:?§}',
  'echo ${x#§}',
  'echo ${x%%§}',
  'echo ${x/§/b}',
  'echo ${x//a/§}',
  'echo ${x/#§/}',
  'echo ${x/%§/}',
  'echo ${x:§:2}',
  'echo ${x:0:§}',
  "echo ${x:'a[§]'}",
  'echo ${x^§}',
  'echo ${x,,§}',
  'echo ${x[§]}',
  'echo ${#x[§]}',
  'echo ${!x[§]}',
  'echo ${x:-${y:-§}}',
  "y='a[§]'; echo ${x:y}",
  "y='a[§]'; echo ${!y}",
  'echo ${!x@} §',
  'echo $x§',
  'echo ${x@Q}§',
  'ls 2> §',
  'exec {fd}> §',
  // Arithmetic, also of what is quoted.
  'echo $((§))',
  'echo $((a[§]))',
  'echo $((1 ? § : 2))',
  'echo $((-§))',
  'echo $(((§) + 1))',
  '((§))',
  '((a[§] = 1))',
  "let 'a[§]=1'",
  'for ((i=§;i<1;i++)); do :; done',
  'for ((i=0;i<§;i++)); do :; done',
  'for ((i=0;i<1;i+=§)); do :; done',
  "for ((i='a[§]';i<1;i++)); do :; done",
  // Assignments and declarations.
  'a=§',
  'a+=§',
  'a=(1 §)',
  'a=([§]=1)',
  'a[§]=1',
  'A=§ ls',
  'export A=§',
  'declare a[§]=1',
  "declare -a 'a=(§)'",
  "declare -A 'a=([k]=§)'",
  "declare -i 'a=b[§]'",
  // Redirections.
  'cat < §',
  'echo a > /tmp/§',
  'echo a &>> §',
  'cat <<< §',
  'cat <<X\n§\nX',
  'cat <<X\n${x:-§}\nX',
  'cat <<-X\n\t"§"\nX',
  'exec {a[§]}>&1',
  '{ ls; } > §',
  // Commands.
  '§',
  '! §',
  'time §',
  'ls && §',
  'ls || §',
  'ls | §',
  '§ &',
  '( § )',
  '{ §; }',
  'if §; then :; fi',
  'if ls; then §; fi',
  'if ls; then :; elif §; then :; fi',
  'if ls; then :; else §; fi',
  'while §; do break; done',
  'until ls; do §; done',
  'for i in §; do :; done',
  'for i in a; do §; done',
  'select i in §; do break; done',
  'case § in a) ;; esac',
  'case a in §) ;; esac',
  'case a in a) § ;; esac',
  'f() { §; }; f',
  'coproc §',
  // Tests.
  '[[ -n § ]]',
  '[[ -v a[§] ]]',
  "[[ -v 'a[§]' ]]",
  '[[ a == § ]]',
  '[[ a =~ § ]]',
  '[[ § -eq 1 ]]',
  "[[ 'a[§]' -eq 1 ]]",
  '[[ ! -n § ]]',
  '[[ ( -n § ) ]]',
  '[[ -n a && -n § ]]',
  // Builtins that evaluate a subscript.
  "[ -v 'a[§]' ]",
  "printf -v 'a[§]' x",
  "read 'a[§]' <<< x",
  "unset 'a[§]'",
];

test.each(SHAPES.flatMap((shape) => [shape.replaceAll('§', '$(rm -rf ~)'), shape.replaceAll('§', '`rm -rf ~`')]))(
  'a command that is substituted there is found: %s',
  (line) => {
    expect(classifyLine(line, context)).toMatchObject({ decision: 'deny' });
  },
);

test('the shapes hold every kind of node that the grammar has', () => {
  const declared = readFileSync(new URL(import.meta.resolve('unbash')).pathname.replace('parser.js', 'types.d.ts'), 'utf8');
  const kinds = new Set([...declared.matchAll(/readonly type: "(\w+)"/g)].map(([, kind = '']) => kind));
  const seen = new Set<string>();
  const visit = (node: SyntaxNode): void => {
    seen.add(node.type);
    if (node.type === 'ParameterExpansion' && node.operation !== undefined) seen.add(node.operation.type);
    eachChild(node, visit);
  };
  for (const shape of SHAPES) for (const statement of parseShell(shape.replaceAll('§', '$(ls)')).commands) visit(statement);
  // Only recovery from an error makes an operation of no known kind.
  expect([...kinds].filter((kind) => !seen.has(kind)).toSorted()).toEqual(['Unknown']);
});
