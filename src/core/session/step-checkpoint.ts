import type { SessionEvent } from '../../protocol/event.ts';
import { changeTurn } from './change-turn.ts';
import { OWN_COMMAND, type SessionState } from './state.ts';

type CheckpointEvent = Extract<SessionEvent, { type: `checkpoint.${string}` }>;

/** What is true of pictures after this event. */
export function evolveCheckpoint(state: SessionState, event: CheckpointEvent): SessionState {
  switch (event.type) {
    case 'checkpoint.created': {
      const isOwnPicture = event.callId === OWN_COMMAND;
      return { ...(isOwnPicture ? state : markCheckpointed(state)), unsealed: event.checkpoint, isOwnPicture };
    }
    case 'checkpoint.skipped':
      return event.callId === OWN_COMMAND ? state : markCheckpointed(state);
    case 'checkpoint.sealed':
      return state.unsealed?.id === event.id ? { ...endPause(state, event), unsealed: null } : state;
  }
}

/** A call that was allowed is decided about again: it may be in another place, of which nobody has taken a picture. */
export function forgetPicture(state: SessionState, callId: string): SessionState {
  const open = state.turn?.open.find(({ call }) => call.id === callId);
  if (open?.stage !== 'approved' || open.call.effect === 'read') return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false }));
}

/** What the step has changed so far is told apart from what the person changes while they are asked. */
export function pauseStep(state: SessionState): SessionState {
  const { unsealed } = state;
  if (unsealed === null || state.turn?.checkpointed !== true) return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false, paused: unsealed }));
}

/** With a picture that is not there the step cannot go on. */
function endPause(
  state: SessionState,
  { dropped, error }: Extract<CheckpointEvent, { type: 'checkpoint.sealed' }>,
): SessionState {
  if (dropped !== true && error === undefined) return state;
  return changeTurn(state, ({ paused: _, ...turn }) => turn);
}

function markCheckpointed(state: SessionState): SessionState {
  return changeTurn(state, ({ paused: _, ...turn }) => ({ ...turn, checkpointed: true }));
}
