import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatNoOutput: [['%13']],
    formatWithheld: [['%7']],
    formatMatches: [[1], [2]],
    formatRest: [
      ['full', 9],
      ['slow', 9],
    ],
    formatMovedShell: [['/b', '/a']],
    formatMovedTarget: [['/b', '/a']],
    formatNoTool: [['fs.x']],
    formatTooLarge: [[30_000_000, 20_000_000]],
    formatTooManyFiles: [[50]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    ; the user answered a hidden prompt
    the shell ended, so the exit status is unknown
    the call would fail
    (no lines in this range)
    (no output)
    ; ran in a sandbox, without network: cd, variables and functions do not last
    1 line matches
    2 lines match
    the shell is now in /b; it was in /a
    the path now leads to /b; it led to /a
    there is no output %13
    there is no tool fs.x
    [more lines: call again with from=9]
    [the search stopped at its time limit: call again with from=9]
    the file has 30.0 MB, but aish saves at most 20.0 MB
    aish saves at most 50 files of one result
    %7 is a place in another session, which you can read once a message of the user names %7
    "
  `);
});
