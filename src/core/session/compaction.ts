import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { COMPACTING, COMPACTION_STOPPED, NOTHING_TO_COMPACT } from './messages.ts';
import { reject, type SessionState } from './state.ts';

/** Begins a compaction that the user requested, unless the session is `busy`. */
export function compact({ entries, context }: SessionState, { focus = '' }: OpOf<'compact'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('compact', busy);
  if (entries.length === 0 || entries.length === context.compacted?.upTo) return reject('compact', NOTHING_TO_COMPACT);
  const named = focus.trim() === '' ? {} : { focus: focus.trim() };
  return [{ type: 'compaction.started', reason: 'user', ...named, entries: entries.length, tokens: 0 }];
}

/** The reason why a compaction blocks new work; null if none is running. */
export function busyCompacting({ context }: SessionState): ErrorFact | null {
  return context.pending === null ? null : COMPACTING;
}

/** The events of an interrupt while only a compaction is running; null otherwise. */
export function interruptCompaction({ turn, context }: SessionState): SessionEvent[] | null {
  if (turn !== null || context.pending === null) return null;
  return [{ type: 'compaction.failed', error: COMPACTION_STOPPED }];
}
