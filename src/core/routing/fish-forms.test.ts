import { expect, test } from 'bun:test';
import { toBashForms } from './fish-forms.ts';
import { routeLine } from './router.ts';
import { EarlierLines, type ShellFacts } from './shell-facts.ts';

const KNOWN = new Set(
  (
    'if for while switch function begin end and or not else case ' +
    'set string math test echo ls cat grep git make cd count contains abbr status ' +
    'functions type true false rm seq path random command source funced read eval exec time builtin history bind'
  ).split(' '),
);
const facts: ShellFacts = {
  shell: 'fish',
  knows: (word) => KNOWN.has(word),
  knowsCall: () => false,
  hasFile: () => false,
  hasRef: () => false,
  hasHost: () => false,
  history: new EarlierLines(),
  asksModel: true,
  lastExit: 0,
};

test.each([
  ['for i in 1 2; echo $i; end', '{ echo "$_" i in 1 2; echo $i; }'],
  ['if test -f a; ls; else if true; cat a; else; ls b; end', '{ test -f a; ls; true; cat a; echo "$_"; ls b; }'],
  ['begin; echo end; end', '{ echo "$_"; echo end; }'],
  ["echo 'it\\'s' (ls) $(ls)", "echo 'its' $(ls) $(ls)"],
  ['end', 'end'],
])('%p is read as %p', (line, read) => {
  expect(toBashForms(line).replace(/\s+/g, ' ')).toBe(read.replace(/\s+/g, ' '));
});

test.each([
  'set x 1',
  'set -gx EDITOR vim',
  'set -e x',
  'set path_list a b c',
  'for i in 1 2 3; echo $i; end',
  'for i in (seq 3); echo $i; end',
  'for f in *.txt\n  cat $f\nend',
  'if test -f a.txt; cat a.txt; end',
  'if test -f a.txt; echo yes; else if test -d b; echo b; else; echo no; end',
  'while true; echo x; end',
  'while read -l line; echo $line; end < a.txt',
  'function f; echo hi; end',
  'function greet --argument name; echo $name; end',
  'begin; echo a; echo b; end',
  'begin; echo a; end | cat',
  'switch $x; case a; echo a; case "*"; echo other; end',
  'echo (ls)',
  'cat (ls *.txt)',
  'cd (git rev-parse --show-toplevel)',
  'test -f a; and cat a',
  'test -f a; or echo no',
  'not test -f a',
  'and echo yes',
  'string upper abc',
  'string split , a,b',
  "string replace -r 'a' b abc",
  'math 1 + 2',
  'math "2 ^ 8"',
  'echo $status',
  'echo $PATH[1]',
  'count a b c',
  'contains a b c',
  'abbr -a gs git status',
  'abbr --erase gs',
  'status is-interactive',
  'functions -n',
  'type -t ls',
  'random 1 6',
  'path basename a/b',
  'for i in 1 2 3',
  'if test -f a',
  'function f',
  'begin',
  'echo {a,b}',
  "echo 'it\\'s'",
  'rm a.txt; and echo gone; or echo kept',
  'set -l n (count *.txt); echo $n',
  'math (count *) / 2',
  'read -P "name " name',
])('%p is a command', (line) => {
  expect(routeLine(line, facts).type).toBe('command');
});

test.each([
  'if you change the port what breaks',
  'for how long does a token live',
  'while it runs, can I edit the file',
  'begin at the top and explain',
  'function of the heart, in one sentence',
  'switch the tests to fish please',
  'end of line, what next',
  'set up the project for me',
  'not sure what this means',
  'and what does the second line do',
  'or is it a bug?',
  'string theory explained simply',
  'what does (ls) mean in fish',
  'math is hard, help me',
  'count the files for me please',
  'why does set x 1 fail',
  'rm the old builds',
  'test whether it works, please',
])('%p is a message', (line) => {
  expect(routeLine(line, facts).type).toBe('message');
});
