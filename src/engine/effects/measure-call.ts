import { isCommand } from '../../core/policy.ts';
import { NO_BLAST } from '../../protocol/blast-radius.ts';
import type { SessionEvent } from '../../protocol/event.ts';
import { commandOf } from '../command-gate.ts';
import type { EffectContext } from '../session.ts';
import { type EffectOf, type Hands, previewOf } from './hands.ts';

/** Counts what the call of a question would touch. A call whose arguments tell nothing is left without an answer. */
export async function measureAskedCall(
  effect: EffectOf<'measure-call'>,
  context: EffectContext,
  hands: Hands,
): Promise<void> {
  // The question comes first, and whoever has its answer ready, such as a run without a person, needs no counting.
  await nextTurn();
  const { signal } = context;
  if (signal.aborted) return;
  const { call, question } = effect;
  const ground = await groundOf(effect, context, hands);
  const { measureBlast, measureCall } = await import('../../adapters/blast/measure.ts');
  if (signal.aborted) return;
  if (!isCommand(call)) {
    const blast = await measureCall(call, ground, signal);
    if (blast !== null) context.record({ type: 'call.measured', callId: call.id, question, blast });
    return;
  }
  const line = commandOf(call);
  const told = await measureBlast(line, ground, signal);
  const unsure = await hands.gate.mayDiffer(line, ground);
  const blast = unsure ? { ...told, unknown: [...told.unknown, 'whether zsh reads it as bash does'] } : told;
  context.record({ type: 'call.measured', callId: call.id, question, blast });
}

/** Where it was judged is where a yes lets it run. */
async function groundOf({ call }: EffectOf<'measure-call'>, context: EffectContext, hands: Hands) {
  const ground = await hands.gate.ground();
  const cwd = previewOf(call.id, context.state())?.judged?.cwd;
  return cwd === undefined ? ground : { ...ground, cwd };
}

/** What could not be counted is unknown, and never nothing. */
export function notMeasured({ call, question }: EffectOf<'measure-call'>, why: string): SessionEvent {
  const unknown = [`what it would touch could not be looked up: ${why}`];
  return { type: 'call.measured', callId: call.id, question, blast: { ...NO_BLAST, unknown } };
}

async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
