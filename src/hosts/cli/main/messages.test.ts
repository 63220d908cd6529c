import { expect, test } from 'bun:test';
import * as messages from './messages.ts';

test('every message', () => {
  const constants = Object.values(messages).flatMap((message) =>
    typeof message === 'string' ? [message] : typeof message === 'object' ? Object.values(message) : [],
  );
  const formatted = [
    messages.formatUnusable('/w/a', 'permission denied'),
    messages.formatUnwritable('the disk is full'),
    messages.formatWithheld('internal'),
    messages.formatDenied('make', 'no rule allows it'),
    messages.formatFormDeclined('notes'),
    messages.formatResumeHint('0abc'),
    messages.formatTooMuchInput(9_000_000, 8_000_000),
    messages.formatWritten('/c/config.toml'),
    messages.formatExists('/c/config.toml'),
    ...[0, 1, 2].map(messages.formatHalted),
    messages.formatNoDaemon('/run/aish.sock'),
  ];
  expect(`\n${[...constants, ...formatted].join('\n')}\n`).toMatchInlineSnapshot(`
    "
    edit it, or move it away first
    HOME and the XDG variables set the folders of aish
    aish run needs --goal and --until
    --apply needs --worktree
    you are in aish already, and aish does not run inside itself
    type exit to leave it; for one answer: aish -p "question"
    to stop the model in a terminal, press Ctrl-\\ there
    no message was given
    type one, as in aish "question", or pipe in some text
    cannot open the terminal
    for an answer without a terminal: aish -p "question"
    permission denied
    the system does not permit it
    it does not exist
    a part of its path is not a folder
    something with this name exists already
    it is a folder
    its symbolic links form a loop
    its path is too long
    the file system is read-only
    the disk is full
    your disk quota is used up
    the disk or terminal reports an input/output error
    aish has too many files open
    the system has too many files open
    pipe in only a part of it, for example with tail or grep
    waiting for the end of standard input, because aish sends it with your message; to send none, add </dev/null
    cannot use /w/a: permission denied
    cannot write the output: the disk is full
    crashed (internal). Details are withheld because aish could not check them for secrets.
    denied: make: no rule allows it
    declined: the MCP server notes asked for input, and nobody is here to answer
    to decide yourself, resume the session: aish --resume 0abc
    the piped input has 9000000 characters; aish takes at most 8000000
    Created /c/config.toml. Remove the # before a line to change its value.
    /c/config.toml exists already
    The model was not running in any session. From now on aish asks before everything that no rule allows.
    Stopped the model in 1 session. From now on aish asks before everything that no rule allows.
    Stopped the model in 2 sessions. From now on aish asks before everything that no rule allows.
    no daemon is running at /run/aish.sock, so there is nothing to stop
    "
  `);
});
