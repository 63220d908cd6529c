import { beginHabit, endHabit, extendApproval, passKey, takeDoubtKey, takeOfferKey } from './approval-keys.ts';
import { repeats, type SpecialKey, STOP_KEYS, toMoment, toSpecialKey } from './ctrl-c.ts';
import { arrive, lineTo } from './directories.ts';
import { askForLease, askOrGiveBack, beginTyped, settle, takeLeaseKey, takeTyped, withdrawLease } from './keyboard-lease.ts';
import type { Escalation, Foreground, ForegroundRequest, Glance, PromptInput, PromptState, Step, StopSignal } from './prompt-state.ts';
import { andThen, step, withKey } from './prompt-step.ts';
import {
  breakOff,
  enterAhead,
  forgetReturned,
  giveBack,
  hasOwnCommand,
  insertRest,
  queueWhole,
  returnLines,
  runNext,
  takeUnread,
  takeWorkKey,
} from './queued-lines.ts';

const CTRL_C = 3;
const CTRL_BACKSLASH = 28;

type InputType = PromptInput['type'];
type InputOf<T extends InputType> = PromptInput & { readonly type: T };

/** The handler of each input. */
const HANDLERS: { readonly [T in InputType]: (state: PromptState, input: InputOf<T>) => Step } = {
  keys: takeKeys,
  reported: (state, { at }) => step({ ...state, reportedAt: at }),
  timer: (state, { timer, at, glance }) => (timer === 'lease' ? settle(state, 'refuse', 'unanswered') : endHabit(state, at, glance)),
  'keys-lent': (state) => step({ ...state, isLent: true }),
  'keys-returned': (state) => step({ ...state, isLent: false }),
  foreground: (state, { request, foreground, at }) => seeForeground(state, request, foreground, at),
  'screen-wanted': (state) => step(state, { type: 'hide-line' }),
  'approval-shown': (state, { at, isBlank = false }) =>
    step({ ...state, approval: { shownAt: at, isBlank } }, { type: 'program-keys', hasKeys: false }),
  'approval-extended': (state, { at }) => step(extendApproval(state, at)),
  'approval-closed': (state, { glance }) => closeApproval(state, glance),
  'approval-answered': (state, { decision, at, glance }) => beginHabit(state, decision, at, glance),
  began: begin,
  'command-entered': (state) => giveScreen(state, { keys: 'program', ahead: { ...state.ahead, rest: '' } }),
  'program-began': (state, { callId, at }) => giveScreen(state, { keys: 'program', program: callId, typed: beginTyped(state.typed, at) }),
  'program-ended': (state, { glance }) => endProgram(state, glance),
  'work-began': beginWork,
  'work-ended': (state) => step({ ...state, isWorking: false }),
  'work-broken-off': (state, { glance }) => breakOff(state, glance),
  'command-stopped': (state, { glance }) => giveBack(state, glance.text),
  interrupt: (state, { glance }) => stop(state, 'interrupt', glance),
  halt: (state, { glance }) => stop(state, 'halt', glance),
  'work-key': takeWorkKey,
  'line-is-whole': (state, { asked, text }) => queueWhole(state, asked, text),
  'line-returned': (state, { line, glance }) => returnLines(state, [line], glance.text),
  'line-entered': (state, { text }) => step(forgetReturned(keepGoing({ ...state, offer: null }, text), text)),
  'doubt-shown': (state, { line, at }) => step({ ...state, doubt: { line, shownAt: at } }),
  'offer-shown': (state, { line, at }) => step({ ...state, offer: { line, shownAt: at } }),
  'next-line': runNext,
  'directory-shown': (state, { cwd }) => step({ ...state, directories: arrive(state.directories, cwd) }),
  go,
  'left-unread': takeUnread,
  'entered-ahead': enterAhead,
  leave: (state, { jobs }) =>
    jobs === 0 || state.knowsOfJobs ? step(state, { type: 'leave' }) : step({ ...state, knowsOfJobs: true }, { type: 'warn-of-jobs' }),
  'other-command': (state) => step({ ...state, knowsOfJobs: false }),
  'private-toggled': (state) => step({ ...state, isPrivate: !state.isPrivate }),
  'lease-asked': (state, { client }) => askForLease(state, client),
  'lease-withdrawn': withdrawLease,
  'keyboard-wanted': askOrGiveBack,
  'lease-changed': (state, { holder, isOurs }) => step({ ...state, lease: { ...state.lease, holder, isOurs, isHinted: false } }),
};

