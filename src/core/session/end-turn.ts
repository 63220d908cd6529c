import type { SessionEvent, TurnEnd } from '../../protocol/event.ts';
import type { SessionState } from './state.ts';

/** The fact that ends the turn. What had streamed of a step goes into it: nothing else of that is in the log. */
export function endTurn(
  { turn }: Pick<SessionState, 'turn'>,
  reason: TurnEnd,
): Extract<SessionEvent, { type: 'turn.ended' }> {
  const text = turn?.streamed ?? '';
  return { type: 'turn.ended', reason, ...(text === '' ? {} : { text }) };
}
