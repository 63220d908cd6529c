import { expect, test } from 'bun:test';
import { printMessages } from '../../../test/support/print-messages.ts';
import * as messages from './messages.ts';

test('every message', () => {
  const all = printMessages(messages, {
    formatRestarted: [
      ['cat', 'later'],
      ['cat', 'starting'],
      ['zsh', 'starting a shell'],
    ],
    formatReplaced: [['python3']],
    formatStartupAsks: [[null], ['line 3 of ~/.bashrc']],
    formatRemovedFunction: [['builtin']],
    badLine: [[]],
    shellEnded: [[]],
    noTerminal: [[]],
    notStarted: [
      ['/bin/bash', '/w', 'no such program', null, null],
      ['/bin/bash', '/w', 'too many open files', 'raise the limit: ulimit -n 1024', null],
    ],
    noPipe: [['/run/aish/ack']],
  });
  expect(all).toMatchInlineSnapshot(`
    "
    The hooks of your shell prompt hang again. Press Ctrl-C to end this shell.
    The shell integration stopped working. Your keys go straight to your shell; \`exit\` ends it and aish.
    The hooks of your shell prompt are still running. Press Ctrl-C to stop them.
    A signal stopped the shell; aish continued it.
    The shell is not responding; aish starts it again.
    a command cannot contain a NUL character
    aish removed your function builtin, because it hid a shell builtin that aish needs.
    exec replaced your shell with python3. Your keys go to python3; when it ends, aish ends.
    exec replaced your shell with cat; aish ends it and starts your shell again.
    A startup file replaced your shell with cat (exec).
    A startup file replaced your shell with zsh (exec). To use zsh in aish, set program = "zsh" under [shell].
    A startup file of your shell waits for input. You cannot type yet, so aish skips the rest of it.
    A startup file of your shell waits for input (line 3 of ~/.bashrc). You cannot type yet, so aish skips the rest of it.
    cannot make the pipe /run/aish/ack, through which aish controls the shell
      set XDG_RUNTIME_DIR to your own folder on a local file system
    cannot make a pseudo-terminal for the shell
    cannot start /bin/bash in /w: no such program
      check that the program and the directory exist, or set another shell with [shell] program
    cannot start /bin/bash in /w: too many open files
      raise the limit: ulimit -n 1024
    the shell has ended, so the command did not run
      run it again
    "
  `);
});
