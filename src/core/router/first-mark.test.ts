import { expect, test } from 'bun:test';
import { readFirstMark } from './first-mark.ts';

test.each([
  [':mcp tools', 'meta', ':mcp tools'],
  ['  :w x', 'meta', ':w x'],
  [':(){ :|:& };:', 'meta', ':(){ :|:& };:'],
  ['?  why', 'ai', 'why'],
  ['?*.ts', 'ai', '*.ts'],
  ['!ls -la', 'shell', 'ls -la'],
  ['!git', 'shell', 'git'],
  ['! false', 'shell', '! false'],
  ['!!', 'shell', '!!'],
  ['!-2', 'shell', '!-2'],
  ['!:0', 'shell', '!:0'],
  ['!:p', 'shell', ':p'],
])('%p goes to %s', (input, route, text) => {
  const marked = readFirstMark(input);
  expect([marked?.route, marked?.text]).toEqual([route as 'ai', text]);
});

test('an input without a mark is judged by other rules', () => expect(readFirstMark('ls !$')).toBeNull());
