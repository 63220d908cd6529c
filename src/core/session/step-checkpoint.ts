import type { StepCause } from '../../protocol/checkpoint.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { isCommand } from '../policy/policy.ts';
import { changeTurn, OWN_COMMAND, type SessionState } from './state.ts';

type CheckpointEvent = EventOf<`checkpoint.${string}`>;

/** What is true of snapshots after this event. */
export function evolveCheckpoint(state: SessionState, event: CheckpointEvent): SessionState {
  switch (event.type) {
    case 'checkpoint.created': {
      const isOwnSnapshot = event.callId === OWN_COMMAND;
      return { ...(isOwnSnapshot ? state : markCheckpointed(state)), openCheckpoint: event.checkpoint, isOwnSnapshot };
    }
    case 'checkpoint.skipped':
      return event.callId === OWN_COMMAND ? state : markCheckpointed(state);
    case 'checkpoint.finalized':
      return state.openCheckpoint?.id === event.id ? { ...endPause(state, event), openCheckpoint: null } : state;
  }
}

/** A call that was allowed is decided about again: it may be in another place, of which nobody has taken a snapshot. */
export function forgetSnapshot(state: SessionState, callId: string): SessionState {
  const open = state.turn?.open.find(({ call }) => call.id === callId);
  if (open?.stage !== 'approved' || open.call.effect === 'read') return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false }));
}

/** What the step has changed so far is told apart from what the user changes while they are asked. */
export function pauseStep(state: SessionState): SessionState {
  const { openCheckpoint } = state;
  if (openCheckpoint === null || state.turn?.checkpointed !== true) return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false, paused: openCheckpoint }));
}

/** With a snapshot that is not there the step cannot go on. */
function endPause(
  state: SessionState,
  { discarded: dropped, error }: Extract<CheckpointEvent, { type: 'checkpoint.finalized' }>,
): SessionState {
  if (dropped !== true && error === undefined) return state;
  return changeTurn(state, ({ paused: _, ...turn }) => turn);
}

function markCheckpointed(state: SessionState): SessionState {
  return changeTurn(state, ({ paused: _, ...turn }) => ({ ...turn, checkpointed: true }));
}

/** Characters of a command that lists of steps show. */
const LONGEST_LINE = 72;

/** Who or what changes the tree where a call does. */
export function causeOf(call: Pick<ToolCall, 'name' | 'effect' | 'origin'>): StepCause {
  if (call.origin === 'command-line') return 'command-line';
  if (isCommand(call)) return 'approved-command';
  return call.name.startsWith('aish.') ? 'tool' : 'mcp';
}

/**
 * What a step is called in lists: the call it was made before, of a command its line, and how many more of its calls may change something.
 */
export function labelOf(
  call: Pick<ToolCall, 'name' | 'effect' | 'origin' | 'arguments'>,
  others: readonly Pick<ToolCall, 'effect'>[] = [],
): string {
  const name = isCommand(call) ? shortLine(String(call.arguments.command ?? '')) : call.name;
  const more = others.filter(({ effect }) => effect !== 'read').length;
  return `before ${name}${more === 0 ? '' : ` and ${more} more ${more === 1 ? 'call' : 'calls'}`}`;
}

/** The beginning of a command in one line. */
export function shortLine(line: string): string {
  const one = line.replace(/\s+/g, ' ').trim();
  const cut = [...one].slice(0, LONGEST_LINE).join('');
  return cut === one ? `$ ${one}` : `$ ${cut}…`;
}
