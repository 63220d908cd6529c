import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { EMPTY_NAME } from './messages.ts';
import { reject, type SessionState } from './state.ts';

/** Longer names are cut, because they share a row with other columns. */
const LONGEST_NAME = 100;

/** A name for lists: one line, without control characters, limited in length. Empty if nothing is left. */
export function toSessionName(text: string): string {
  const line = sanitizeLine(text).replace(/\s+/g, ' ').trim();
  const characters = [...line];
  return characters.length <= LONGEST_NAME
    ? line
    : `${characters
        .slice(0, LONGEST_NAME - 1)
        .join('')
        .trimEnd()}…`;
}

/** A name for a copy of a session that differs from its origin and from other copies: `work (fork)`, `work (fork 2)`. */
export function nameOfFork(title: string, taken: ReadonlySet<string>): string {
  const origin = toSessionName(title.replace(/(?<! \(fork(?: \d+)?\))(?: \(fork(?: \d+)?\))+$/, ''));
  for (let number = 1; ; number += 1) {
    const mark = number === 1 ? ' (fork)' : ` (fork ${number})`;
    const name =
      [...origin]
        .slice(0, LONGEST_NAME - mark.length)
        .join('')
        .trimEnd() + mark;
    if (!taken.has(name)) return name;
  }
}

/** The events of `rename`. */
export function rename(op: OpOf<'rename'>): SessionEvent[] {
  const name = toSessionName(op.name);
  if (name !== '') return [{ type: 'session.named', name, by: 'user' }];
  return reject('rename', EMPTY_NAME);
}

/** The session's name after a renaming. */
export function nameAfter(before: SessionState['named'], { name, by }: EventOf<'session.named'>): NonNullable<SessionState['named']> {
  return before?.by === 'user' && by === 'model' ? before : { name, by };
}
