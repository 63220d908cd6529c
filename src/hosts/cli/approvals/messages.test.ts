import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const { formatAlways, formatItemsPrompt, formatBadItems, formatAppliedItems, formatOpenElsewhere, formatUndoAnswer } =
    messages;
  const constants = Object.values(messages).flatMap((message) =>
    typeof message === 'string' ? [message] : typeof message === 'object' ? [Object.values(message).join(' | ')] : [],
  );
  const formatted = [
    formatAlways('git log'),
    formatItemsPrompt(4),
    formatBadItems(4),
    formatAppliedItems([1, 3]),
    formatOpenElsewhere('0abc'),
    formatUndoAnswer('mine', 1),
    formatUndoAnswer('theirs', 3),
  ];
  expect(`\n${[...constants, ...formatted].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    yes | no | denied | edited | dry run
    apply all
    cancelled
      new command: 
    discarded
    [j] join it | [f] fork it: continue in a copy | [n] neither
      reason for the model: 
    always: git log
      changes to apply (1-4, for example 1 3-5): 
    Nothing was applied. Type numbers from 1 to 4.
    apply 1, 3
    Session 0abc is open in another aish.
    keep
    take all 3
    "
  `);
});
