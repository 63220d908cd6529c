import { expect, test } from 'bun:test';
import { namesNotAllowed, tellWithheld } from './withheld-note.ts';

test('what failed and might have needed a secret is told which it had not, and how to ask for one', () => {
  expect(tellWithheld({ exit: 4 }, ['A', 'B'], [], 'network')).toBe(
    '\n[aish] A, B were not handed to it: no rule. If it needs one, say so and the person is asked: A=$A …',
  );
  expect(tellWithheld({ exit: null }, ['A', 'B', 'C', 'D', 'E'], [], undefined)).toContain(
    'A, B, C, D, … were not handed',
  );
});

test('what was put into the words of a command is none of what it went without', () => {
  const handed = [{ name: 'A', to: 'curl' }];
  expect(tellWithheld({ exit: 7 }, ['A'], handed, 'network')).toBe('');
  expect(tellWithheld({ exit: 7 }, ['A', 'B'], handed, 'network')).toStartWith('\n[aish] B was not handed to it');
});

test('nothing is told of what went well, what only looks, and where nothing was withheld', () => {
  expect([
    tellWithheld({ exit: 0 }, ['A'], [], 'network'),
    tellWithheld({ exit: 1 }, ['A'], [], 'read-only'),
    tellWithheld({ exit: 1 }, [], [], 'network'),
  ]).toEqual(['', '', '']);
});

test('a yes covers what it was shown, and nothing that has come since but by a rule', () => {
  const shown = [{ name: 'A', to: 'curl' }];
  const now = [...shown, { name: 'B', to: 'curl' }, { name: 'A', to: 'wget' }, { name: 'C', to: 'gh', rule: 'gh' }];
  expect([namesNotAllowed(now, shown), namesNotAllowed(shown, shown), namesNotAllowed(shown)]).toEqual([
    ['B', 'A'],
    [],
    ['A'],
  ]);
});
