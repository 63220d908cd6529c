import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatUnknownProcessor: [['riscv64']],
    formatNotWorking: [['bwrap: setting up uid map: Permission denied']],
    formatEnded: [[1]],
    formatNoProgram: [['/usr/bin/sandbox-exec']],
    formatNoSandbox: [['freebsd']],
    setupFailed: [['no space left']],
    noUnshare: [[]],
    projectTooWide: [['/']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    bash is not installed
    bubblewrap is not installed (its program is bwrap)
    aish has not been tested with the sandbox of this system
    it ended with status 1
    /usr/bin/sandbox-exec does not exist
    aish has no sandbox for freebsd
    bubblewrap does not work here: bwrap: setting up uid map: Permission denied
    aish does not know the system calls of riscv64
    cannot mount an overlay, because the program unshare is not installed
    / contains folders of the system, so a sandboxed command may not write to it
      change to the folder of one project
    cannot set up the sandbox: no space left
    "
  `);
});
