import type { StepCause } from '../../protocol/checkpoint.ts';
import type { EventOf } from '../../protocol/event.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { isCommand } from '../policy/policy.ts';
import type { Handlers } from './handlers.ts';
import { changeTurn, OWN_COMMAND, type SessionState } from './state.ts';

/** The handlers of the checkpoint of the step. */
export const CHECKPOINT_HANDLERS: Handlers<SessionState> = {
  'checkpoint.created': (state, { callId, checkpoint: openCheckpoint }) => {
    const isOwnSnapshot = callId === OWN_COMMAND;
    return { ...(isOwnSnapshot ? state : markCheckpointed(state)), openCheckpoint, isOwnSnapshot };
  },
  'checkpoint.skipped': (state, { callId }) => (callId === OWN_COMMAND ? state : markCheckpointed(state)),
  'checkpoint.finalized': (state, event) =>
    state.openCheckpoint?.id === event.id ? { ...endPause(state, event), openCheckpoint: null } : state,
};

/** An approved call is decided again, possibly in another place without a snapshot. */
export function forgetSnapshot(state: SessionState, callId: string): SessionState {
  const open = state.turn?.open.find(({ call }) => call.id === callId);
  if (open?.stage !== 'approved' || open.call.effect === 'read') return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false }));
}

/** Separates the changes of the step so far from changes by the user during the approval prompt. */
export function pauseStep(state: SessionState): SessionState {
  const { openCheckpoint } = state;
  if (openCheckpoint === null || state.turn?.checkpointed !== true) return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false, paused: openCheckpoint }));
}

/** Without the snapshot the step cannot continue. */
function endPause(state: SessionState, { discarded, error }: EventOf<'checkpoint.finalized'>): SessionState {
  if (discarded !== true && error === undefined) return state;
  return changeTurn(state, ({ paused: _, ...turn }) => turn);
}

function markCheckpointed(state: SessionState): SessionState {
  return changeTurn(state, ({ paused: _, ...turn }) => ({ ...turn, checkpointed: true }));
}

/** Maximum characters of a command in lists of steps. */
const LONGEST_LINE = 72;

/** The cause of a call's changes. */
export function causeOf(call: Pick<ToolCall, 'name' | 'effect' | 'origin'>): StepCause {
  if (call.origin === 'command-line') return 'command-line';
  if (isCommand(call)) return 'approved-command';
  return call.name.startsWith('aish.') ? 'tool' : 'mcp';
}

/** The label of a step in lists: the command or name of its first call, and the number of further calls that may change something. */
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
