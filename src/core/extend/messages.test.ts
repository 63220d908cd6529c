import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('the texts about custom commands, skills and hooks', () => {
  expect(printMessages(messages, {})).toMatchInlineSnapshot(`
    "
    send the text of its file to the model
    "
  `);
});
