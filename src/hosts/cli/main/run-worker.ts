import { join } from 'node:path';
import { RunStore } from '../../../adapters/store/run-store.ts';
import type { Options } from '../../../core/command-line/invocation.ts';
import type { OpenSessionServer, SessionServer } from '../../../engine/session/session-server.ts';
import { formatError, toErrorFact } from '../../../protocol/error.ts';
import { noRun } from '../commands/messages-runs.ts';
import { copyRest, cwdIn } from '../commands/working-copies.ts';
import { PROCESS_OUTPUT } from '../setup/process-output.ts';
import { prepare, runtimeFolder } from '../setup/setup.ts';
import { playRun } from './play-contract.ts';
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