/** Returns the next state and the effects of an input. Never throws. */
export function update<T extends InputType>(state: PromptState, input: InputOf<T>): Step {
  return HANDLERS[input.type](state, input);
}

function takeKeys(state: PromptState, input: InputOf<'keys'>): Step {
  const { bytes, at, glance } = input;
  if (state.isLent) return step({ ...state, lastKeyAt: at }, { type: 'to-borrower', bytes });
  const answered = takeDoubtKey(state, input) ?? takeOfferKey(state, input);
  if (answered !== null) return answered;
  if (state.doubt !== null || state.offer !== null) return takeKeys({ ...state, doubt: null, offer: null }, input);
  // Fast presses, or presses on a busy machine, arrive together, and each one counts.
  if (bytes.length > 1 && repeats(bytes, CTRL_C)) return takeEach(state, input);
  const special = repeats(bytes, CTRL_BACKSLASH) ? 'ctrl-\\' : toSpecialKey(bytes);
  const own = takeOwnKey(state, input, special);
  return own === null ? passKey(state, bytes, at, glance) : { ...own, state: { ...own.state, lastKeyAt: at } };
}

/** Handles keys with a meaning at the prompt itself; null for all others. */
function takeOwnKey(state: PromptState, input: InputOf<'keys'>, special: SpecialKey | null): Step | null {
  const leased = takeLeaseKey(state, input.bytes, special);
  if (leased !== null) return leased;
  if (special !== null) return takeStopKey(state, input, special);
  return state.keys === 'program' && state.approval === null ? takeOffer(state, input.bytes, input.at) : null;
}

function takeEach(state: PromptState, input: InputOf<'keys'>): Step {
  let all = step(state);
  for (let at = 0; at < input.bytes.length; at++)
    all = andThen(all, (next) => takeKeys(next, { ...input, bytes: input.bytes.subarray(at, at + 1) }));
  return all;
}

/** Handles Ctrl-C and Ctrl-\ by the table; null if the key is passed on as an ordinary key. */
function takeStopKey(state: PromptState, { bytes, at, glance }: InputOf<'keys'>, special: SpecialKey): Step | null {
  if (special === 'ctrl-]') return null;
  const { ctrlC, ctrlBackslash } = STOP_KEYS[toMoment(state, glance)];
  if (special === 'ctrl-\\') return ctrlBackslash === 'halt' ? stop(state, 'halt', glance) : null;
  switch (ctrlC) {
    case 'interrupt':
      return stop(state, 'interrupt', glance);
    case 'refuse-keyboard':
      return settle(state, 'refuse', 'kept');
    case 'to-program':
      return andThen(pressCtrlC(state, bytes, at), (next) => passKey(next, bytes, at, glance));
    case 'to-line':
      return andThen(passKey(state, bytes, at, glance), (next) => step(forgetReturned(next, glance.text)));
    case 'to-approval':
    case 'to-borrower':
      return null;
  }
}

/** No queued line may run. */
function stop(state: PromptState, how: 'interrupt' | 'halt', { text }: Glance): Step {
  const given = giveBack(withKey(state), text);
  return step(given.state, ...given.effects, { type: how });
}

/** An open approval prompt keeps the screen; the line comes back when it closes. */
function beginWork(state: PromptState): Step {
  const working: PromptState = { ...state, isWorking: true, isSendingNow: false };
  return state.approval === null || state.approval.isBlank === true ? step(working, { type: 'show-line' }) : step(working);
}

