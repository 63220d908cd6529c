import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-extend.ts';

test('the texts about custom commands, skills and hooks', () => {
  const all = printMessages(messages, {
    formatSends: [
      ['~/.config/aish/commands/review.md', 820, null],
      ['~/.claude/commands/x.md', 1, 'opus'],
    ],
    formatSkill: [['pdf', 'Fill in forms.', '~/.config/aish/skills/pdf/SKILL.md']],
    formatNotOffered: [['.aish/skills/x/SKILL.md']],
    formatUntrustedCommand: [['review', '/p/.aish/commands/review.md']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    There are no skills here. A skill is a folder with a SKILL.md in ~/.config/aish/skills or in .aish/skills.
    to review it, run: aish config trust
    .aish/skills/x/SKILL.md (not offered: you do not trust its present content)
    aish sends ~/.config/aish/commands/review.md (820 characters)
    aish sends ~/.claude/commands/x.md (1 character); no model "opus" is configured, so the current model answers
    pdf: Fill in forms.
      ~/.config/aish/skills/pdf/SKILL.md
    :review does not work yet, because you do not trust /p/.aish/commands/review.md with its present content
    "
  `);
});
