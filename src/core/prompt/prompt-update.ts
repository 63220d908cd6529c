import { beginHabit, endHabit, extendApproval, passKey, takeDoubtKey, takeOfferKey } from './approval-keys.ts';
import { repeats, type SpecialKey, STOP_KEYS, toMoment, toSpecialKey } from './ctrl-c.ts';
import { arrive, lineTo } from './directories.ts';
import { askForLease, askOrGiveBack, beginTyped, settle, takeLeaseKey, takeTyped, withdrawLease } from './keyboard-lease.ts';
import type { Escalation, Foreground, ForegroundRequest, Glance, PromptInput, PromptState, Step, StopSignal } from './prompt-state.ts';
import { andThen, step, withKey } from './prompt-step.ts';
import {
  breakOff,
  forgetReturned,
  giveBack,
  insertRest,
  queueWhole,
  returnLines,
  runNext,
  takeUnread,
  takeWorkKey,
} from './queued-lines.ts';

const CTRL_C = 3;
const CTRL_BACKSLASH = 28;

/** Returns the next state and the effects of an input. Never throws. */
export function update(state: PromptState, input: PromptInput): Step {
  switch (input.type) {
    case 'keys':
      return takeKeys(state, input);
    case 'reported':
      return step({ ...state, reportedAt: input.at });
    case 'timer':
      return input.timer === 'lease' ? settle(state, 'refuse', 'unanswered') : endHabit(state, input.at, input.glance);
    case 'keys-lent':
    case 'keys-returned':
      return step({ ...state, isLent: input.type === 'keys-lent' });
    case 'foreground':
      return seeForeground(state, input.request, input.foreground, input.at);
    case 'interrupt':
    case 'halt':
    case 'work-broken-off':
    case 'command-stopped':
    case 'work-began':
    case 'work-ended':
      return updateWork(state, input);
    case 'work-key':
    case 'line-is-whole':
    case 'line-returned':
    case 'line-entered':
    case 'doubt-shown':
    case 'offer-shown':
    case 'next-line':
    case 'left-unread':
      return updateLine(state, input);
    case 'leave':
      if (input.jobs === 0 || state.knowsOfJobs) return step(state, { type: 'leave' });
      return step({ ...state, knowsOfJobs: true }, { type: 'warn-of-jobs' });
    case 'other-command':
      return step({ ...state, knowsOfJobs: false });
    case 'directory-shown':
      return step({ ...state, directories: arrive(state.directories, input.cwd) });
    case 'go':
      return go(state, input);
    case 'private-toggled':
      return step({ ...state, isPrivate: !state.isPrivate });
    case 'lease-asked':
    case 'lease-withdrawn':
    case 'lease-changed':
    case 'keyboard-wanted':
      return updateLease(state, input);
    default:
      return updateScreen(state, input);
  }
}

type InputOf<T extends PromptInput['type']> = Extract<PromptInput, { type: T }>;

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

function updateWork(
  state: PromptState,
  input: InputOf<'interrupt' | 'halt' | 'work-broken-off' | 'command-stopped' | 'work-began' | 'work-ended'>,
): Step {
  switch (input.type) {
    case 'interrupt':
    case 'halt':
      return stop(state, input.type, input.glance);
    case 'work-broken-off':
      return breakOff(state, input.glance);
    case 'command-stopped':
      return giveBack(state, input.glance.text);
    case 'work-began': {
      const working: PromptState = { ...state, isWorking: true, isSendingNow: false };
      // An open approval prompt keeps the screen; the line comes back when it closes.
      return state.approval === null || state.approval.isBlank === true ? step(working, { type: 'show-line' }) : step(working);
    }
    case 'work-ended':
      return step({ ...state, isWorking: false });
  }
}

function updateLine(
  state: PromptState,
  input: InputOf<
    'work-key' | 'line-is-whole' | 'line-returned' | 'line-entered' | 'doubt-shown' | 'offer-shown' | 'next-line' | 'left-unread'
  >,
): Step {
  switch (input.type) {
    case 'work-key':
      return takeWorkKey(state, input);
    case 'line-is-whole':
      return queueWhole(state, input.asked, input.text);
    case 'line-returned':
      return returnLines(state, [input.line], input.glance.text);
    case 'line-entered':
      return step(forgetReturned(keepGoing({ ...state, offer: null }, input.text), input.text));
    case 'doubt-shown':
      return step({ ...state, doubt: { line: input.line, shownAt: input.at } });
    case 'offer-shown':
      return step({ ...state, offer: { line: input.line, shownAt: input.at } });
    case 'next-line':
      return runNext(state);
    case 'left-unread':
      return takeUnread(state, input);
  }
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

function updateLease(state: PromptState, input: InputOf<'lease-asked' | 'lease-withdrawn' | 'lease-changed' | 'keyboard-wanted'>): Step {
  switch (input.type) {
    case 'lease-asked':
      return askForLease(state, input.client);
    case 'lease-withdrawn':
      return withdrawLease(state);
    case 'keyboard-wanted':
      return askOrGiveBack(state);
    case 'lease-changed': {
      const { holder, isOurs } = input;
      return step({ ...state, lease: { ...state.lease, holder, isOurs, isHinted: false } });
    }
  }
}

type OfScreen = InputOf<
  | `approval-${'shown' | 'extended' | 'closed' | 'answered'}`
  | `program-${'began' | 'ended'}`
  | 'screen-wanted'
  | 'began'
  | 'command-entered'
>;

function updateScreen(state: PromptState, input: OfScreen): Step {
  switch (input.type) {
    case 'screen-wanted':
      return step(state, { type: 'hide-line' });
    case 'approval-shown':
      return step({ ...state, approval: { shownAt: input.at, isBlank: input.isBlank === true } }, { type: 'program-keys', hasKeys: false });
    case 'approval-extended':
      return step(extendApproval(state, input.at));
    case 'approval-closed':
      return closeApproval(state, input.glance);
    case 'approval-answered':
      return beginHabit(state, input.decision, input.at, input.glance);
    case 'began':
      return begin(state, input);
    case 'command-entered':
      return giveScreen(state, { keys: 'program', ahead: { ...state.ahead, rest: '' } });
    case 'program-began': {
      const typed = beginTyped(state.typed, input.at);
      return giveScreen(state, { keys: 'program', program: input.callId, typed });
    }
    case 'program-ended':
      return endProgram(state, input.glance);
  }
}

function begin(state: PromptState, { what, isForeign, at }: InputOf<'began'>): Step {
  if (what === 'turn' || !isForeign) return step(state.role === 'client' ? state : { ...state, isForeign });
  return giveScreen(state, { keys: 'program', isForeign, hasForeignCommand: true, typed: beginTyped(state.typed, at) });
}

/** A program gets the screen and the keys. The typed text stays hidden and kept. */
function giveScreen(state: PromptState, change: Partial<PromptState>): Step {
  const lease = state.role === 'client' ? { ...state.lease, isHinted: false } : state.lease;
  return step({ ...state, lease, ...change }, { type: 'hide-line' }, { type: 'program-keys', hasKeys: true });
}

function endProgram(state: PromptState, glance: Glance): Step {
  const ended: PromptState = { ...state, keys: 'line', program: null, hasForeignCommand: false };
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
