import { fold } from '../../core/session/evolve.ts';
import { isRestoreAsked } from '../../core/session/restore.ts';
import type { Recorded } from '../../protocol/event.ts';

/** What to say of an undo or redo that the end of the program before this one cut short. */
export function tellCutShort(recorded: readonly Recorded[]): readonly string[] {
  const begun = recorded.findLastIndex(({ event }) => event.type === 'restore.started');
  if (begun === -1) return [];
  const state = fold(recorded.slice(begun).map(({ event }) => event));
  const { restore } = state;
  if (restore === null || isRestoreAsked(state)) return [];
  const verb = restore.direction ?? 'undo';
  const id = restore.checkpoint ?? restore.question?.checkpoint;
  const named = id === undefined ? '' : ` of ${id}`;
  const again = id === undefined ? `:${verb}` : `:${verb} ${id}`;
  return [`an ${verb}${named} was cut short when aish ended; ${again} goes on with it`.replace('an redo', 'a redo')];
}
