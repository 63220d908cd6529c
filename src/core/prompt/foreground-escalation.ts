import {
  type Escalation,
  type Foreground,
  type ForegroundRequest,
  type PromptState,
  type Step,
  type StopSignal,
  step,
} from './prompt-state.ts';

/*
 * A command that goes on after Ctrl-C: a second press within a second goes to all of its process group, a third offers more in words.
 * Programs that read keys themselves get theirs untouched, every one of them.
 */

/** Presses further apart are meant one by one. */
const TOGETHER_MS = 1000;
/** So long the offer holds. */
const OFFER_MS = 10_000;

const ESC = 0x1b;
const OFFERED: Readonly<Record<number, StopSignal>> = { 116: 'SIGTERM', 107: 'SIGKILL' };

/** Ctrl-C for a program, which gets the key; from the second press on it is looked at. */
export function pressCtrlC(state: PromptState, bytes: Uint8Array, at: number): Step {
  const { escalation } = state;
  const presses = at - escalation.pressedAt < TOGETHER_MS ? escalation.presses + 1 : 1;
  const pressed: PromptState = { ...state, escalation: { ...escalation, presses, pressedAt: at } };
  if (presses < 2) return step(pressed);
  return step(pressed, { type: 'look-at-foreground', request: { signal: 'SIGINT', presses, bytes } });
}

/** Alt-T or Alt-K while they are offered; null for all other keys. */
export function takeOffer(state: PromptState, bytes: Uint8Array, at: number): Step | null {
  const { offered, presses } = state.escalation;
  if (offered === null || bytes.length !== 2 || bytes[0] !== ESC) return null;
  const signal = OFFERED[bytes[1] ?? 0];
  if (signal === undefined || at - offered.at >= OFFER_MS) return null;
  return step(state, { type: 'look-at-foreground', request: { signal, presses, bytes } });
}

/** The program in the foreground is known now. An offer is for the program it was made for. */
export function seeForeground(state: PromptState, request: ForegroundRequest, foreground: Foreground | null, at: number): Step {
  const { signal, presses, bytes } = request;
  const isOffer = signal !== 'SIGINT';
  if (isOffer && (foreground === null || foreground.group !== state.escalation.offered?.group))
    return step(state, { type: 'to-program', bytes });
  if (isOffer) return step(withOffer(state, null), { type: 'signal-foreground', signal });
  if (foreground === null || !foreground.isPlain) return step(state);
  if (presses !== 3) return step(state, { type: 'signal-foreground', signal });
  const offering = withOffer(state, { group: foreground.group, at });
  return step(offering, { type: 'signal-foreground', signal }, { type: 'offer-signals', foreground });
}

function withOffer(state: PromptState, offered: Escalation['offered']): PromptState {
  return { ...state, escalation: { ...state.escalation, offered } };
}
