import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { SessionState } from './state.ts';

/** The record of the user's command that runs as far as a log tells, but whose process is gone; null where none does, or a private one. */
export function lostCommand({ command, isPrivate, cwd }: Pick<SessionState, 'command' | 'isPrivate' | 'cwd'>): CommandRecord | null {
  if (command === null || isPrivate) return null;
  return { line: command, driver: 'user', exit: null, cwd, output: '', bytes: 0, durationMs: 0, cutShort: true };
}

/** How a command ended, in words. */
export function formatExit({ exit, cutShort }: Pick<CommandRecord, 'exit' | 'cutShort'>): string {
  if (cutShort === true) return 'cut short when aish ended';
  return exit === null ? 'ended without an exit status' : `exit ${exit}`;
}

/** The record of a command of the user that ran where a log ends; null where none did, or a private one. */
export function findLostCommand(recorded: readonly Recorded[], cwd: string): CommandRecord | null {
  const at = recorded.findLastIndex(({ event }) => endsCommand(event) || event.type === 'command.started');
  const event = recorded[at]?.event;
  if (event?.type !== 'command.started') return null;
  return lostCommand({ command: event.line, isPrivate: event.private === true, cwd });
}

const ENDS: ReadonlySet<string> = new Set(['command.completed', 'session.resumed', 'turn.started']);

/** Nothing of before runs after one of these; what runs where a session was copied runs there. */
function endsCommand(event: SessionEvent): boolean {
  return ENDS.has(event.type) || (event.type === 'session.forked' && 'from' in event);
}

/** What may be told of a private command: where it left the shell, its status and how long it took. */
export function withoutText({ driver, exit, cwd, durationMs }: CommandRecord): CommandRecord {
  return { line: '', driver, exit, cwd, output: '', bytes: 0, durationMs, private: true };
}

/** A line that begins with a blank is private. */
export function beginsPrivately(line: string): boolean {
  return /^[ \t]/.test(line);
}
