import type { CommandRecord } from '../../protocol/command.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { SessionState } from './state.ts';

/** The record of a user command that ran when its process ended; null if there is none, or for a private command. */
export function lostCommand({ command, isPrivate, cwd }: Pick<SessionState, 'command' | 'isPrivate' | 'cwd'>): CommandRecord | null {
  if (command === null || isPrivate) return null;
  return { line: command, driver: 'user', exit: null, cwd, output: '', bytes: 0, durationMs: 0, cutShort: true };
}

/** A command's end in words. */
export function formatExit({ exit, cutShort }: Pick<CommandRecord, 'exit' | 'cutShort'>): string {
  if (cutShort === true) return 'cut short when aish ended';
  return exit === null ? 'ended without an exit status' : `exit ${exit}`;
}

/** The record of a user command that was running at the end of a log; null if there is none, or for a private command. */
export function findLostCommand(recorded: readonly Recorded[], cwd: string): CommandRecord | null {
  const at = recorded.findLastIndex(({ event }) => endsCommand(event) || event.type === 'command.started');
  const event = recorded[at]?.event;
  if (event?.type !== 'command.started') return null;
  return lostCommand({ command: event.line, isPrivate: event.private === true, cwd });
}

const ENDS: ReadonlySet<string> = new Set(['command.completed', 'session.resumed', 'turn.started']);

/** No earlier command runs after one of these events; a command of a copied session runs there. */
function endsCommand(event: SessionEvent): boolean {
  return ENDS.has(event.type) || (event.type === 'session.forked' && 'from' in event);
}

/** The facts about a private command that may be recorded: directory, status and duration. */
export function withoutText({ driver, exit, cwd, durationMs }: CommandRecord): CommandRecord {
  return { line: '', driver, exit, cwd, output: '', bytes: 0, durationMs, private: true };
}

/** A line with a leading space is private. */
export function beginsPrivately(line: string): boolean {
  return /^[ \t]/.test(line);
}
