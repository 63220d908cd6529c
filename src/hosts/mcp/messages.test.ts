import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatTurn: [['editor', 'aish.exec']],
    formatSessionName: [['editor']],
    formatApproveCommand: [['/w']],
    formatApproveTool: [['aish.write_file /w/x']],
    formatClass: [['network']],
    formatSecret: [['TOKEN', 'curl (example.com)']],
    formatNotUndoable: [['the file is outside the project']],
    formatFailed: [['the disk is full']],
    formatTurns: [[1], [2]],
    formatNextPage: [[3, 'aish://session/1?page=2']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    Allow this call
    the call was denied
    this approval has expired; call the tool again
    These tools work in a shell and in the files of a user. The user may have to approve a call, and can undo changes of files.
    the client does not support elicitation, so aish cannot ask its user
    A session of this directory as Markdown, in pages
    The client has the result.
    Run this command in /w?
    Allow aish.write_file /w/x?
    The command is classified as network.
    the call did not run: the disk is full


    [next of 3 pages: aish://session/1?page=2]

    Undo is impossible: the file is outside the project
    It gives the secret TOKEN to curl (example.com).
    MCP: editor
    editor calls aish.exec
    session with 1 turn
    session with 2 turns
    "
  `);
});
