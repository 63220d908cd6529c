import { statSync } from 'node:fs';
import { fold } from '../../core/session/evolve.ts';
import { findLostCommand } from '../../core/session/lost-command.ts';
import { isRestoreAsked } from '../../core/session/restore.ts';
import { attempt } from '../../core/text/attempt.ts';
import type { Recorded, SessionEvent } from '../../protocol/event.ts';
import type { Settings } from '../../protocol/settings.ts';
import { formatCutShort, formatGoneDirectory } from './messages.ts';

/** What is true with the opening of a session: a command of the user that the end of the process before cut short is closed. */
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

/** What to say of an undo or redo that the end of the program before this one cut short. */
export function tellCutShort(recorded: readonly Recorded[]): readonly string[] {
  const begun = recorded.findLastIndex(({ event }) => event.type === 'restore.started');
  if (begun === -1) return [];
  const state = fold(recorded.slice(begun).map(({ event }) => event));
  const { restore } = state;
  if (restore === null || isRestoreAsked(state)) return [];
  return [formatCutShort(restore.direction ?? 'undo', restore.checkpoint ?? restore.question?.checkpoint)];
}

/** A session goes on where its shell stood, while that is still a directory. */
export function placeToBegin(recorded: readonly Recorded[], cwd: string): { cwd: string; warnings: readonly string[] } {
  const last = lastCwd(recorded);
  if (last === undefined || isDirectory(last)) return { cwd: last ?? cwd, warnings: [] };
  return { cwd, warnings: [formatGoneDirectory(last, cwd)] };
}

/** Where the last command left the shell, whoever ran it. */
function lastCwd(recorded: readonly Recorded[]): string | undefined {
  for (const { event } of recorded.toReversed()) {
    if (event.type !== 'command.completed' && event.type !== 'tool-call.completed') continue;
    if (event.record !== undefined) return event.record.cwd;
  }
  return undefined;
}

function isDirectory(path: string): boolean {
  return attempt(() => statSync(path).isDirectory(), false);
}
