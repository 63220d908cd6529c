import { expect, test } from 'bun:test';
import { flipRoute } from './flip-route.ts';
import type { Route } from './router/route.ts';

const route = (text: string): Route => {
  const line = text.trim();
  if (line === '') return { type: 'nothing' };
  if (line.startsWith(':')) return { type: 'meta', text: line, reason: '' };
  if (line.startsWith('?')) return { type: 'message', text: line.slice(1), reason: '' };
  if (line.startsWith('!') || line.startsWith('ls')) return { type: 'command', text: line, reason: '' };
  return { type: 'message', text: line, reason: '' };
};

test.each([
  ['ls of what', '?ls of what'],
  ['?ls of what', 'ls of what'],
  ['frobnicate it', '!frobnicate it'],
  ['!frobnicate it', 'frobnicate it'],
  ['? why', '!why'],
  ['!ls', '?ls'],
  [':help', ':help'],
  ['', ''],
])('%j becomes %j', (text, flipped) => {
  expect(flipRoute(text, route)).toBe(flipped);
});
