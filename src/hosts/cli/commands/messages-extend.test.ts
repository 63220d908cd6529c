import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages-extend.ts';

test('the texts about custom commands, skills and hooks', () => {
  const all = printMessages(messages, {
    formatSends: [
      ['~/.config/aish/commands/review.md', 820, null],
      ['~/.claude/commands/x.md', 1, 'opus'],
    ],
    formatUntrustedCommand: [['review', '/p/.aish/commands/review.md']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    Nothing changed: the commands of the project do not work.
    You can type its command.
    Nothing changed: a hook that names one of these files denies everything.
    Hooks may run it.
    Should aish send these texts to the model when you type their commands? Type yes: 
    to review it, run: aish config trust
    Should hooks run these files with your rights, outside the sandbox, if a configuration names them? Type yes: 
    aish sends ~/.config/aish/commands/review.md (820 characters)
    aish sends ~/.claude/commands/x.md (1 character); no model "opus" is configured, so the current model answers
    :review does not work yet, because you do not trust /p/.aish/commands/review.md with its present content
    "
  `);
});
