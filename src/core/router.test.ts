import { expect, test } from 'bun:test';
import type { ShellFacts } from './router/shell-facts.ts';
import { routeLine } from './router.ts';

const facts: ShellFacts = {
  shell: 'bash',
  knows: (word) => ['ls', 'git', 'make', 'cd', 'echo'].includes(word),
  knowsCall: () => false,
  hasFile: () => null,
  lastExit: 0,
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
  [':help', 'meta'],
  [':(){ :|:& };:', 'meta'],
  [': > file', 'meta'],
  ['! grep -q x f', 'command'],
  ['!echo hi', 'command'],
  ['?ls of what', 'message'],
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
