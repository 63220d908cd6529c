import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('what a call does after untrusted content', () => {
  const all = [
    ...Object.values(messages.CLASS_REACH),
    messages.RUNS_HIDDEN_CODE,
    messages.formatGetsSecrets(['TOKEN']),
    messages.formatGetsSecrets(['TOKEN', 'KEY']),
    messages.formatOutside('/etc/hosts'),
    messages.formatRunsLater('/w/Makefile'),
    messages.formatChangesLater('export A=1'),
    messages.formatRunsChanged('/w/a.ts'),
    messages.formatSendsTo('notes'),
  ];
  expect(all.join('\n')).toMatchInlineSnapshot(`
    "reads files
    changes files
    opens a connection
    needs more rights than you have
    deletes or overwrites files
    runs something that aish cannot read
    runs code that is not visible in the command
    gets the secret TOKEN
    gets the secrets TOKEN, KEY
    uses /etc/hosts, which is outside the project
    changes /w/Makefile, which runs later
    changes what later commands do (export A=1)
    runs code of the project, and /w/a.ts changed since then
    sends data to the server notes"
  `);
});
