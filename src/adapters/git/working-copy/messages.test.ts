import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, { formatLarge: [['target', '5.2 GB']] });
  expect(all).toMatchInlineSnapshot(`
    "
    you changed it since the run began
    no snapshot can hold what is in its place
    target (5.2 GB)
    "
  `);
});
