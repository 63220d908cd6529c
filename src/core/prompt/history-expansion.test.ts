import { expect, test } from 'bun:test';
import { expandHistory } from './history-expansion.ts';

const HISTORY = ['make all', 'ssh -p 22 host', 'cp "a b" /usr/lib/x.tar.gz', 'git commit -m "it\'s"', 'echo one two three four'];

function expand(line: string): string | null {
  const result = expandHistory(line, HISTORY);
  if (result.type === 'error') return `error: ${result.message}`;
  return result.type === 'unchanged' ? null : `${result.look ? 'look: ' : ''}${result.text}`;
}

test.each([
  ['sudo !!', 'sudo echo one two three four'],
  ['!!', 'echo one two three four'],
  ['ls !$', 'ls four'],
  ['ls !^', 'ls one'],
  ['ls !*', 'ls one two three four'],
  ['ls !:2', 'ls two'],
  ['ls !:2-3', 'ls two three'],
  ['ls !:2*', 'ls two three four'],
  ['ls !:2-', 'ls two three'],
  ['ls !:0', 'ls echo'],
  ['ls !!:$', 'ls four'],
  ['!-2', 'git commit -m "it\'s"'],
  ['!2', 'look: ssh -p 22 host'],
  ['x !?lib?', 'x cp "a b" /usr/lib/x.tar.gz'],
  ['x !?lib?:2', 'x /usr/lib/x.tar.gz'],
  ['x !ssh:$', 'x host'],
  ['x !cp:1', 'x "a b"'],
  ['cd !cp:$:h', 'cd /usr/lib'],
  ['cd !cp:$:t', 'cd x.tar.gz'],
  ['cd !cp:$:r:r', 'cd /usr/lib/x'],
  ['cd !cp:$:e', 'cd .gz'],
  ['!!:s/one/1/', 'echo 1 two three four'],
  ['!!:gs/o/0/', 'ech0 0ne tw0 three f0ur'],
  ['!!:s/two/[&]/', 'echo one [two] three four'],
  ['!!:p', 'look: echo one two three four'],
  ['x !!:q', "x 'echo one two three four'"],
  ['^two^2', 'echo one 2 three four'],
  ['^two^2^ five', 'echo one 2 three four five'],
  ['echo "last: !$"', 'echo "last: four"'],
  ['cp !#:0 x', 'cp cp x'],
  ['!!; !-2', 'echo one two three four; git commit -m "it\'s"'],
])('%s becomes %s', (line, text) => {
  expect(expand(line)).toBe(text);
});

test.each([
  "echo '!!'",
  'echo \\!!',
  '! true',
  '[ a != b ]',
  'echo hello!',
  'echo "hello!"',
  'echo $! ${!name} ${!array[@]}',
  'ls [!a]*',
  'echo "it\'s" plain',
  "grep 'a^b^c' x",
  'echo a^b^c',
  '',
])('%s stays as it is', (line) => {
  expect(expand(line)).toBe(null);
});

test('within double quotes a single quote means nothing', () => {
  expect(expand('echo "it\'s !$"')).toBe('echo "it\'s four"');
});

test.each([
  ['x !nothing', 'error: no command begins with "nothing"'],
  ['!-9', 'error: there are not 9 commands before this one'],
  ['x !?nowhere?', 'error: no command with "nowhere" in it'],
  ['^nine^9', 'error: the last command has no "nine" in it: echo one two three four'],
  ['!!:s/nine/9/', 'error: there is no "nine" to replace in: echo one two three four'],
  ['ls !:9', 'error: "echo one two three four" has no word :9'],
])('%s is an error, and nothing runs', (line, text) => {
  expect(expand(line)).toBe(text);
});

test('without any history every form is an error', () => {
  expect(expandHistory('!!', [])).toEqual({ type: 'error', message: 'there is no command before this one' });
});
