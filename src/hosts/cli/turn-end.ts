import { DEPTH_LIMIT_REACHED, SAME_FAILURE, TURN_DENIED } from '../../core/session/next.ts';
import { formatError } from '../../protocol/error.ts';
import type { SessionEvent, TurnEnd } from '../../protocol/event.ts';

const ENDS: Readonly<Record<TurnEnd, string | null>> = {
  completed: null,
  failed: null,
  interrupted: 'interrupted',
  // The halt itself is told.
  halted: null,
  'depth-limit': DEPTH_LIMIT_REACHED,
  'step-limit': '[aish] step limit reached',
  denied: TURN_DENIED,
  'repeated-failure': SAME_FAILURE,
};

/** What people are told of how a turn ended; null when there is nothing to tell. */
export function formatTurnEnd({ reason, error }: Extract<SessionEvent, { type: 'turn.ended' }>): string | null {
  return error === undefined ? ENDS[reason] : formatError(error);
}
