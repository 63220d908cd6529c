import type { ErrorFact } from '../../protocol/error.ts';

/** Refusal of any request to a closed session. */
export const CLOSED: ErrorFact = { code: 'session.closed', message: 'the session is closed', hint: 'open it again' };

/** Refusal of any request to a session whose log cannot be written. */
export const stoppedSession = (why: string): ErrorFact => ({
  code: 'session.stopped',
  message: `aish cannot write the session log, so this session is read-only: ${why}`,
  hint: 'free disk space or fix the permissions, then start a new session (:new); commands still run',
});

/** Notice at the moment the log cannot be written. */
export const formatLogFailure = (message: string, hint: string | undefined): string =>
  `the session's log cannot be written, so the session stops: ${message}${hint ? ` (${hint})` : ''}`;

/** Refusal of a queued line that was cancelled. */
export const DROPPED: ErrorFact = {
  code: 'op.dropped',
  message: 'the queued line was cancelled',
  hint: 'enter it again',
};

/** Refusal of a request to a session with a full queue. */
export const queueFull = (most: number): ErrorFact => ({
  code: 'session.queue-full',
  message: `the session takes no more than ${most} waiting lines`,
  hint: 'wait until some queued lines have run and send the line again, or stop the running line',
});

/** Refusal of a terminal that wants to join a session without a shared one. */
export const NO_TERMINAL: ErrorFact = {
  code: 'terminal.none',
  message: 'this session has no terminal to join',
  hint: 'nobody else shares this session',
};

/** Refusal of a meta-command in a session without a screen. */
export const NO_SCREEN: ErrorFact = {
  code: 'query.none',
  message: 'this session cannot show the result of a meta-command',
  hint: 'type the command where the session is open',
};

/** Notice on resume about an undo or redo that the end of the process cut short. */
export function formatCutShort(direction: 'undo' | 'redo', checkpoint: string | null | undefined): string {
  const [named, command] =
    checkpoint == null ? ['', `:${direction}`] : [` of ${checkpoint}`, `:${direction} ${checkpoint}`];
  return `${direction === 'undo' ? 'an undo' : 'a redo'}${named} was cut short when aish ended; ${command} continues it`;
}

/** Notice on resume about a directory that no longer exists. */
export const formatGoneDirectory = (last: string, cwd: string): string =>
  `the directory of the session, ${last}, no longer exists; the shell starts in ${cwd}`;
