import { join } from 'node:path';
import { RunStore } from '../../../adapters/store/run-store.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import { untilState } from '../../../core/session/session-client.ts';
import { isIdle } from '../../../core/session/state.ts';
import type { OpenSessionServer, SessionServer } from '../../../engine/session/session-server.ts';
import type { RunRecord } from '../../../protocol/contract.ts';
import { type ErrorFact, formatError, toErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { OpOf } from '../../../protocol/op.ts';
import { noRun } from '../commands/messages-extend.ts';
import { copyRest, cwdIn } from '../commands/working-copies.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { prepare, runtimeFolder } from '../setup/setup.ts';
import { type ScriptSession, withSession } from './print.ts';

/**
 * The process of a run in the background: `aish run` in a working copy that a prompt has made. Its standard input is a pipe from that
 * prompt. When the pipe closes, the prompt wants the run to end, or is gone, by whatever signal.
 */
export async function runWorker(id: string, options: Options, openServer: OpenSessionServer): Promise<number> {
  const closed = new AbortController();
  const { signal } = closed;
  void untilClosed().then(() => closed.abort());
  const setup = await prepare(options);
  const store = new RunStore(setup.paths.state);
  const record = store.find(id);
  if (record === null) throw noRun(id);
  store.update(id, { pid: process.pid });
  const left = record.session === null ? await copyRest(record, signal) : null;
  if (left !== null) PROCESS_OUTPUT.out(`${left}\n`);
  if (signal.aborted) {
    store.update(id, { endedAt: Date.now(), reason: 'stopped' });
    return 0;
  }
  const work = async (session: ScriptSession): Promise<number> => {
    const { engine, client, live } = session;
    const { model, cloud } = record;
    await client.submit({ type: 'configure', settings: { ...(model === null ? {} : { model }), cloud } });
    const server = await share(session, openServer);
    const halt = (): void => void engine.halt('terminal');
    signal.addEventListener('abort', halt, { once: true });
    const error = await playRun(session, { store, record }, ({ event }) => {
      if (event.type === 'contract.ended' && event.error !== undefined) PROCESS_OUTPUT.out(`${event.error.message}\n`);
      // The pipe may close in the moment before the run begins.
      if (signal.aborted) halt();
    });
    if (error !== null) PROCESS_OUTPUT.error(`${formatError(error)}\n`);
    server?.withdraw();
    await live.session.close();
    await server?.close();
    return error === null ? 0 : 1;
  };
  const { session: resume } = record;
  return withSession(resume === null ? options : { ...options, resume }, work, { ...setup, cwd: cwdIn(record) });
}

async function untilClosed(): Promise<void> {
  for await (const _ of Bun.stdin.stream());
}

/** Lets other terminals attach to the session of the run. It works without them, too. */
async function share({ live, setup }: ScriptSession, open: OpenSessionServer): Promise<SessionServer | null> {
  const path = join(runtimeFolder(setup), `${live.session.sessionId}.sock`);
  const onFault = (thrown: unknown): void => PROCESS_OUTPUT.error(`${formatError(toErrorFact(thrown))}\n`);
  try {
    return await open({ live, path, owner: null, models: Object.keys(setup.loaded.config.models), onFault });
  } catch (thrown) {
    onFault(thrown);
    return null;
  }
}

/** A run in a working copy, and where it is stored. */
export interface StoredRun {
  readonly store: RunStore;
  readonly record: RunRecord;
}

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
  { store, record }: StoredRun,
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
