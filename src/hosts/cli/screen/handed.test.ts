import { expect, test } from 'bun:test';
import { formatHanded } from './handed.ts';
import { PLAIN_THEME } from './theme.ts';

test('what a yes would hand over, and what a rule does, stand in a row each', () => {
  const secrets = [
    { name: 'A', to: 'curl (api.example.com)' },
    { name: 'B', to: 'curl (api.example.com)' },
    { name: 'C', to: 'gh', rule: 'gh' },
  ];
  expect(formatHanded({ undoable: true, secrets }, 80, PLAIN_THEME)).toEqual([
    '  hands A, B to curl (api.example.com)',
    '  hands C to gh by the rule "gh"',
  ]);
  expect(formatHanded({ undoable: true }, 80, PLAIN_THEME)).toEqual([]);
});
