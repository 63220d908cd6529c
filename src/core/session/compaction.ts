import type { ErrorFact } from '../../protocol/error.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { reject, type SessionState } from './state.ts';

/** The facts of `compact`: a user wants the conversation shorter, while nothing else goes on. */
export function compact({ entries, context }: SessionState, { focus = '' }: OpOf<'compact'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('compact', busy);
  if (entries.length === 0 || entries.length === context.compacted?.upTo) {
    const message = 'there is nothing to compact: nothing was said or run that is not in the summary already';
    const error = { code: 'context.nothing-to-free', message, hint: ':context shows what fills it' };
    return reject('compact', error);
  }
  const named = focus.trim() === '' ? {} : { focus: focus.trim() };
  return [{ type: 'compaction.started', reason: 'user', ...named, entries: entries.length, tokens: 0 }];
}

/** What keeps a session from something new while its conversation is made shorter. */
export function busyCompacting({ context }: SessionState): ErrorFact | null {
  if (context.pending === null) return null;
  return { code: 'session.busy', message: 'the conversation is being made shorter', hint: 'wait for its end or interrupt it' };
}

/** The facts of an interrupt while nothing but a compaction goes on; null where something else does. */
export function interruptCompaction({ turn, context }: SessionState): SessionEvent[] | null {
  if (turn !== null || context.pending === null) return null;
  return [{ type: 'compaction.failed', error: { code: 'context.stopped', message: 'stopped; all is as it was' } }];
}
