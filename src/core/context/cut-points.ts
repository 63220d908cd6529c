import type { Entry } from '../session/state.ts';

/**
 * Where a conversation may be cut: never between a call and its result. At a turn's beginning the commands that go with its message stay with
 * it; within a turn the message is sent again in front of what is left, so that the model still knows what it works on.
 */
export interface CutPoints {
  /** Entries before which a turn begins, commands of the person before its message included. */
  readonly turns: readonly number[];
  /** Entries before which, within a turn, all calls are answered. */
  readonly rounds: readonly number[];
}

/** True for what goes along with the next message of the person. */
export function isNoteEntry({ type }: Entry): boolean {
  return type === 'command' || type === 'proposal' || type === 'restored';
}

/** All places where entries may be cut, in order; the end is one of them. */
export function cutPoints(entries: readonly Entry[]): CutPoints {
  const turns: number[] = [];
  const rounds: number[] = [];
  const open = new Set<string>();
  let notes: number | null = null;
  entries.forEach((entry, at) => {
    const isNote = isNoteEntry(entry);
    if (open.size === 0) {
      if (isNote) notes ??= at;
      else if (entry.type === 'user') turns.push(notes ?? at);
      else if (entry.type !== 'result') rounds.push(at);
    }
    if (!isNote) notes = null;
    if (entry.type === 'assistant') for (const { id } of entry.calls) open.add(id);
    if (entry.type === 'result') open.delete(entry.callId);
  });
  if (open.size > 0) return { turns, rounds };
  if (notes !== null) turns.push(notes);
  return { turns, rounds: [...rounds, entries.length] };
}

/** The last place at or before `upTo` where entries may be cut; 0 for none. */
export function nearestCut(entries: readonly Entry[], upTo: number): number {
  const { turns, rounds } = cutPoints(entries);
  return [...turns, ...rounds].reduce((best, at) => (at <= upTo && at > best ? at : best), 0);
}
