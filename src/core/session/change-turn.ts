import type { OpenCall, SessionState, Turn } from './state.ts';

/** The state with its turn changed; without a turn as it is. */
export function changeTurn(state: SessionState, change: (turn: Turn) => Turn): SessionState {
  return state.turn === null ? state : { ...state, turn: change(state.turn) };
}

/** The state with an open call changed. */
export function changeCall(state: SessionState, callId: string, change: (open: OpenCall) => OpenCall): SessionState {
  return changeTurn(state, (turn) => ({
    ...turn,
    open: turn.open.map((open) => (open.call.id === callId ? change(open) : open)),
  }));
}
