import type { Decision } from '../../protocol/op.ts';
import { toSpecialKey } from './ctrl-c.ts';
import { giveToProgram, kindOf } from './keyboard-lease.ts';
import type { Glance, PromptInput, PromptState, Step } from './prompt-state.ts';
import { concat, NO_BYTES, step, withKey } from './prompt-step.ts';

/*
 * The recipient of a key without a meaning of its own: the approval prompt, the program or the line.
 *
 * An approval prompt ignores answers before a user can have seen it, keys from somebody who is typing or holds a key down, bytes that
 * arrive with a terminal report, and pastes. One key answers, but many users finish the word or press Enter out of habit: the rest of the
 * word and its Enter are dropped, so that they become neither the next message nor input of the allowed command.
 */

/** Minimum time, in milliseconds, that an approval prompt must be visible before a key can answer it. */
const SEEN_AFTER_MS = 300;
/** After this pause, in milliseconds, nobody is typing and no key is held down. */
const TYPING_PAUSE_MS = 400;
/** After this time, in milliseconds, typed keys no longer belong to the answer. */
const HABIT_MS = 1500;

/** The marks of a paste: Escape, then `[200~` and `[201~`. */
const PASTE_BEGIN = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x30, 0x7e);
const PASTE_END = Uint8Array.of(0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e);

const REST: Readonly<Record<'allow' | 'allow-always' | 'deny', string>> = { allow: 'es', 'allow-always': 'lways', deny: 'o' };

/** Passes a key on, unless it may belong to an answer given a moment ago. */
export function passKey(state: PromptState, bytes: Uint8Array, at: number, glance: Glance): Step {
  if (state.habit === null) return deliver(state, bytes, at, glance);
  const { rest } = state.habit;
  const held = concat(state.habit.held, bytes);
  const text = String.fromCharCode(...held.subarray(0, rest.length + 1));
  const whole = ['\r', `${rest}\r`].find((answer) => text.startsWith(answer));
  if (whole === undefined && held.length <= rest.length && rest.startsWith(text))
    return step({ ...state, lastKeyAt: at, habit: { rest, held } });
  const left = held.subarray(whole?.length ?? 0);
  const over: PromptState = { ...state, habit: null };
  const passed = left.length === 0 ? step({ ...over, lastKeyAt: at }) : deliver(over, left, at, glance);
  return { ...passed, effects: [{ type: 'stop-timer', timer: 'answer-habit' }, ...passed.effects] };
}

/** Starts to drop the rest of the word after a one-key answer. A typed reason ends with its own Enter. */
export function beginHabit(state: PromptState, decision: Decision, at: number, glance: Glance): Step {
  const ended = endHabit(state, at, glance);
  if (decision.type === 'edit' || (decision.type === 'deny' && decision.reason !== undefined)) return ended;
  const habit = { rest: REST[decision.type], held: NO_BYTES };
  return step({ ...ended.state, habit }, ...ended.effects, { type: 'start-timer', timer: 'answer-habit', ms: HABIT_MS });
}

/** The held-back keys do not belong to an answer. */
export function endHabit(state: PromptState, at: number, glance: Glance): Step {
  if (state.habit === null) return step(state);
  const { held } = state.habit;
  const over: PromptState = { ...state, habit: null };
  const passed = held.length === 0 ? step(over) : deliver(over, held, at, glance);
  return { ...passed, effects: [{ type: 'stop-timer', timer: 'answer-habit' }, ...passed.effects] };
}

/** The approval prompt shows more text, which the user must also have seen before a key answers. */
export function extendApproval(state: PromptState, at: number): PromptState {
  const { approval } = state;
  return approval === null || at - approval.shownAt < SEEN_AFTER_MS ? state : { ...state, approval: { shownAt: at } };
}

/** Whether a key may answer a text shown since `shownAt`: the user has seen it, and is not typing. */
function mayAnswer({ lastKeyAt }: PromptState, shownAt: number, at: number): boolean {
  return at - shownAt >= SEEN_AFTER_MS && at - lastKeyAt >= TYPING_PAUSE_MS;
}

/** The keys that decide whether a line is a command or a message, and the prefix that each key stands for. */
const DOUBT_KEYS: Readonly<Record<number, string>> = { 13: '!', 10: '!', 9: '?' };

/**
 * Takes a key while aish asks whether a line is a command or a message: Enter runs the line, Tab sends it. A key that comes too soon is
 * dropped. Any other key, or an edit, ends the question, and the key is passed on: null.
 */
