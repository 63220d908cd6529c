import { parseHandleLine } from '../../core/output-line.ts';
import { beginsPrivately } from '../../core/private-command.ts';
import type { Route } from '../../core/router/route.ts';
import type { KnownSession } from './known-session.ts';

/** What a line's privacy asks for: nothing, to keep it from model and disk, or not to send it. */
export type Privacy = 'open' | 'private' | 'held back';

/** Why a line was not sent. */
export const HELD_BACK =
  'this line is private and looks like a message, so it was not sent: ? before it sends it, ! runs it';

/** Why a line that nobody can judge yet was not sent. */
export const STILL_STARTING =
  'the shell is still starting, so nobody knows yet whether this is a command; ? before it sends it to the model, ! runs it';

/** Said when private mode begins. */
export const PRIVATE_ON =
  'private: commands are kept from the model, the history and the disk until :private is typed again';

/** Judges a line that begins with a blank, or any line while `:private` is on. What was only guessed to be a message is held back. */
export function judgePrivacy(text: string, route: Route, isOn: boolean): Privacy {
  if (route.type === 'meta') return isOn || /^\s*:private\s+\S/.test(text) ? 'private' : 'open';
  if (!isOn && !beginsPrivately(text)) return 'open';
  if (route.type === 'command') return 'private';
  return route.type === 'message' && !text.trimStart().startsWith('?') ? 'held back' : 'open';
}

/** Where a line goes that begins with the handle of an output: alone it shows it, unless the shell has a job of that number. */
export function routeHandle(text: string, live: KnownSession | null): Route | null {
  const found = parseHandleLine(text);
  if (found === null || live === null) return null;
  if (found.rest !== '' || isForJob(found.handle, live)) return { type: 'command', text, reason: 'an output' };
  return { type: 'meta', text: `:output ${found.handle}`, reason: 'an output' };
}

/** Where there is no such output but jobs, the shell knows best what is wrong. */
function isForJob(handle: number, { sharedShell, outputs }: KnownSession): boolean {
  const jobs = sharedShell.shell?.report.jobs ?? [];
  return jobs.some(({ number }) => number === handle) || (jobs.length > 0 && outputs.find(handle) === null);
}
