import type { Glance, PromptState } from './prompt-state.ts';

/*
 * What Ctrl-C and Ctrl-\ do. Ctrl-C has one meaning at each moment, and never ends aish.
 *
 * A line is edited while aish waits for one. What is typed while work goes on, and lines that were entered then, are no edited line yet:
 * stopping the work comes first, the key leaves what is typed alone, and what waited comes back. The next press gives that line up.
 */

/** A situation as far as stopping goes. At each time exactly one holds. */
export type Moment =
  | 'keys-lent'
  | 'keyboard-asked'
  | 'approval'
  | 'snapshot'
  | 'watching'
  | 'own-program'
  | 'model-program'
  | 'answer'
  | 'call'
  | 'work'
  | 'line'
  | 'between';

/** What Ctrl-C means. */
export type CtrlC =
  /** Anyone who has the keys gets it. */
  | 'to-borrower'
  | 'to-approval'
  /** The program gets it; pressed again soon, its whole process group does. */
  | 'to-program'
  /** The line is given up. */
  | 'to-line'
  /** Another client does not get the keyboard. */
  | 'refuse-keyboard'
  /** What runs is stopped, and lines that wait come back. */
  | 'interrupt';

/** What Ctrl-\ means: a halt, or a key like others. */
type CtrlBackslash = 'halt' | 'key';

/** What the two keys mean at each moment. */
export const STOP_KEYS: Readonly<Record<Moment, { readonly ctrlC: CtrlC; readonly ctrlBackslash: CtrlBackslash }>> = {
  'keys-lent': { ctrlC: 'to-borrower', ctrlBackslash: 'key' },
  'keyboard-asked': { ctrlC: 'refuse-keyboard', ctrlBackslash: 'halt' },
  approval: { ctrlC: 'to-approval', ctrlBackslash: 'halt' },
  snapshot: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
  watching: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
  'own-program': { ctrlC: 'to-program', ctrlBackslash: 'key' },
  'model-program': { ctrlC: 'to-program', ctrlBackslash: 'halt' },
  answer: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
  call: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
  work: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
  line: { ctrlC: 'to-line', ctrlBackslash: 'halt' },
  between: { ctrlC: 'interrupt', ctrlBackslash: 'halt' },
};

/** The moment it is. The first that holds counts. */
export function toMoment(state: PromptState, { running, waitsForSnapshot, line }: Glance): Moment {
  if (state.isLent) return 'keys-lent';
  if (state.lease.asking !== null) return 'keyboard-asked';
  if (state.approval !== null) return 'approval';
  if (waitsForSnapshot) return 'snapshot';
  const hasTurn = running === 'model' || running === 'tool';
  if (state.keys === 'program') {
    if (state.role === 'client' && !state.lease.isOurs) return 'watching';
    return hasTurn ? 'model-program' : 'own-program';
  }
  // What another client began is stopped from an empty line only: a line that is typed here is given up first.
  if (line === 'text' && !state.isWorking) return 'line';
  if (running === 'model') return 'answer';
  if (running === 'tool') return 'call';
  if (running === 'command' || state.isWorking) return 'work';
  return line === 'unread' ? 'between' : 'line';
}

/** Keys that mean something to the prompt itself. */
export type SpecialKey = 'ctrl-c' | 'ctrl-\\' | 'ctrl-]';

const PLAIN: Readonly<Record<number, SpecialKey>> = { 3: 'ctrl-c', 28: 'ctrl-\\', 29: 'ctrl-]' };
/** As terminals send them that tell all keys apart, by the character of the key. */
const CODED = /^\x1b\[(?:(99|92|93)|\d+:\d*:(99|92|93))(?::\d*)*;5(?::1)?u$/;
const BY_CODE: Readonly<Record<string, SpecialKey>> = { '99': 'ctrl-c', '92': 'ctrl-\\', '93': 'ctrl-]' };
const ESC = 0x1b;

/** The special key that one read holds and nothing else; null for all others. */
export function toSpecialKey(bytes: Uint8Array): SpecialKey | null {
  if (bytes.length === 1) return PLAIN[bytes[0] ?? 0] ?? null;
  if (bytes.length > 24 || bytes[0] !== ESC) return null;
  const [, plain, shifted] = CODED.exec(String.fromCharCode(...bytes)) ?? [];
  return BY_CODE[plain ?? shifted ?? ''] ?? null;
}

/** Whether the read is one byte over and over. */
export function repeats(bytes: Uint8Array, byte: number): boolean {
  return bytes.length > 0 && bytes.every((one) => one === byte);
}
