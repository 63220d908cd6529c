import { expect, test } from 'bun:test';
import { GUARD_RULES } from '../../../core/policy/policy.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import { describeRefusal, formatGateRefusal, formatSecrets } from './command-decision.ts';

const refuse = (command: string, columns: number) =>
  formatGateRefusal(
    { id: '1', name: 'aish.exec', effect: 'exec', origin: 'model', arguments: { command } },
    {
      rule: 'built-in rule',
      preview: {
        undoable: false,
        decided: {
          class: 'destructive',
          cwd: '/w',
          decision: 'deny',
          effects: [{ kind: 'wrecks', because: 'path', class: 'destructive', detail: '/' }],
          reasons: [],
          hardDenials: ['D1'],
        },
      },
    },
    { columns, theme: PLAIN_THEME },
  );

test('a refusal is folded in a narrow window, and what was refused is read', () => {
  expect(refuse('rm -rf /', 40)).toEqual(['  refused (destroys more than files of', '  the project: /): rm -rf /']);
});

test('a refusal names the rule of a tool, or the hook that denied the call', () => {
  const describe = (denial: Parameters<typeof describeRefusal>[1]) =>
    describeRefusal({ name: 'notes.add', arguments: {} }, { preview: { undoable: false }, ...denial });
  expect([
    describe({ rule: 'notes.*' }),
    describe({ rule: GUARD_RULES.hook, reason: 'the hook `check` denied it: no' }),
  ]).toEqual(['refused (by the rule "notes.*"): notes.add', 'refused (the hook `check` denied it: no): notes.add']);
});

test('of a long command that was refused the beginning is shown, and how much is left', () => {
  const rows = refuse(`rm -rf / ${'and so on '.repeat(30)}`, 40);
  expect([rows.length, rows.at(-1)]).toEqual([5, expect.stringMatching(/^ {2}… \d+ more$/)]);
});

test('what a yes would pass on, and what a rule does, stand in a row each', () => {
  const secrets = [
    { name: 'A', to: 'curl (api.example.com)' },
    { name: 'B', to: 'curl (api.example.com)' },
    { name: 'C', to: 'gh', rule: 'gh' },
  ];
  expect(formatSecrets({ undoable: true, secrets }, { columns: 80, theme: PLAIN_THEME })).toEqual([
    '  Gives the secrets A, B to curl (api.example.com).',
    '  Gives the secret C to gh (rule "gh").',
  ]);
  expect(formatSecrets({ undoable: true }, { columns: 80, theme: PLAIN_THEME })).toEqual([]);
});
