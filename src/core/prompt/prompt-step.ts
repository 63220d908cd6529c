import { NO_DIRECTORIES } from './directories.ts';
import type { PromptEffect, PromptRole, PromptState, Step } from './prompt-state.ts';

/** An empty array. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** Concatenates two arrays. */
export function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** Lines that came back before this key are no longer fresh. */
export function withKey(state: PromptState): PromptState {
  const { lines, fresh, alone } = state.returned;
  return fresh === 0 && alone === null ? state : { ...state, returned: { lines, fresh: 0, alone: null } };
}

const NEVER = Number.NEGATIVE_INFINITY;

/** The initial state. */
export function createPromptState(role: PromptRole = 'owner'): PromptState {
  return {
    role,
    keys: 'line',
    isLent: false,
    approval: null,
    doubt: null,
    offer: null,
    lastKeyAt: NEVER,
    reportedAt: NEVER,
    doubtful: null,
    paste: null,
    habit: null,
    escalation: { presses: 0, pressedAt: NEVER, offered: null },
    isWorking: false,
    isSendingNow: false,
    queue: { lines: [], urgent: 0 },
    ahead: { lines: [], rest: '' },
    isBetween: false,
    returned: { lines: [], fresh: 0, alone: null },
    // From a client's view, any program with the screen began elsewhere.
    isForeign: role === 'client',
    hasForeignCommand: false,
    program: null,
    lease: { asking: null, holder: null, isOurs: false, isHinted: false },
    typed: { begunAt: NEVER, lastKeyAt: NEVER, forLine: NO_BYTES, later: NO_BYTES },
    knowsOfJobs: false,
    isPrivate: false,
    directories: NO_DIRECTORIES,
  };
}

/** Creates a step with these effects. */
export function step(state: PromptState, ...effects: readonly PromptEffect[]): Step {
  return { state, effects };
}

/** Continues a step from its resulting state. */
export function andThen(first: Step, next: (state: PromptState) => Step): Step {
  const second = next(first.state);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

/** Whether other work has the screen, so that no line may be read or printed. */
export function isScreenTaken(state: PromptState): boolean {
  return state.isForeign && (state.hasForeignCommand || state.program !== null || state.approval !== null);
}
