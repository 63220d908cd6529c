import { expect, test } from 'bun:test';
import { routeLine } from './router.ts';
import { EarlierLines, type ShellFacts } from './shell-facts.ts';

const facts: ShellFacts = {
  shell: 'bash',
  knows: (word) => ['ls', 'git', 'make', 'cd', 'echo', 'rm'].includes(word),
  knowsCall: () => false,
  hasFile: () => null,
  hasRef: () => false,
  hasHost: () => false,
  hasContainer: () => false,
  asksModel: true,
  history: new EarlierLines(),
};

test.each([
  ['ls -la', 'command'],
  ['git status', 'command'],
  ['what does this do', 'message'],
  ['A=1 ls', 'command'],
  ['./run.sh', 'command'],
  ['/bin/true', 'command'],
  ['~/bin/x', 'command'],
  ['$EDITOR x', 'command'],
  ['(cd /; ls)', 'command'],
  ['ls;echo', 'command'],
  ['greet() { echo hi; }', 'command'],
  ['in_sub () (cd /)', 'command'],
  ['print() is broken, why', 'message'],
  ['rm `ls` for me', 'message'],
  ['echo `date` | rm', 'command'],
  [':help', 'meta'],
  [':(){ :|:& };:', 'meta'],
  [': > file', 'meta'],
  ['! grep -q x f', 'command'],
  ['!echo hi', 'command'],
  ['?ls of what', 'message'],
  ['make test &&\nwhat is this', 'command'],
  ['if git status; then\nand now?', 'command'],
  ['$ make test', 'command'],
  ['%', 'command'],
  ['%%', 'command'],
  ['%+', 'command'],
  ['%- &', 'command'],
  ['%?mak', 'command'],
  ['% of users', 'message'],
  ['%? what is that', 'message'],
  ['', 'nothing'],
  ['   ', 'nothing'],
])('%p is a %s', (line, type) => {
  expect(routeLine(line, facts).type).toBe(type as 'meta');
});

test('prefixes are taken off, a command keeps its leading blank', () => {
  expect(routeLine('? why', facts)).toMatchObject({ type: 'message', text: 'why' });
  expect(routeLine('!echo hi', facts)).toMatchObject({ type: 'command', text: 'echo hi' });
  expect(routeLine('! false', facts)).toMatchObject({ type: 'command', text: '! false' });
  expect(routeLine('!!', facts)).toMatchObject({ type: 'command', text: '!!' });
  expect(routeLine(' ls', facts)).toMatchObject({ type: 'command', text: ' ls' });
});

test.each([
  [':mcp tools', 'meta', ':mcp tools'],
  ['  :w x', 'meta', ':w x'],
  ['?  why', 'message', 'why'],
  ['?*.ts', 'message', '*.ts'],
  ['!ls -la', 'command', 'ls -la'],
  ['!git', 'command', 'git'],
  ['!-2', 'command', '!-2'],
  ['!:0', 'command', '!:0'],
  ['!:p', 'command', ':p'],
])('by its first mark %p goes to %s', (line, type, text) => {
  expect(routeLine(line, facts)).toMatchObject({ type, text });
});

test.each([
  ['gibberish', 'command'],
  ['hello there', 'command'],
  ['make happy', 'command'],
  ['git merge older', 'command'],
  ['rm the old builds and restart the server please', 'message'],
  ['rm the old builds', 'message'],
  ['what does `rm -rf x` do', 'message'],
  ['what is 3 > 2', 'message'],
  ["what's up", 'message'],
  ['? hello', 'message'],
])('without a model %p is a %s', (line, type) => {
  expect(routeLine(line, { ...facts, asksModel: false }).type).toBe(type as 'message');
});

test('a request stays one where an alias is called please, but for a command that exists behind it', () => {
  const withAlias = { ...facts, knows: (word: string) => word === 'please' || facts.knows(word) };
  expect(routeLine('please run `touch made`', withAlias).type).toBe('message');
  expect(routeLine('please rm made', withAlias).type).toBe('command');
});

test('a sentence behind a printer runs nothing that its quotes hold, and a misspelt article is one', () => {
  const type = (line: string) => routeLine(line, facts).type;
  expect(type('echo `rm -rf build` deletes it first, right?')).toBe('message');
  expect(type('echo now $(date), see you later')).toBe('command');
  expect(type('rm hte old builds form here')).toBe('message');
});
