import { relative } from 'node:path';
import { findFence } from '../../core/contract/fences.ts';
import { CONTRACT_RULE, formatReadFenced } from '../../core/contract/messages.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import type { EffectContext } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';

/** The facts of `decideByContract`. */
interface ContractCall {
  readonly call: ToolCall;
  readonly preview: CallPreview;
  /** A rule allows the call. */
  readonly isAllowed: boolean;
}

/**
 * Decides a call by the contract of the running autonomous run, in place of the user. Inside its fences a call may run; a call that only
 * reads and would leave them is denied; any other ends the run.
 */
export async function decideByContract(
  { call, preview, isAllowed }: ContractCall,
  context: EffectContext,
  { gate }: Pick<EffectDeps, 'gate'>,
): Promise<void> {
  const { contractRun: run } = context.state();
  if (!run) return;
  const callId = call.id;
  const { project } = await gate.context();
  const path = preview.path === undefined ? null : toProjectPath(preview.path, project);
  const fence = findFence({ call, preview, isAllowed, path }, run);
  if (fence === null)
    return context.record({
      type: 'approval.decided',
      callId,
      decision: 'allow',
      by: 'policy',
      rule: CONTRACT_RULE,
      preview: { ...preview, byContract: true },
    });
  if (call.effect !== 'read') return context.record({ type: 'contract.fenced', number: run.number, callId, fence });
  context.record(
    { type: 'approval.decided', callId, decision: 'deny', by: 'policy', rule: CONTRACT_RULE, preview },
    { type: 'tool-call.completed', callId, text: formatReadFenced(fence), isError: true },
  );
}

/** The path relative to the project; null outside. */
function toProjectPath(path: string, project: string): string | null {
  const inside = relative(project, path);
  return inside === '..' || inside.startsWith('../') ? null : inside;
}
