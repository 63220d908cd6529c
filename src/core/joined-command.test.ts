import { expect, test } from 'bun:test';
import { joinCommand } from './joined-command.ts';

test('a command of several lines is joined as bash does', () => {
  const cases: readonly (readonly [string, string | null])[] = [
    ['for i in 1 2; do\n  echo $i\ndone', 'for i in 1 2; do   echo $i; done'],
    ['cat <<E\na b\n  c\nE', 'cat <<E\na b\n  c\nE\n'],
    ["echo 'a\nb'", "echo 'a\nb'"],
    ['if true; then\necho 1\nelse\necho 2\nfi', 'if true; then echo 1; else echo 2; fi'],
    ['f() {\n  echo hi\n}', 'f() {   echo hi; }'],
    ['echo a \\\n  b', 'echo a   b'],
    ['echo a |\n  cat', 'echo a |   cat'],
    [
      'case x in\n  x) echo 1;;\n  y)\n    echo 2\n    ;;\nesac',
      'case x in   x) echo 1;;   y)     echo 2;     ;; esac',
    ],
    ['while false\ndo\n:\ndone', 'while false; do :; done'],
    ['( echo 1\necho 2 )', '( echo 1; echo 2 )'],
    ['cat <<A - <<B\n1\nA\n2\nB', 'cat <<A - <<B\n1\nA\n2\nB\n'],
    ['echo $(\necho sub\n)', 'echo $(\necho sub\n)'],
    ['x=(1\n2\n3)', 'x=(1 2 3)'],
    ['if true\n\nthen echo\nfi', 'if true;  then echo; fi'],
    ['function g\n{\n:\n}', 'function g { :; }'],
    ['if true; then cat <<E\nx\nE\necho y\nfi', 'if true; then cat <<E\nx\nE\n echo y; fi'],
    ['for i in 1; do\necho do\ndone', 'for i in 1; do echo do; done'],
    ['echo a\necho b', null],
    ['for i in 1; do # a\n:\ndone', 'for i in 1; do # a\n:; done'],
    ['if true\n# only\nthen :\nfi', null],
  ];
  expect(cases.map(([text]) => [text, joinCommand(text)])).toEqual(cases.map(([text, joined]) => [text, joined]));
});
