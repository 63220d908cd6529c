import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('the marks of facts', () => {
  const all = printMessages(messages, { formatReplaced: [['The port is 3000.']] });
  expect(all).toMatchInlineSnapshot(`
    "
    (learned while reading untrusted content)
    (newer; an earlier fact says: The port is 3000.)
    "
  `);
});
