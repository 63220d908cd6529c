import type { Rehearsal, SessionState } from '../../core/session/state.ts';
import type { ToolCall } from '../../protocol/tool.ts';

/** The rehearsal that is applied in the place of running a call; null where the call is to be run. */
export function appliedFor(call: ToolCall, { rehearsal = null }: SessionState): Rehearsal | null {
  return rehearsal?.callId === call.id && rehearsal.stage === 'applying' ? rehearsal : null;
}
