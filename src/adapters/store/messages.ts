/** Texts about session logs and outputs. */

import { countBytes } from '../../core/text/truncate.ts';
import { AishError } from '../../protocol/error.ts';

const LIST_SESSIONS = { hint: 'list the sessions with: aish sessions' };
const reasonOf = (cause: unknown) => (cause instanceof Error ? cause.message : String(cause));
export const noSessionBegins = (prefix: string) =>
  new AishError('session.not-found', `no session ID begins with "${prefix}"`, LIST_SESSIONS);
export const severalSessions = (prefix: string, ids: readonly string[]) =>
  new AishError(
    'session.ambiguous',
    `${ids.length} session IDs begin with "${prefix}": ${ids.slice(0, 5).join(', ')}`,
    { hint: 'type more of the ID' },
  );
export const noSession = (id: string) =>
  new AishError('session.not-found', `there is no session "${id}"`, LIST_SESSIONS);
export const openElsewhere = (id: string) =>
  new AishError('session.locked', `session ${id} is open in another aish`, { hint: 'exit that aish first' });
export const unreadableFolder = (path: string, cause: unknown) =>
  new AishError('session.unusable', `cannot read the sessions in ${path}`, {
    hint: 'make sure that you own the folder and can read it',
    cause,
  });
export const nothingToFork = (id: string) =>
  new AishError('session.not-forkable', `session ${id} has nothing to continue from yet`, {
    hint: 'wait until its first turn or command has ended',
  });
export const lockedLog = (path: string) =>
  new AishError('session.locked', `another aish has this session open (${path})`, {
    hint: 'join it with aish attach, or continue a copy of it with --fork',
  });
export const noLog = (path: string, cause: unknown) =>
  new AishError('session.not-found', `there is no session log at ${path}`, { ...LIST_SESSIONS, cause });
export const unusableLog = (path: string, cause: unknown) =>
  new AishError('session.unusable', `cannot open the session log ${path}: ${reasonOf(cause)}`, {
    hint: 'make sure that you own the folder and the file and can write to them',
    cause,
  });
export const removedLog = (path: string) =>
  new AishError('session.not-found', `the session log ${path} was just deleted`, LIST_SESSIONS);
export const newerLog = (path: string, version: number, known: number) =>
  new AishError(
    'session.newer-version',
    `the session log ${path} has version ${version}, but this aish reads only up to version ${known}`,
    { hint: 'open it with the newer aish that wrote it, or start a new session' },
  );
export const failedWrite = (path: string, cause: unknown) =>
  new AishError('session.write-failed', `cannot write the session log ${path}: ${reasonOf(cause)}`, {
    hint: 'free disk space or fix the permissions, then try again; the log is still complete',
    cause,
  });
export const failedMemoryWrite = (path: string) =>
  new AishError('memory.write-failed', `cannot write ${path}, so the memory is unchanged`, {
    hint: 'free disk space or fix the permissions, then try again',
  });
export const formatMovedDamage = (event: number, bytes: number, path: string) =>
  `the session log is damaged after event ${event}; aish moved the rest (${countBytes(bytes)}) to ${path}`;
export const formatMovedEnd = (event: number, bytes: number, path: string) =>
  `the end of the session log is incomplete; aish moved everything after event ${event} (${countBytes(bytes)}) to ${path}`;
export const formatUnreadable = (event: number, bytes: number, path: string) =>
  `the session log is damaged after event ${event}; aish cannot show ${countBytes(bytes)} of ${path}`;
export const formatUnknownEvents = (kinds: string) =>
  `a newer aish wrote events that this aish does not know (${kinds}); this aish skips them, and they stay in the log`;
export const formatGap = (bytes: number) => `\r\n[… ${countBytes(bytes)} left out …]\r\n`;
export const outputGone = (handle: number | undefined) =>
  new AishError('output.gone', `aish no longer has the whole output %${handle}, only its beginning and end`, {
    hint: 'run the command again; a session keeps 1 GB of outputs and deletes the oldest first',
  });
export const tooManyRuns = (ids: readonly string[]) =>
  new AishError('run.too-many', `the changes of ${ids.length} runs wait for you: ${ids.join(', ')}`, {
    hint: `apply or discard some of them: :norris diff ${ids[0] ?? ''}, :norris discard ${ids[0] ?? ''}`,
  });
