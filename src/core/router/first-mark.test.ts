import { expect, test } from 'bun:test';
import { readFirstMark } from './first-mark.ts';

test.each([
  [':mcp tools', 'meta', ':mcp tools'],
  ['  :w x', 'meta', ':w x'],
  [':(){ :|:& };:', 'meta', ':(){ :|:& };:'],
  ['?  why', 'message', 'why'],
  ['?*.ts', 'message', '*.ts'],
  ['!ls -la', 'command', 'ls -la'],
  ['!git', 'command', 'git'],
  ['! false', 'command', '! false'],
  ['!!', 'command', '!!'],
  ['!-2', 'command', '!-2'],
  ['!:0', 'command', '!:0'],
  ['!:p', 'command', ':p'],
])('%p goes to %s', (input, route, text) => {
  expect(readFirstMark(input)).toMatchObject({ type: route, text });
});

test('an input without a mark is judged by other rules', () => expect(readFirstMark('ls !$')).toBeNull());