export function takeDoubtKey(state: PromptState, { bytes, at, glance }: Extract<PromptInput, { type: 'keys' }>): Step | null {
  const mark = bytes.length === 1 ? DOUBT_KEYS[bytes[0] ?? 0] : undefined;
  if (state.doubt === null || state.approval !== null || mark === undefined) return null;
  const { line, shownAt } = state.doubt;
  if (glance.line !== 'text' || glance.text !== line) return null;
  const seen: PromptState = { ...state, lastKeyAt: at };
  if (!mayAnswer(state, shownAt, at) || at - state.reportedAt < TYPING_PAUSE_MS) return step(seen);
  const enter = { type: 'to-line', bytes: Uint8Array.of(13), mayEnter: true } as const;
  return step({ ...seen, doubt: null }, { type: 'replace-line', text: `${mark}${line}` }, enter);
}

const TAB = 9;
const LINE_END = 10;
const ENTER = 13;

/**
 * Takes Tab on the empty line while aish offers a line: Tab enters that line. A Tab that comes too soon is dropped. Any other key ends the
 * offer and is passed on: null.
 */
export function takeOfferKey(state: PromptState, { bytes, at, glance }: Extract<PromptInput, { type: 'keys' }>): Step | null {
  if (state.offer === null || state.approval !== null || bytes.length !== 1 || bytes[0] !== TAB) return null;
  if (glance.line !== 'empty' || state.isWorking || state.keys === 'program') return null;
  const { line, shownAt } = state.offer;
  const seen: PromptState = { ...state, lastKeyAt: at };
  if (!mayAnswer(state, shownAt, at) || at - state.reportedAt < TYPING_PAUSE_MS) return step(seen);
  return step({ ...seen, offer: null }, { type: 'enter-line', text: line });
}

function deliver(state: PromptState, bytes: Uint8Array, at: number, { wantsText, line }: Glance): Step {
  const { approval, lastKeyAt, reportedAt } = state;
  const isTyping = at - lastKeyAt < TYPING_PAUSE_MS;
  const doubtful = isTyping ? state.doubtful : null;
  const isCtrlC = toSpecialKey(bytes) === 'ctrl-c';
  const paste = isCtrlC || !(isTyping || state.paste?.isOpen) ? null : state.paste;
  const next: PromptState = { ...state, lastKeyAt: at, doubtful: null, paste };
  const begins = approval !== null && !wantsText && findBytes(bytes, PASTE_BEGIN) >= 0;
  if (begins || paste?.isOpen) return keepPaste(next, bytes, begins);
  if (approval !== null) {
    const isSeen = mayAnswer(state, approval.shownAt, at);
    const isMeant = isSeen && at - reportedAt >= TYPING_PAUSE_MS;
    if (isMeant || wantsText || isCtrlC) return step(next, { type: 'to-approval', bytes });
    if (isSeen && bytes.length === 1) return step({ ...next, doubtful: bytes });
  } else if (state.keys === 'program') return giveToProgram(next, bytes, at);
  else if (line === 'unread' && isTypedBetween(state, bytes)) return step(next, { type: 'enter-ahead', bytes });
  // An Enter right after a paste at an approval prompt may be meant as an answer.
  const toLine = { type: 'to-line', bytes, mayEnter: approval === null || paste === null } as const;
  const touched = withKey(next);
  if (doubtful === null) return step(touched, toLine);
  return step(touched, { type: 'to-line', bytes: doubtful, mayEnter: true }, toLine);
}

/** An Enter behind the user's own command, before the next line is read: it is of a line for the prompt, as one during the command is. */
function isTypedBetween({ isBetween, isWorking }: PromptState, bytes: Uint8Array): boolean {
  return isBetween && !isWorking && kindOf(bytes) === 'line' && (bytes.includes(ENTER) || bytes.includes(LINE_END));
}

/** A paste is not an answer. It waits in the line, and no Enter in it enters the line. */
function keepPaste(state: PromptState, bytes: Uint8Array, begins: boolean): Step {
  const seen = concat(state.paste?.tail ?? NO_BYTES, bytes);
  const paste = { tail: seen.slice(1 - PASTE_END.length), isOpen: findBytes(seen, PASTE_END) < 0 };
  const kept = step(withKey({ ...state, paste }), { type: 'to-line', bytes, mayEnter: false });
  return begins ? { ...kept, effects: [...kept.effects, { type: 'tell-paste' }] } : kept;
}

/** The position of some bytes within others; -1 if absent. */
function findBytes(bytes: Uint8Array, wanted: Uint8Array): number {
  return bytes.findIndex((_, at) => wanted.every((byte, offset) => bytes[at + offset] === byte));
}
