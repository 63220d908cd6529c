import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatFallback: [['local', 'spare']],
    formatHeldBack: [
      ['claude', 'api.anthropic.com', { files: ['a.txt', 'b.txt'], outputs: 3, messages: 12 }],
      ['claude', 'api.anthropic.com', { files: [], outputs: 0, messages: 1 }],
    ],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    local does not answer, so spare answers instead
    aish does not pass this conversation to claude (api.anthropic.com): 12 messages, 2 files (a.txt, b.txt), 3 command or tool outputs would leave your network. To allow it in this session: :cloud on
    aish does not pass this conversation to claude (api.anthropic.com): 1 message would leave your network. To allow it in this session: :cloud on
    "
  `);
});
