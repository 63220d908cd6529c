import type { SessionEvent } from '../../protocol/event.ts';
import type { Op } from '../../protocol/op.ts';
import { sanitizeLine } from '../sanitize.ts';
import type { SessionState } from './state.ts';

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

/** The facts of `rename`. */
export function rename(op: Extract<Op, { type: 'rename' }>): SessionEvent[] {
  const name = toSessionName(op.name);
  if (name !== '') return [{ type: 'session.named', name, by: 'person' }];
  const error = { code: 'op.empty', message: 'the name is empty', hint: 'name the session with :name WORDS' };
  return [{ type: 'op.rejected', op: 'rename', error }];
}

/** The name that holds after one was given. */
export function nameAfter(
  before: SessionState['named'],
  { name, by }: Extract<SessionEvent, { type: 'session.named' }>,
): NonNullable<SessionState['named']> {
  return before?.by === 'person' && by === 'model' ? before : { name, by };
}
