import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { EMPTY_NAME } from './messages.ts';
import { reject, type SessionState } from './state.ts';

/** Longer names are cut: they stand in one row with other things. */
const LONGEST_NAME = 100;

/** A name as lists can show it: one line, nothing that steers a terminal, and not too long. Empty where nothing is left of it. */
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

/** What a copy of a session is called, so that it can be told from its origin and from other copies: `work (fork)`, `work (fork 2)`. */
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

/** The facts of `rename`. */
export function rename(op: OpOf<'rename'>): SessionEvent[] {
  const name = toSessionName(op.name);
  if (name !== '') return [{ type: 'session.named', name, by: 'user' }];
  return reject('rename', EMPTY_NAME);
}

/** The name that holds after one was given. */
export function nameAfter(before: SessionState['named'], { name, by }: EventOf<'session.named'>): NonNullable<SessionState['named']> {
  return before?.by === 'user' && by === 'model' ? before : { name, by };
}