/** Only an empty line that is being read may be replaced. */
function go(state: PromptState, { direction, home, glance }: InputOf<'go'>): Step {
  const line = glance.line === 'empty' ? lineTo(state.directories, direction, home) : null;
  if (line === null) return step(state);
  return step({ ...state, directories: { ...state.directories, going: { direction, line } } }, { type: 'enter-line', text: line });
}

/** Any other line goes to the directory it names. */
function keepGoing(state: PromptState, entered: string): PromptState {
  const { going } = state.directories;
  return going === null || going.line === entered ? state : { ...state, directories: { ...state.directories, going: null } };
}

function begin(state: PromptState, { what, isForeign, at }: InputOf<'began'>): Step {
  if (what === 'turn' || !isForeign) return step(state.role === 'client' ? state : { ...state, isForeign });
  return giveScreen(state, { keys: 'program', isForeign, hasForeignCommand: true, typed: beginTyped(state.typed, at) });
}

/** A program gets the screen and the keys. The typed text stays hidden and kept. */
function giveScreen(state: PromptState, change: Partial<PromptState>): Step {
  const lease = state.role === 'client' ? { ...state.lease, isHinted: false } : state.lease;
  return step({ ...state, lease, isBetween: false, ...change }, { type: 'hide-line' }, { type: 'program-keys', hasKeys: true });
}

function endProgram(state: PromptState, glance: Glance): Step {
  const isBetween = state.isBetween || hasOwnCommand(state);
  const ended: PromptState = { ...state, keys: 'line', program: null, hasForeignCommand: false, isBetween };
  // An open approval prompt keeps the screen and the keys.
  if (state.approval !== null) return step(ended);
  const shown = andThen(step(ended, { type: 'program-keys', hasKeys: false }), (next) => showLine(next, glance));
  return andThen(shown, insertRest);
}

/** The previous recipient gets the keys again. */
function closeApproval(state: PromptState, glance: Glance): Step {
  const closed: PromptState = { ...state, approval: null };
  if (state.keys === 'program') return step(closed, { type: 'program-keys', hasKeys: true });
  return andThen(step(closed, { type: 'program-keys', hasKeys: false }), (next) => showLine(next, glance));
}

/** The line reappears if a user can type it: during work, or while it is read. */
function showLine(state: PromptState, { line }: Glance): Step {
  if (!state.isWorking && line === 'unread') return takeTyped(state);
  return andThen(step(state, { type: 'show-line' }), takeTyped);
}

/*
 * Escalation for a command that continues after Ctrl-C: a second press within a second signals the whole process group, and a third offers
 * stronger signals. Programs that read keys themselves get every press unchanged.
 */

/** Presses further apart, in milliseconds, count separately. */
const TOGETHER_MS = 1000;
/** Duration of the offer, in milliseconds. */
const OFFER_MS = 10_000;

const ESC = 0x1b;
const OFFERED: Readonly<Record<number, StopSignal>> = { 116: 'SIGTERM', 107: 'SIGKILL' };

/** Passes Ctrl-C to a program; from the second press on aish examines the program. */
function pressCtrlC(state: PromptState, bytes: Uint8Array, at: number): Step {
  const { escalation } = state;
  const presses = at - escalation.pressedAt < TOGETHER_MS ? escalation.presses + 1 : 1;
  const pressed: PromptState = { ...state, escalation: { ...escalation, presses, pressedAt: at } };
  if (presses < 2) return step(pressed);
  return step(pressed, { type: 'look-at-foreground', request: { signal: 'SIGINT', presses, bytes } });
}

/** Alt-T or Alt-K while they are offered; null for all other keys. */
function takeOffer(state: PromptState, bytes: Uint8Array, at: number): Step | null {
  const { offered, presses } = state.escalation;
  if (offered === null || bytes.length !== 2 || bytes[0] !== ESC) return null;
  const signal = OFFERED[bytes[1] ?? 0];
  if (signal === undefined || at - offered.at >= OFFER_MS) return null;
  return step(state, { type: 'look-at-foreground', request: { signal, presses, bytes } });
}

/** The foreground program is now known. An offer applies only to the program it was made for. */
function seeForeground(state: PromptState, request: ForegroundRequest, foreground: Foreground | null, at: number): Step {
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
