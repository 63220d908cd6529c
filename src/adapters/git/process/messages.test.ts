import { expect, test } from 'bun:test';
import { printMessages } from '../../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    gitStopped: [[]],
    gitWaits: [['/w']],
    gitFailed: [['read the checkpoint', 'fatal: bad object', '/w']],
    formatExit: [[128]],
    diskFull: [['write the checkpoint', '/w']],
    noDirectory: [['/w']],
    notStarted: [
      ['you have no permission to run it', null, null],
      ['too many open files', 'raise the limit: ulimit -n 1024', null],
    ],
    gitMissing: [[]],
    badFilter: [['a=b']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    aish cannot turn off the git filter "a=b", because its name contains =
    cannot write the checkpoint: the disk is full
      free some space on the disk of /w, then try again
    git ended with status 128
    cannot read the checkpoint: fatal: bad object
      to see what is wrong with the repository, run "git status" in /w
    cannot find git
      install git, or check that it is on the PATH
    the git operation was stopped
    a pipe stands in the place of a .gitignore or another file of git, and git would wait for it without end
      to find it, run "find /w -type p"
    the directory /w does not exist
    cannot start git: you have no permission to run it
      install git, or check that it is on the PATH
    cannot start git: too many open files
      raise the limit: ulimit -n 1024
    "
  `);
});
