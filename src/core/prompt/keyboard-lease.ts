import type { SpecialKey } from './ctrl-c.ts';
import type { PromptEffect, PromptState, Step, TypedMeanwhile } from './prompt-state.ts';
import { concat, NO_BYTES, step } from './prompt-step.ts';

/*
 * The keyboard of a session shared by several terminals. Only one of them reaches the foreground program: the owner's, or that of a client
 * to which the owner lends it. Ctrl-] requests the keyboard, lends it and takes it back.
 *
 * Text that a client is typing when a command begins was meant for the line, including Enter. It is put into the line afterwards and never
 * runs by itself. After a pause letters are kept too, until a key shows that they were meant for the program.
 */

/** Milliseconds that a client may wait for the keyboard. */
const ASKED_FOR_MS = 30_000;
/** After this pause in milliseconds a user has seen that a command has the screen. */
const PAUSE_MS = 400;
/** Before that, in milliseconds after the command began, a user may not have seen it and gets no hint. */
const SOON_MS = 1000;

const CTRL_BRACKET = 0x1d;
const CTRL_D = 0x04;
const DEL = 0x7f;
const BACKSPACE = 0x08;

/** Keys of the owner while a client requests or has the keyboard; null for their usual meaning. */
export function takeLeaseKey(state: PromptState, bytes: Uint8Array, special: SpecialKey | null): Step | null {
  const { lease } = state;
  if (state.role === 'client') return special === 'ctrl-]' ? askOrGiveBack(state) : null;
  if (lease.asking !== null) return special === 'ctrl-]' ? settle(state, 'grant') : null;
  if (lease.holder === null) return null;
  // Keys typed together with it would be lost.
  if (special === 'ctrl-]' || bytes.includes(CTRL_BRACKET)) return step(state, { type: 'lease', action: 'take-back' });
  if (state.keys !== 'program' || state.approval !== null || special === 'ctrl-c' || special === 'ctrl-\\') return null;
  return hint(state, { type: 'tell-lease', notice: 'held-elsewhere', client: lease.holder });
}

/** A client requests the keyboard, and the owner has some time to answer. */
export function askForLease(state: PromptState, client: string): Step {
  return step(
    { ...state, lease: { ...state.lease, asking: client } },
    { type: 'stop-timer', timer: 'lease' },
    { type: 'tell-lease', notice: 'asked', client },
    { type: 'start-timer', timer: 'lease', ms: ASKED_FOR_MS },
  );
}

/** The client withdraws its request, or has disconnected. */
export function withdrawLease(state: PromptState): Step {
  if (state.lease.asking === null) return step(state);
  return step({ ...state, lease: { ...state.lease, asking: null } }, { type: 'stop-timer', timer: 'lease' });
}

/** The owner grants or refuses the keyboard to the requesting client. */
export function settle(state: PromptState, action: 'grant' | 'refuse', notice?: 'kept' | 'unanswered'): Step {
  const { asking } = state.lease;
  if (asking === null) return step(state);
  const withdrawn = withdrawLease(state);
  const told: readonly PromptEffect[] = notice === undefined ? [] : [{ type: 'tell-lease', notice, client: asking }];
  return step(withdrawn.state, ...withdrawn.effects, { type: 'lease', action }, ...told);
}

/** At a client: requests the keyboard, or gives it back. */
export function askOrGiveBack(state: PromptState): Step {
  return step(state, { type: 'lease', action: state.lease.isOurs ? 'give-back' : 'ask' });
}

/** Keys for the foreground program. A client without the keyboard keeps them for its line, and leaves with Ctrl-D. */
export function giveToProgram(state: PromptState, bytes: Uint8Array, at: number): Step {
  if (state.role === 'owner' || state.lease.isOurs) return step(state, { type: 'to-program', bytes });
  if (bytes.length === 1 && bytes[0] === CTRL_D) return step(state, { type: 'lease', action: 'leave' });
  const { typed } = state;
  const isTyping = at - typed.lastKeyAt < PAUSE_MS;
  const lastKeyAt = isTyping ? at : typed.lastKeyAt;
  const kind = kindOf(bytes);
  if (isTyping && kind !== 'other') return step({ ...state, typed: { ...typed, lastKeyAt, forLine: concat(typed.forLine, bytes) } });
  const later = kind === 'text' ? concat(typed.later, bytes) : NO_BYTES;
  const next: PromptState = { ...state, typed: { ...typed, lastKeyAt, later } };
  if (kind === 'text' && at - typed.begunAt < SOON_MS) return step(next);
  return hint(next, { type: 'tell-lease', notice: 'not-yours', client: '' });
}

/** A command now has the screen. */
export function beginTyped(typed: TypedMeanwhile, at: number): TypedMeanwhile {
  return { ...typed, begunAt: at, lastKeyAt: at };
}

/** Moves the text typed meanwhile into the line. */
export function takeTyped(state: PromptState): Step {
  const { forLine, later } = state.typed;
  if (forLine.length === 0 && later.length === 0) return step(state);
  const typed: TypedMeanwhile = { ...state.typed, forLine: NO_BYTES, later: NO_BYTES };
  return step({ ...state, typed }, { type: 'insert-typed', bytes: concat(forLine, later) });
}

function hint(state: PromptState, told: PromptEffect): Step {
  return state.lease.isHinted ? step(state) : step({ ...state, lease: { ...state.lease, isHinted: true } }, told);
}

/** Text, text with keys that edit or end a line, or other keys. */
export function kindOf(bytes: Uint8Array): 'text' | 'line' | 'other' {
  let kind: 'text' | 'line' = 'text';
  for (const [at, byte] of bytes.entries()) {
    if (byte === 10 || byte === 13 || byte === DEL || byte === BACKSPACE) kind = 'line';
    else if (byte < 0x20) return 'other';
    // C1 control characters in UTF-8.
    else if (byte === 0xc2 && (bytes[at + 1] ?? 0xff) < 0xa0) return 'other';
  }
  return bytes.length === 0 ? 'other' : kind;
}
