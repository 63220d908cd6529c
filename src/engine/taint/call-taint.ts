import type { SessionState } from '../../core/session/state.ts';
import type { CallTaint } from '../../protocol/taint.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { TaintHands } from './note-taint.ts';

/** What there is to say of a call because the model had read text of others when it asked for it; null for nothing. */
export async function taintOfCall(
  call: ToolCall,
  preview: CallPreview,
  state: SessionState,
  hands: Pick<TaintHands, 'gate'>,
): Promise<CallTaint | null> {
  const sources = state.turn?.heard ?? [];
  if (sources.length === 0) return null;
  const reach = await findReach(call, preview, state, hands);
  return reach === null ? null : { sources, reach };
}

async function findReach(
  call: ToolCall,
  preview: CallPreview,
  { turn, entries, taint }: SessionState,
  hands: Pick<TaintHands, 'gate'>,
): Promise<string | null> {
  if (!call.name.startsWith('aish.')) {
    if (preview.secrets !== undefined && preview.secrets.length > 0) return 'is handed secrets';
    const { reachOfServerCall } = await import('../../core/taint/server-call.ts');
    return reachOfServerCall(call, turn?.heard ?? [], entries);
  }
  const { reachOf } = await import('../../core/taint/reach.ts');
  const { FILE_FACTS, toReadGround } = await import('./file-facts.ts');
  const ground = toReadGround(await hands.gate.ground(), taint.paths);
  return reachOf(call, preview, ground, FILE_FACTS);
}
