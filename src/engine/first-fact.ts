import { findLostCommand } from '../core/session/lost-command.ts';
import type { Recorded, SessionEvent } from '../protocol/event.ts';
import type { Settings } from '../protocol/settings.ts';

/** What is true with the opening of a session: a command of the person that the end of the process before cut short is closed. */
export function firstFact(
  id: string,
  recorded: readonly Recorded[],
  { cwd, settings }: { readonly cwd: string; readonly settings: Settings },
  shell: { readonly cwd: string; readonly numberAfter: (handle: number) => number },
): SessionEvent {
  if (recorded.length === 0) return { type: 'session.created', id, cwd, settings };
  const lost = findLostCommand(recorded, shell.cwd);
  if (lost === null) return { type: 'session.resumed', settings };
  return { type: 'session.resumed', settings, lost: { ...lost, handle: shell.numberAfter(lastHandle(recorded)) } };
}

/** The highest number of an output that the log knows; 0 for none. */
function lastHandle(recorded: readonly Recorded[]): number {
  return recorded.reduce((most, { event }) => Math.max(most, handleOf(event) ?? 0), 0);
}

function handleOf(event: SessionEvent): number | undefined {
  if (event.type === 'session.resumed') return event.lost?.handle;
  return event.type === 'command.completed' || event.type === 'tool-call.completed' ? event.record?.handle : undefined;
}
