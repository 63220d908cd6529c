import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatLearned: [['local', ['refuses stream_options, so aish leaves it out', 'takes no tools']]],
    formatLesson: [
      [{ type: 'omit', field: 'stream_options' }],
      [{ type: 'text-tool-turns' }],
      [{ type: 'no-tools' }],
      [{ type: 'most-tools', count: 4 }],
      [{ type: 'fold-system' }],
      [{ type: 'empty-content', form: 'null' }],
      [{ type: 'empty-content', form: 'space' }],
      [{ type: 'empty-content', form: 'omitted' }],
      [{ type: 'token-limit', field: 'max_tokens', tokens: 4096 }],
      [{ type: 'no-stream' }],
      [{ type: 'plain-schema' }],
      [{ type: 'plainest' }],
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
    aish found no model on this machine; commands still work, and \`aish demo\` shows the rest
    there is no tool of this name; call a tool of the \`tools\` field
    local refuses stream_options, so aish leaves it out; it takes no tools (aish models show local)
    refuses stream_options, so aish leaves it out
    refuses messages of tools, so aish sends calls and results as text
    takes no tools, so the model can only talk and propose commands
    takes at most 4 tools, so aish offers only the first 4
    refuses a system message, so aish puts it in front of your first message
    refuses empty content beside calls, so aish sends null
    refuses empty content beside calls, so aish sends a blank
    refuses empty content beside calls, so aish leaves it out
    wants a token limit, so aish sends max_tokens = 4096
    does not stream, so an answer appears when it is complete
    refuses a part of the schema of tools, so aish sends simpler schemas
    gives no reason for its refusal, so aish leaves out everything optional
    [aish] not run: the call has no "path"
    AGENTS.md has changed since you trusted it, so the model does not get it; to review it, run: aish config trust
    AGENTS.md is not trusted yet, so the model does not get it; to review it, run: aish config trust
    "
  `);
});
