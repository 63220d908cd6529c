import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatLearned: [['local', ['refuses stream_options, so aish leaves it out', 'takes no tools']]],
    formatFallback: [['local', 'spare']],
    formatCloud: [
      [true, { files: ['a.txt'], outputs: 1, messages: 2 }],
      [false, { files: [], outputs: 0, messages: 0 }],
    ],
    formatHeldBack: [
      ['claude', 'api.anthropic.com', { files: ['a.txt', 'b.txt'], outputs: 3, messages: 12 }],
      ['claude', 'api.anthropic.com', { files: [], outputs: 0, messages: 1 }],
    ],
    formatNotRun: [['the call has no "path"']],
    formatUntrustedNotes: [
      ['AGENTS.md', true],
      ['AGENTS.md', false],
    ],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    the arguments are not a valid JSON object; correct them and call the tool again
    the answer was cut off at the token limit, so the call may be incomplete; send a shorter call
    a content filter stopped the answer, so the call may be incomplete; try another way
    aish found no model on this machine; commands still work, and :demo shows the rest
    there is no tool of this name; call a tool of the \`tools\` field
    aish may pass this conversation to a cloud model by itself: 2 messages, 1 file (a.txt), 1 command or tool output. To stop it: :cloud off
    aish does not pass this conversation to a cloud model by itself: 0 messages. To allow it: :cloud on
    local does not answer, so spare answers instead
    aish does not pass this conversation to claude (api.anthropic.com): 12 messages, 2 files (a.txt, b.txt), 3 command or tool outputs would leave your network. To allow it in this session: :cloud on
    aish does not pass this conversation to claude (api.anthropic.com): 1 message would leave your network. To allow it in this session: :cloud on
    local refuses stream_options, so aish leaves it out; it takes no tools (aish models show local)
    [aish] not run: the call has no "path"
    AGENTS.md has changed since you trusted it, so the model does not get it; to review it, run: aish config trust
    AGENTS.md is not trusted yet, so the model does not get it; to review it, run: aish config trust
    "
  `);
});
