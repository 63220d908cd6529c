import type { SessionEvent } from '../../protocol/event.ts';
import type { SessionState } from './state.ts';

/** The end of a command of the person that waits and will not begin, as the shell would tell it of one that Ctrl-C ended; null where none is asked for. */
export function endUnbegun({ command, isPrivate, cwd }: SessionState): SessionEvent | null {
  if (command === null) return null;
  const ended = { driver: 'person', exit: 130, cwd, output: '', bytes: 0, durationMs: 0 } as const;
  const record = { line: command, ...ended };
  return { type: 'command.completed', record: isPrivate ? { ...record, private: true } : record };
}
