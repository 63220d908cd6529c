import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const all = Object.values(messages).map((message) => (typeof message === 'string' ? message : message('SAMPLE')));
  expect(`\n${all.join('\n')}\n`).toMatchInlineSnapshot(`
    "
    you asked for the keyboard
    aish attach takes a session ID or the URL of a daemon
    you did not get the keyboard
    The line waits until the session is free.
    aish attach needs a terminal
    a script can use the HTTP API (docs/protocol.md)
    you do not have the keyboard: Ctrl-] asks for it, Ctrl-C stops the program, Ctrl-D leaves
    the owner has the keyboard again
    your keys go to the program: Ctrl-] gives the keyboard back to the other terminal
    The daemon that has session SAMPLE open does not respond.
    Session SAMPLE ended. To resume it: aish --resume SAMPLE
    You left session SAMPLE. It keeps running.
    The line is not in the history: SAMPLE
    SAMPLE has the keyboard
    The terminal that had session SAMPLE open is gone. Press r to resume the session here, or any other key to exit.
    "
  `);
});
