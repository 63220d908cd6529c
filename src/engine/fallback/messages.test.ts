import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatFallback: [['local', 'spare']],
    formatCloud: [
      [true, { files: ['a.txt'], outputs: 1, messages: 2 }],
      [false, { files: [], outputs: 0, messages: 0 }],
    ],
    formatHeldBack: [
      ['claude', 'api.anthropic.com', { files: ['a.txt', 'b.txt'], outputs: 3, messages: 12 }],
      ['claude', 'api.anthropic.com', { files: [], outputs: 0, messages: 1 }],
    ],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    aish may pass this conversation to a cloud model by itself: 2 messages, 1 file (a.txt), 1 command or tool output. To stop it: :cloud off
    aish does not pass this conversation to a cloud model by itself: 0 messages. To allow it: :cloud on
    local does not answer, so spare answers instead
    aish does not pass this conversation to claude (api.anthropic.com): 12 messages, 2 files (a.txt, b.txt), 3 command or tool outputs would leave your network. To allow it in this session: :cloud on
    aish does not pass this conversation to claude (api.anthropic.com): 1 message would leave your network. To allow it in this session: :cloud on
    "
  `);
});
