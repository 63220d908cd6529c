import { isCommand } from '../../core/policy.ts';
import { type BlastRadius, NO_BLAST } from '../../protocol/blast-radius.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { commandOf } from '../gate/command-gate.ts';
import { countCall, countLine } from '../gate/measure-line.ts';
import type { EffectContext } from '../session.ts';
import { type EffectOf, type Hands, previewOf } from './hands.ts';

/** Counts what the call of a question would touch. A call whose arguments tell nothing is left without an answer. */
export async function measureAskedCall(
  effect: EffectOf<'measure-call'>,
  context: EffectContext,
  hands: Hands,
): Promise<void> {
  // The question comes first, and whoever has its answer ready, such as a run without a person, needs no counting.
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
  if (context.signal.aborted) return;
  const { call, question } = effect;
  for await (const blast of measure(effect, context, hands))
    context.record({ type: 'call.measured', callId: call.id, question, blast });
}

/** A command is counted where it was judged: that is where a yes lets it run. */
function measure(
  { call }: EffectOf<'measure-call'>,
  { state, signal }: EffectContext,
  { gate }: Hands,
): AsyncGenerator<BlastRadius> {
  if (isCommand(call)) return countLine(commandOf(call), gate, signal, previewOf(call.id, state())?.judged?.cwd);
  return countCall(call, gate, signal);
}

/** What could not be counted is unknown, and never nothing. */
export function notMeasured({ call, question }: EffectOf<'measure-call'>, why: string): SessionEvent {
  const unknown = [`what it would touch, which could not be looked up: ${why}`];
  return { type: 'call.measured', callId: call.id, question, blast: { ...NO_BLAST, unknown } };
}
