import { isCommand } from '../../core/policy.ts';
import { namingText } from '../../core/secrets/naming-text.ts';
import { namesNotAllowed, tellWithheld } from '../../core/secrets/withheld-note.ts';
import { truncateMiddle } from '../../core/truncate.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { roomForResult } from '../context/watch-context.ts';
import { commandOf } from '../gate/command-gate.ts';
import type { EffectContext } from '../session.ts';
import { taintFactsOfCall } from '../taint/note-taint.ts';
import { formatExecResult } from '../tools/exec.ts';
import { appliedFor } from './applied-rehearsal.ts';
import { decideByRules, withEdit } from './decide-call.ts';
import { type EffectOf, type Hands, previewOf } from './hands.ts';
import { applyForCall } from './rehearse.ts';

/** Runs a call that was allowed, where it was allowed to. */
export async function runTool({ call }: EffectOf<'run-tool'>, context: EffectContext, hands: Hands): Promise<void> {
  const rehearsal = appliedFor(call, context.state());
  if (rehearsal !== null) return applyForCall(call, rehearsal, context, hands);
  if (isCommand(call)) await hands.sharedShell.start();
  const { revealed, moved } = await lookAgain(call, context, hands);
  if (moved !== null) {
    await decideByRules(call, context, hands, { again: moved });
  }
  const looking = hands.lookAhead(namingText(revealed.call));
  if (looking !== null) await looking;
  // Called off meanwhile; or asked again, refused, or in need of a checkpoint first.
  if (context.signal.aborted) return;
  const preview = previewOf(call.id, context.state());
  if (preview?.judged?.unasked === true || preview?.sandboxed === true) return runApart(call, context, hands);
  context.record({ type: 'tool-call.started', callId: call.id });
  const withheld = isCommand(call) ? await hands.handover.withheldFrom(revealed.secrets) : [];
  const result = await hands.toolbox.run(revealed.call, preview, context.signal, { shown: call, withheld });
  const budget = await roomForResult(result.record?.bytes ?? result.text.length, context, hands);
  const { isError } = result;
  const tainted = await taintFactsOfCall(call, preview, context, { ...hands, record: result.record, isError });
  // It may have made a secret, or have gone where there are others. What is cut must be covered before, or half of one is left.
  await hands.lookForSecrets(namingText(revealed.call));
  const record = result.record === undefined ? undefined : hands.secrets.concealRecord(result.record);
  const text =
    record === undefined
      ? truncateMiddle(hands.secrets.conceal(result.text) || '(no output)', budget)
      : formatExecResult(record, budget) + tellWithheld(record, withheld, revealed.secrets, preview?.judged?.class);
  context.record(...tainted, {
    type: 'tool-call.completed',
    callId: call.id,
    text: withEdit(call, context, text),
    isError,
    ...(record === undefined ? {} : { record }),
    ...(result.images === undefined ? {} : { images: result.images }),
  });
}

/** The call with its secrets, and what is not as it was when it was allowed: where it would run, or what it would be handed. */
async function lookAgain(call: ToolCall, context: EffectContext, hands: Hands) {
  const preview = previewOf(call.id, context.state());
  // The shell's startup files may set what is secret.
  if (isCommand(call) && preview?.judged?.unasked !== true) await hands.sharedShell.shell?.atRest();
  const revealed = await hands.handover.look(call);
  const moved = await hands.toolbox.whatMoved(call, preview);
  if (moved !== null) return { revealed, moved };
  const names = namesNotAllowed(revealed.secrets, preview?.secrets);
  if (revealed.problem !== null) return { revealed, moved: revealed.problem };
  return { revealed, moved: names.length === 0 ? null : `it would be handed ${names.join(', ')} by now` };
}

/** Runs a command in the sandbox, which holds it to its class; where that is in its way, the person is asked about the shared shell, once. */
async function runApart(call: ToolCall, context: EffectContext, hands: Hands): Promise<void> {
  const callId = call.id;
  context.record({ type: 'tool-call.started', callId, sandboxed: true });
  const kind = previewOf(callId, context.state())?.judged?.class ?? 'unparseable';
  const line = commandOf(call);
  const handed = await hands.handover.forSandbox(line, previewOf(callId, context.state())?.secrets ?? []);
  const command = { line, kind, ground: await hands.gate.ground(), handed };
  if (context.signal.aborted) return;
  const { record: ran, blocked } = await hands.sandbox.run(command, context.signal);
  if (context.signal.aborted) return;
  if (ran === null || blocked !== null) {
    const again = `the sandbox was in its way: ${blocked}; a yes runs it in your shell`;
    return decideByRules(call, context, hands, { again, isBlocked: true });
  }
  await hands.lookForSecrets(namingText(call));
  const record = hands.secrets.concealRecord(ran);
  const text = formatExecResult(record, await roomForResult(record.bytes, context, hands));
  const tainted = await taintFactsOfCall(call, previewOf(callId, context.state()), context, hands);
  context.record(...tainted, {
    type: 'tool-call.completed',
    callId,
    text: withEdit(call, context, text),
    isError: false,
    record,
  });
}
