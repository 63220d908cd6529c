import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('the texts about hooks', () => {
  const all = printMessages(messages, {
    formatDenied: [
      ['~/check', 'no'],
      ['~/check', undefined],
    ],
    formatAsks: [['~/check', 'the file is large']],
    formatNobodyAsks: [['The hook `~/check` asks for your approval']],
    formatWithheld: [['~/check', 'it holds a name']],
    formatNote: [['~/lint', '2 faults']],
    formatRefused: [['~/check', 'it names a customer']],
    formatUntrustedHook: [['/p/check.sh']],
    formatCut: [
      ['time', 10_000],
      ['size', 10_000],
      ['start', 10_000],
    ],
    formatOffered: [
      [['pdf', 'deploy'], 0],
      [['pdf'], 2],
      [[], 3],
    ],
    formatUntrustedSkill: [['/p/.aish/skills/x/SKILL.md']],
    formatFailed: [
      [2, 'no such file'],
      [1, ''],
    ],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    The hook \`~/check\` asks for your approval: the file is large
    it did not end within 10000 ms
    it printed more than 64 kB
    it could not start
    the hook \`~/check\` denied it: no
    the hook \`~/check\` denied it
    it failed with exit status 2 (no such file)
    it failed with exit status 1
    The hook \`~/check\` asks for your approval (nobody is there to approve it in an autonomous run)
    [note of the hook \`~/lint\`]
    2 faults
    skills: pdf, deploy (:skills)
    skills: pdf; 2 more have no room (:skills)
    3 skills have no room in the context
    the hook \`~/check\` refused the message, so no model gets it: it names a customer
    it names /p/check.sh, a file of the project that you do not trust with its present content (put it into .aish/hooks, then run: aish config trust)
    aish does not offer the skill of /p/.aish/skills/x/SKILL.md, because you do not trust its present content; to review it, run: aish config trust
    [aish] the call ran, but the hook \`~/check\` withheld its result: it holds a name
    "
  `);
});
