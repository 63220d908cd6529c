import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('the texts about custom commands, skills and hooks', () => {
  expect(
    printMessages(messages, {
      formatUnknownField: [['arguments', ['decision', 'reason']]],
      formatBadDecision: [['allow', ['deny', 'ask']]],
    }),
  ).toMatchInlineSnapshot(`
    "
    its output is not one JSON object of texts
    send the text of its file to the model
    Skills are instructions of the user for certain tasks. If a skill fits the task, read its file with aish.read_file before you begin:
    its answer has the unknown decision "allow"; known decisions: deny, ask
    its answer has the unknown field "arguments"; known fields: decision, reason
    "
  `);
});
