import type { Glance, PromptState } from './prompt-state.ts';

/*
 * The meanings of Ctrl-C and Ctrl-\. Ctrl-C has one meaning at each moment, and never ends aish.
 *
 * A line counts as edited only while aish waits for one. Text typed during work, and lines queued then, do not count: Ctrl-C first stops
 * the work, keeps the typed text, and returns the queued lines. The next press clears the line.
 */

/** The meanings of Ctrl-C. */
export type CtrlC =
  /** A borrower of the keyboard gets the key. */
  | 'to-borrower'
  | 'to-approval'
  /** The program gets the key; pressed again soon, its whole process group gets SIGINT. */
  | 'to-program'
  /** The line is cleared. */
  | 'to-line'
  /** Another client's request for the keyboard is refused. */
  | 'refuse-keyboard'
  /** The running work is stopped, and queued lines come back. */
  | 'interrupt';

/** The meanings of Ctrl-\: a halt, or an ordinary key. */
type CtrlBackslash = 'halt' | 'key';

/** The meaning of the two keys at each moment. */
export const STOP_KEYS = {
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
} as const satisfies Readonly<Record<string, { readonly ctrlC: CtrlC; readonly ctrlBackslash: CtrlBackslash }>>;

/** The situations that stopping distinguishes. Exactly one applies at any time. */
export type Moment = keyof typeof STOP_KEYS;

/** The current moment: the first one that applies. */
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
  // Work of another client is stopped only from an empty line: typed text is cleared first.
  if (line === 'text' && !state.isWorking) return 'line';
  if (running === 'model') return 'answer';
  if (running === 'tool') return 'call';
  if (running === 'command' || state.isWorking) return 'work';
  return line === 'unread' ? 'between' : 'line';
}

/** Keys with a meaning of their own at the prompt. */
export type SpecialKey = 'ctrl-c' | 'ctrl-\\' | 'ctrl-]';

const PLAIN: Readonly<Record<number, SpecialKey>> = { 3: 'ctrl-c', 28: 'ctrl-\\', 29: 'ctrl-]' };
/** The encodings of these keys in terminals that distinguish all keys, by character code. */
const CODED = /^\x1b\[(?:(99|92|93)|\d+:\d*:(99|92|93))(?::\d*)*;5(?::1)?u$/;
const BY_CODE: Readonly<Record<string, SpecialKey>> = { '99': 'ctrl-c', '92': 'ctrl-\\', '93': 'ctrl-]' };
const ESC = 0x1b;

/** The special key if a read contains that key only; null otherwise. */
export function toSpecialKey(bytes: Uint8Array): SpecialKey | null {
  if (bytes.length === 1) return PLAIN[bytes[0] ?? 0] ?? null;
  if (bytes.length > 24 || bytes[0] !== ESC) return null;
  const [, plain, shifted] = CODED.exec(String.fromCharCode(...bytes)) ?? [];
  return BY_CODE[plain ?? shifted ?? ''] ?? null;
}

/** Whether a read consists of one repeated byte. */
export function repeats(bytes: Uint8Array, byte: number): boolean {
  return bytes.length > 0 && bytes.every((one) => one === byte);
}
