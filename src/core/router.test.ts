import { expect, test } from 'bun:test';
import { routeLine } from './router.ts';

const knows = (word: string): boolean => ['ls', 'git', 'my prog', 'make'].includes(word);

test.each([
  ['ls -la', 'command'],
  ['git status', 'command'],
  ['what does this do', 'message'],
  ['A=1 b', 'command'],
  ['./run.sh', 'command'],
  ['/bin/true', 'command'],
  ['~/bin/x', 'command'],
  ['$EDITOR x', 'command'],
  ['(cd /; ls)', 'command'],
  ["'my prog' x", 'command'],
  ['ls;echo', 'command'],
  ['greet() { echo hi; }', 'command'],
  ['in_sub () (cd /)', 'command'],
  ['print() is broken, why', 'message'],
  [':help', 'meta'],
  [':(){ :|:& };:', 'meta'],
  [': > file', 'meta'],
  ['! grep -q x f', 'command'],
  ['!echo hi', 'command'],
  ['?ls of what', 'message'],
  ['', 'nothing'],
  ['   ', 'nothing'],
])('%p is a %s', (line, type) => {
  expect(routeLine(line, knows).type).toBe(type as 'meta');
});

test('prefixes are taken off, a command keeps its leading blank', () => {
  expect(routeLine('? why', knows)).toEqual({ type: 'message', text: 'why' });
  expect(routeLine('!echo hi', knows)).toEqual({ type: 'command', text: 'echo hi' });
  expect(routeLine('! false', knows)).toEqual({ type: 'command', text: '! false' });
  expect(routeLine('!!', knows)).toEqual({ type: 'command', text: '!!' });
  expect(routeLine(' ls', knows)).toEqual({ type: 'command', text: ' ls' });
});
