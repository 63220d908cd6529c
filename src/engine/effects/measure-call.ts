import { isCommand } from '../../core/policy/policy.ts';
import { type ChangeReport, NO_CHANGES } from '../../protocol/change-report.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { commandOf } from '../policy/command-gate.ts';
import { countCall, countLine } from '../policy/measure-line.ts';
import type { EffectContext } from './effect-context.ts';
import { type EffectOf, previewOf } from './effect-context.ts';
import type { EffectDeps } from './effect-deps.ts';

/** Estimates what the call of a question would change. A call whose arguments tell nothing gets no report. */
export async function measureAskedCall(
  effect: EffectOf<'measure-call'>,
  context: EffectContext,
  deps: EffectDeps,
): Promise<void> {
  // The question comes first, and whoever has its answer ready, such as a run without a user, needs no counting.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  if (context.signal.aborted) return;
  const { call, question } = effect;
  for await (const report of measure(effect, context, deps))
    context.record({ type: 'impact.estimated', callId: call.id, prompt: question, report });
}

/** A command is counted where it was classified: that is where a yes lets it run. */
function measure(
  { call }: EffectOf<'measure-call'>,
  { state, signal }: EffectContext,
  { gate }: EffectDeps,
): AsyncGenerator<ChangeReport> {
  if (isCommand(call)) return countLine(commandOf(call), gate, signal, previewOf(call.id, state())?.decided?.cwd);
  return countCall(call, gate, signal);
}

/** What could not be counted is unknown, and never nothing. */
export function notMeasured({ call, question }: EffectOf<'measure-call'>, why: string): SessionEvent {
  const unknown = [`what it would change; the estimate failed: ${why}`];
  return { type: 'impact.estimated', callId: call.id, prompt: question, report: { ...NO_CHANGES, unknown } };
}
