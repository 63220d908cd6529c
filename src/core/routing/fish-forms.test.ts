import { expect, test } from 'bun:test';
import { toBashForms } from './fish-forms.ts';
import { routeLine } from './router.ts';
import { EarlierLines, type ShellFacts } from './shell-facts.ts';

const KNOWN = new Set(
  (
    'if for while switch function begin end and or not else case ' +
    'set string math test echo ls cat grep git make cd count contains abbr status ' +
    'functions wait vim emit type true false rm seq path random command source funced read eval exec time builtin history bind'
  ).split(' '),
);
const facts: ShellFacts = {
  shell: 'fish',
  knows: (word) => KNOWN.has(word),
  knowsCall: () => false,
  hasFile: () => false,
  hasRef: () => false,
  hasHost: () => false,
  hasContainer: () => false,
  history: new EarlierLines(),
  asksModel: true,
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
  'set color blue',
  'set name ada',
  'set files one two',
  'set y 5',
  'set n 10',
  'set count 0',
  'set editor vim',
  'set i 0',
  'set fish_greeting hello there',
  'set colors red green blue',
  'set greeting hello friend; echo $greeting',
  'history search git',
  'history search docker build',
  'history delete foo',
  'history merge',
  'history save',
  'history clear',
  'wait make',
  'set color blue\necho $color | cat',
  'set greeting hello my friend\necho $greeting',
  'set paste1 one\nfor k in a b\n    echo $k $paste1\nend\nfunction pasted --argument x\n    echo pasted-$x\nend\npasted 7',
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
  'set the color of the prompt to blue please',
  'set color to blue',
  'set editor to vim',
  'set a breakpoint in main',
  'set up ssh keys',
  'set dark mode',
  'set default editor',
  'set volume higher',
  'set goals for this week\nfirst, finish the parser',
  'history of the git project?',
  'history search does not find it',
  'history delete all commands with passwords',
  'history merge across terminals',
  'functions are hard to read, why',
  'wait a minute',
  'wait for the build, then tell me',
  'emit an event when the file changes',
  'string length is wrong, why',
  'string replace in all files of src',
])('%p is a message', (line) => {
  expect(routeLine(line, facts).type).toBe('message');
});

test.each([
  ['set dark mode', true],
  ['set volume higher', true],
  ['set up ssh keys', false],
  ['set color to blue', false],
])('%p stays in the prompt, because it may be a command that changes something: %p', (line, asks) => {
  const route = routeLine(line, facts);
  expect(route.type === 'message' && route.because.code === 'doubt' && route.because.asks).toBe(asks);
});
