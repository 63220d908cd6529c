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
    Should this file have the same effect as your own configuration? Type yes:  | Nothing changed: the file can only make things stricter. | A running aish reads it at its next start. | Should aish send this to the model with every request in this project? Type yes:  | Nothing changed: aish does not send the notes. | Running sessions send it from their next message on. | Should aish send these facts to the model in this project? Type yes:  | Nothing changed: aish does not use the facts. | New sessions use its facts. | Should aish send these texts to the model when you type their commands? Type yes:  | Nothing changed: the commands of the project do not work. | You can type its command. | Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes:  | Nothing changed: a hook that names one of these files denies everything. | Hooks may run it. | Should the model read these files as your instructions when it needs them? Type yes:  | Nothing changed: aish does not offer the skill. | The model may read it.
    .aish/skills/x/SKILL.md (not offered: you do not trust its present content)
    aish sends ~/.config/aish/commands/review.md (820 characters)
    aish sends ~/.claude/commands/x.md (1 character); no model "opus" is configured, so the current model answers
    pdf: Fill in forms.
      ~/.config/aish/skills/pdf/SKILL.md
    :review does not work yet, because you do not trust /p/.aish/commands/review.md with its present content
    "
  `);
});
