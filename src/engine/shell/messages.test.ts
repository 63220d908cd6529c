import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

const LIMITS = { processes: 100, memory: 1, fileSize: 1, temporary: 1, cpuSeconds: 1, wallSeconds: 60 };

test('every message', () => {
  const all = printMessages(messages, {
    formatLasting: [['git ignores build']],
    formatWriteOutside: [['/srv/a']],
    dryRunGone: [[]],
    noDryRun: [
      ['bubblewrap is not installed', 'user'],
      ['bubblewrap is not installed', 'model'],
    ],
    formatPrinted: [['.env']],
    formatShared: [['.env and 1 more']],
    formatNoSandbox: [['bubblewrap is not installed']],
    formatEnded: [
      ['time', LIMITS],
      ['processes', LIMITS],
      ['memory', LIMITS],
      ['stopped', LIMITS],
    ],
    formatExit: [
      ['the shell', null, 3],
      ['python3', 'SIGKILL', null],
    ],
    formatBrokenStart: [
      ['the shell ended with status 1', null],
      ['the shell ended with status 1', 'line 4 of ~/.bashrc'],
    ],
    formatNewShell: [
      ['the shell ended with status 1', '/w', true],
      ['the shell ended with status 1', '/w', false],
    ],
    formatPartOfOutput: [[3, 'the disk is full']],
    formatCutOutput: [[3, 5_000_000]],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    aish ended the shell
    Undo restores files, not branches: changes to .git stay after you apply them.
    the command was stopped
    this dry run no longer exists
      start the dry run again
    the shell ended with status 1 in a startup file (such as ~/.bashrc or ~/.zshrc), so it starts without your startup files; fix the file and start aish again
    the shell ended with status 1 at line 4 of ~/.bashrc, so it starts without your startup files; fix the file and start aish again
    output %3 is too long: aish saved its beginning and end, without 5.0 MB in the middle

    [aish] ended the command: it ran longer than 60 s


    [aish] ended the command: it started more than 100 processes


    [aish] ended the command: it used more memory than a sandboxed command may use


    [aish] ended the command: a stop was requested

    the shell ended with status 3
    python3 was killed (SIGKILL)
    Undo cannot restore these files after you apply them: git ignores build.
    the shell ended with status 1; a new shell starts in /w, with your exported variables, but without your functions, aliases and options
    the shell ended with status 1; a new shell starts in /w, with the environment of the start, but without your functions, aliases and options
    read-only commands need your approval, because there is no sandbox: bubblewrap is not installed
    aish could not save the whole output %3: the disk is full
    git may print .env, which it tracks
    git needs .env and 1 more, which the sandbox hides from other programs
    a write to /srv/a, outside the project
    cannot dry-run here: bubblewrap is not installed
      leave out :dry-run to run the command for real
    cannot dry-run here: bubblewrap is not installed
      answer y to run the command for real; :undo restores the files that a checkpoint holds
    "
  `);
});
