import type { Decision } from '../../protocol/op.ts';
import { toSpecialKey } from './ctrl-c.ts';
import { giveToProgram } from './keyboard-lease.ts';
import { concat, type Glance, NO_BYTES, type PromptState, type Step, step, withKey } from './prompt-state.ts';

/*
 * Where a key goes that means nothing to the prompt itself: to the approval prompt, the program or the line.
 *
 * An approval prompt takes no answer before a user can have seen it, none from somebody who is typing or holds a key down, and none
 * that comes with a report of the terminal. One key answers, yet many users finish the word or press Enter out of habit: the rest of
 * the word and its Enter are dropped, so that they are no next message and no key for the command that was just allowed.
 */

/** An approval prompt takes no answer before a user can have seen it. */
const SEEN_AFTER_MS = 300;
/** After so long without a key nobody is typing, and no key is held down. */
const TYPING_PAUSE_MS = 400;
/** After so long what is typed no longer belongs to the answer. */
const HABIT_MS = 1500;

const REST: Readonly<Record<'allow' | 'allow-always' | 'deny', string>> = { allow: 'es', 'allow-always': 'lways', deny: 'o' };

/** Passes a key on, unless it may be the rest of an answer that was given a moment ago. */
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
  const passed = left.length === 0 ? step(over) : deliver(over, left, at, glance);
  return { ...passed, effects: [{ type: 'stop-timer', timer: 'answer-habit' }, ...passed.effects] };
}

/** An approval prompt was answered with one key. A reason was ended by an Enter of its own. */
export function beginHabit(state: PromptState, decision: Decision, at: number, glance: Glance): Step {
  const ended = endHabit(state, at, glance);
  if (decision.type === 'edit' || (decision.type === 'deny' && decision.reason !== undefined)) return ended;
  const habit = { rest: REST[decision.type], held: NO_BYTES };
  return step({ ...ended.state, habit }, ...ended.effects, { type: 'start-timer', timer: 'answer-habit', ms: HABIT_MS });
}

/** What was held back is no rest of an answer. */
export function endHabit(state: PromptState, at: number, glance: Glance): Step {
  if (state.habit === null) return step(state);
  const { held } = state.habit;
  const over: PromptState = { ...state, habit: null };
  const passed = held.length === 0 ? step(over) : deliver(over, held, at, glance);
  return { ...passed, effects: [{ type: 'stop-timer', timer: 'answer-habit' }, ...passed.effects] };
}

/** More stands under the approval prompt. What comes late must have been seen, too, before a key answers. */
export function extendApproval(state: PromptState, at: number): PromptState {
  const { approval } = state;
  return approval === null || at - approval.shownAt < SEEN_AFTER_MS ? state : { ...state, approval: { shownAt: at } };
}

function deliver(state: PromptState, bytes: Uint8Array, at: number, { wantsText }: Glance): Step {
  const { approval, lastKeyAt, reportedAt } = state;
  const isTyping = at - lastKeyAt < TYPING_PAUSE_MS;
  const doubtful = isTyping ? state.doubtful : null;
  const next: PromptState = { ...state, lastKeyAt: at, doubtful: null };
  if (approval !== null) {
    const mayAnswer = at - approval.shownAt >= SEEN_AFTER_MS && !isTyping;
    const isMeant = mayAnswer && at - reportedAt >= TYPING_PAUSE_MS;
    if (isMeant || wantsText || toSpecialKey(bytes) === 'ctrl-c') return step(next, { type: 'to-approval', bytes });
    if (mayAnswer && bytes.length === 1) return step({ ...next, doubtful: bytes });
  } else if (state.keys === 'program') return giveToProgram(next, bytes, at);
  const toLine = { type: 'to-line', bytes, mayEnter: true } as const;
  const touched = withKey(next);
  if (doubtful === null) return step(touched, toLine);
  return step(touched, { type: 'to-line', bytes: doubtful, mayEnter: true }, toLine);
}
