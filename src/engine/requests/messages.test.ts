import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatLearned: [['local', ['refuses stream_options, so aish leaves it out', 'takes no tools']]],
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
    aish found no model on this machine; commands still work, and \`aish demo\` shows the rest
    there is no tool of this name; call a tool of the \`tools\` field
    local refuses stream_options, so aish leaves it out; it takes no tools (aish models show local)
    [aish] not run: the call has no "path"
    AGENTS.md has changed since you trusted it, so the model does not get it; to review it, run: aish config trust
    AGENTS.md is not trusted yet, so the model does not get it; to review it, run: aish config trust
    "
  `);
});
