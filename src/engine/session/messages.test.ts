import { expect, test } from 'bun:test';
import { formatError } from '../../protocol/error.ts';
import * as messages from './messages.ts';

test('every message says what happened, then what to do', () => {
  const refusals = [
    messages.CLOSED,
    messages.stoppedSession('no space left'),
    messages.DROPPED,
    messages.queueFull(64),
    messages.NO_TERMINAL,
    messages.NO_SCREEN,
  ];
  const notices = [
    messages.formatLogFailure('no space left', undefined),
    messages.formatLogFailure('no space left', 'free disk space'),
    messages.formatCutShort('undo', 'c3'),
    messages.formatCutShort('redo', undefined),
    messages.formatGoneDirectory('/tmp/gone', '/tmp'),
  ];
  expect([...refusals.map(formatError), ...notices].join('\n')).toMatchInlineSnapshot(`
    "the session is closed
      open it again
    aish cannot write the session log, so this session is read-only: no space left
      free disk space or fix the permissions, then start a new session (:new); commands still run
    the queued line was cancelled
      enter it again
    the session takes no more than 64 waiting lines
      wait until some queued lines have run and send the line again, or stop the running line
    this session has no terminal to join
      nobody else shares this session
    this session cannot show the result of a meta-command
      type the command where the session is open
    the session's log cannot be written, so the session stops: no space left
    the session's log cannot be written, so the session stops: no space left (free disk space)
    an undo of c3 was cut short when aish ended; :undo c3 continues it
    a redo was cut short when aish ended; :redo continues it
    the directory of the session, /tmp/gone, no longer exists; the shell starts in /tmp"
  `);
});
