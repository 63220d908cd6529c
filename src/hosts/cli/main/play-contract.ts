import type { RunStore } from '../../../adapters/store/run-store.ts';
import { untilState } from '../../../core/session/session-client.ts';
import { isIdle } from '../../../core/session/state.ts';
import type { ErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { OpOf } from '../../../protocol/op.ts';
import type { RunRecord } from '../../../protocol/run-record.ts';
import type { ScriptSession } from './print.ts';

/** Plays a run to its end; the answer is the error of one that could not begin. */
export async function playContract(
  { client, from }: Pick<ScriptSession, 'client' | 'from'>,
  op: OpOf<'begin-contract' | 'resume-contract'>,
  onEvent: (recorded: Recorded) => void,
): Promise<ErrorFact | null> {
  const events = client.events(from);
  const outcome = await client.submit(op);
  if (outcome.type === 'refused') return outcome.error;
  for await (const recorded of events) {
    onEvent(recorded);
    if (recorded.event.type === 'contract.ended') break;
  }
  await untilState(client, isIdle);
  return null;
}

/** Plays the contract of a run, or goes on with it in its session, and notes session and end down. */
export async function playRun(
  session: ScriptSession,
  { store, record }: { readonly store: RunStore; readonly record: RunRecord },
  onEvent: (recorded: Recorded) => void,
): Promise<ErrorFact | null> {
  const { id, contract, raised = {} } = record;
  const isNew = record.session === null;
  store.update(id, { session: session.client.sessionId });
  const op = isNew
    ? ({ type: 'begin-contract', contract } as const)
    : ({ type: 'resume-contract', limits: raised } as const);
  const error = await playContract(session, op, (recorded) => {
    if (recorded.event.type === 'contract.ended') store.update(id, { reason: recorded.event.reason });
    onEvent(recorded);
  });
  store.update(id, { endedAt: Date.now(), ...(error === null ? {} : { reason: 'failed' }) });
  return error;
}
