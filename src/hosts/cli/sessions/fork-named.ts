import { sendRequest } from '../../../adapters/daemon/daemon-request.ts';
import { EventLog, logPath } from '../../../adapters/store/event-log.ts';
import { forkSession } from '../../../adapters/store/fork-session.ts';
import { isOpenSomewhere } from '../../../adapters/store/sessions.ts';
import { AishError } from '../../../protocol/error.ts';
import type { Setup } from '../setup/setup.ts';
import { findOpenById } from './find-owner.ts';

/** Copies a session, and has both say so. The answer is the id of the copy. */
export async function forkNamed(id: string, { setup }: { readonly setup: Setup }): Promise<string> {
  const { state } = setup.paths;
  const copy = forkSession(state, id, Date.now());
  const fact = { type: 'session.forked', to: copy } as const;
  if (!isOpenSomewhere(state, id)) {
    using opened = EventLog.open(logPath(state, id)).log;
    opened.append([fact], Date.now());
    return copy;
  }
  try {
    const { address } = await findOpenById(id, setup);
    const op = { type: 'fork', to: copy };
    await sendRequest(address, { method: 'POST', path: `/sessions/${id}/ops`, body: op });
  } catch (thrown) {
    // The copy is whole, and says where it comes from; that the other does not is no reason to fail.
    if (!(thrown instanceof AishError)) throw thrown;
  }
  return copy;
}
