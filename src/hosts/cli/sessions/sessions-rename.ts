import { EventLog } from '../../../adapters/store/event-log.ts';
import type { SessionSummary } from '../../../adapters/store/sessions.ts';
import { rename } from '../../../core/session/session-name.ts';
import { AishError } from '../../../protocol/error.ts';
import { isDurable } from '../../../protocol/event.ts';

/** Gives a stored session another name, and says so; refused while an aish has it open, whose prompt can do it. */
export function renameSession({ id, path }: SessionSummary, name: string, now: number): string {
  const [fact] = rename({ type: 'rename', name });
  if (fact === undefined || !isDurable(fact)) {
    throw new AishError('usage', 'the name is empty', { hint: 'aish sessions rename ID NAME' });
  }
  const { log } = openToRename(path);
  using _ = log;
  log.append([fact], now);
  return `${id} is called: ${fact.type === 'session.named' ? fact.name : name}`;
}

function openToRename(path: string): ReturnType<typeof EventLog.open> {
  try {
    return EventLog.open(path);
  } catch (thrown) {
    if (!(thrown instanceof AishError) || thrown.code !== 'session.locked') throw thrown;
    throw new AishError('session.locked', thrown.message, { hint: 'type :name WORDS there', cause: thrown });
  }
}
