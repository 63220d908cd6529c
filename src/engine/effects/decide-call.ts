import { formatRefusal, isCommand, judge, mayHold } from '../../core/policy.ts';
import type { CallTaint } from '../../protocol/taint.ts';
import type { CallPreview, ToolCall } from '../../protocol/tool.ts';
import { commandOf } from '../gate/command-gate.ts';
import type { RevealedCall } from '../secrets/secret-handover.ts';
import type { EffectContext } from '../session.ts';
import { taintOfCall } from '../taint/call-taint.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import type { EffectOf, Hands } from './hands.ts';

/** Finds out what a call would do; ends in a question or a decision. */
export async function prepareCall(
  { call }: EffectOf<'prepare-call'>,
  context: EffectContext,
  hands: Hands,
): Promise<void> {
  await decideByRules(call, context, hands);
}

/** Why a call is decided about again. */
interface SecondLook {
  readonly again: string;
  /** The sandbox was in the way: it is about the shared shell. */
  readonly isBlocked?: true;
}

/** Finds out what a call would do, and has the rules allow or refuse it, or the person asked. */
export async function decideByRules(
  call: ToolCall,
  context: EffectContext,
  hands: Hands,
  second?: SecondLook,
): Promise<void> {
  const { settings } = context.state();
  const callId = call.id;
  const revealed = await hands.handover.look(call);
  if (revealed.problem !== null) {
    const text = withEdit(call, context, `[aish] not run: ${revealed.problem}`);
    return context.record({ type: 'tool-call.completed', callId, text, isError: true });
  }
  const found = await previewCall(revealed, context, hands, second);
  const looked = second === undefined ? found : { ...found, again: second.again };
  const taint = await taintOfCall(call, looked, context.state(), hands);
  const judged = judge(call, settings, taint === null ? looked : { ...looked, taint });
  const { decision, rule, held } = judged;
  const isHeld = held !== undefined && rule === 'text of others';
  const preview = taint === null ? looked : withTaint(looked, isHeld ? { ...taint, rule: held } : taint);
  const problem = decision === 'deny' ? null : await findProblem(call, preview, context, hands);
  if (problem !== null) {
    const tainted = await taintFactsOfCall(call, preview, context, { ...hands, isError: true });
    const text = hands.secrets.conceal(problem);
    return context.record(...tainted, { type: 'tool-call.completed', callId, text, isError: true });
  }
  const isMeantApart = settings.sandbox === true && isCommand(call) && second?.isBlocked !== true;
  const missing = isMeantApart && decision === 'ask' ? await hands.sandbox.whyMissing() : null;
  const apart = isMeantApart ? (missing === null ? { sandboxed: true as const } : { unsandboxed: missing }) : {};
  switch (decision) {
    case 'ask':
      return context.record({
        type: 'approval.requested',
        callId,
        preview: tellOnce({ ...preview, ...apart }, hands),
      });
    case 'allow':
      if (settings.autoApprove[rule] === true) await hands.toolbox.noteRuled(call);
      return context.record({ type: 'approval.decided', callId, decision, by: 'policy', rule, preview });
    case 'deny':
      return context.record(
        { type: 'approval.decided', callId, decision, by: 'policy', rule, preview },
        {
          type: 'tool-call.completed',
          callId,
          text: withEdit(call, context, formatRefusal(preview, rule)),
          isError: true,
        },
      );
  }
}

/** Why a call need not be asked about: it would fail as things stand, and the model may know that. */
async function findProblem(
  call: ToolCall,
  preview: CallPreview,
  context: EffectContext,
  hands: Hands,
): Promise<string | null> {
  if (preview.problem === undefined) return null;
  const { tellableProblem } = await import('./doomed-call.ts');
  return tellableProblem(call, preview, context, hands);
}

/** Why nothing at all can be undone in a place is news with the first question about it. */
function tellOnce(preview: CallPreview, { told }: Pick<Hands, 'told'>): CallPreview {
  const { undoable, why, everywhere, judged } = preview;
  // A command that only reads says nothing of it.
  if (undoable || why === undefined || everywhere !== true || judged?.class === 'read-only') return preview;
  if (told.has(why)) return { ...preview, told: true };
  told.add(why);
  return preview;
}

/** A rule would not hold now, so none is offered. */
function withTaint(preview: CallPreview, taint: CallTaint): CallPreview {
  if (preview.judged?.proposal === undefined) return { ...preview, taint };
  const { proposal: _, ...judged } = preview.judged;
  return { ...preview, judged, taint };
}

/** What is judged and shown is what would run; the facts about it are covered like all others. */
async function previewCall(
  { call, secrets }: RevealedCall,
  context: EffectContext,
  hands: Hands,
  second: SecondLook | undefined,
): Promise<CallPreview> {
  const { settings } = context.state();
  const isRuled = secrets.every(({ rule }) => rule !== undefined);
  const unasked = second === undefined && isRuled ? settings.unasked : 'none';
  const judging = hands.gate.judge(call, settings.commands, unasked);
  const handed = secrets.length === 0 ? {} : { secrets };
  // What runs apart changes nothing that could be undone.
  const apart = isCommand(call) ? await judging : null;
  if (apart?.unasked === true) return { undoable: true, judged: apart, ...handed };
  if (apart?.decision === 'ask') hands.gate.counter.warm();
  const [looked, judged] = await Promise.all([
    hands.toolbox.preview(call, { signal: context.signal, most: settings.pictureLimits }),
    judging,
  ]);
  const found = { ...looked, ...handed };
  const off = call.effect !== 'read' && settings.checkpointMode === 'off';
  const preview = off ? { ...found, undoable: false, why: 'checkpoints are off' } : found;
  if (judged === null) return preview;
  // A rule that could not hold here is not offered.
  const { proposal, ...plain } = judged;
  const mayPropose = proposal !== undefined && mayHold(judged, preview.undoable);
  return { ...preview, judged: mayPropose ? { ...plain, proposal } : plain };
}

/** The model has to know that what ran, or did not, is not what it asked for. */
export function withEdit(call: ToolCall, context: EffectContext, text: string): string {
  const isEdited = context.state().turn?.open.some((open) => open.call.id === call.id && open.edited === true);
  if (isEdited !== true) return text;
  const [status = '', ...rest] = text.split('\n');
  return [status, `[aish] the person changed the command to: ${commandOf(call)}`, ...rest].join('\n');
}
