import { expect, test } from 'bun:test';
import type { Route } from '../../core/router/route.ts';
import { expandTyped } from './typed-line.ts';

function type(text: string, route: Route): readonly unknown[] {
  const shown: string[] = [];
  const meant = expandTyped(text, route, {
    commands: () => ['make all', '!deploy now'],
    numbered: (number) => (number === 107 ? '!deploy now' : undefined),
    say: (look, line) => shown.push(`${look}: ${line}`),
    insert: (line) => shown.push(`editor: ${line}`),
  });
  return [meant?.route.type ?? null, meant?.text ?? null, ...shown];
}

test('history forms of a command are replaced and the line is shown', () => {
  expect([
    type('sudo !!', { type: 'command', text: 'sudo !!', reason: '' }),
    type('^now^later', { type: 'message', text: '^now^later', reason: '' }),
  ]).toEqual([
    ['command', 'sudo deploy now', 'dim: sudo deploy now'],
    ['command', 'deploy later', 'dim: deploy later'],
  ]);
});

test('words of a message and the mark that forces the shell are no history forms', () => {
  expect([
    type('why !! then', { type: 'message', text: 'why !! then', reason: '' }),
    type('!ls', { type: 'command', text: 'ls', reason: '' }),
  ]).toEqual([
    ['message', 'why !! then'],
    ['command', '!ls'],
  ]);
});

test('a command named by its number is looked at first, and one that is not there is an error', () => {
  expect([
    type('!107', { type: 'command', text: '!107', reason: '' }),
    type('ls !nothing', { type: 'command', text: 'ls !nothing', reason: '' }),
  ]).toEqual([
    [null, null, 'editor: deploy now'],
    [null, null, 'error: no command begins with "nothing", so nothing ran'],
  ]);
});
