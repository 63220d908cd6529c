import { kindOf } from './keyboard-lease.ts';
import type { Glance, PromptInput, PromptState, QueuedLines, ReturnedLines, Step } from './prompt-state.ts';
import { andThen, step, withKey } from './prompt-step.ts';

/*
 * Lines entered during work.
 *
 * While the model answers, or a slow meta-command runs, the prompt stays on the screen below the output. Text typed there is never lost,
 * and never runs before the work has ended:
 *
 *   Enter               queues the line, to run after the work as if it had been entered then
 *   Up, Alt-Up          edit the last queued line (Up only from an empty line)
 *   Ctrl-S, Ctrl-Enter  run the line now: the answer stops at once, a running tool call finishes, and no other call starts;
 *                       on an empty line all queued lines run. In an autonomous run only a message is sent, and steers it
 *   Ctrl-C              stops the turn; queued lines come back and do not run
 *   Ctrl-\, :halt       stop all work of the model; queued lines come back too, and neither is queued
 *   :pause, :norris …   are about an autonomous run and are carried out at once
 *   :undo, :redo        are refused while a turn runs, because the turn may still change the target
 *
 * Returned lines stay separate: the editor shows the first, Up shows the next, and the typed text follows them. Each one stays until it is
 * entered or cleared.
 *
 * Ctrl-S reaches aish from every terminal because raw mode turns flow control off; Ctrl-Enter only if the terminal reports it. While a
 * foreground program or an approval prompt has the keys, the line is hidden and kept.
 */

type WorkKey = Extract<PromptInput, { type: 'work-key' }>;

/** Handles a key of the editor during work. */
export function takeWorkKey(state: PromptState, input: WorkKey): Step {
  if (!state.isWorking) return step(state, { type: 'edit-key' });
  switch (input.key) {
    case 'enter':
      return enter(state, input);
    case 'ctrl-s':
    case 'ctrl-enter':
      return sendNow(state, input);
    case 'up':
      return input.text === '' ? editLast(state, input.text) : step(state, { type: 'edit-key' });
    case 'alt-up':
      return editLast(state, input.text);
    default:
      return step(state, { type: 'edit-key' });
  }
}

/** A line that seemed incomplete is complete: it is queued, unless more was typed after it. */
export function queueWhole(state: PromptState, asked: string, text: string): Step {
  return state.isWorking && text === `${asked}\n` ? queue(state, asked) : step(state);
}

/** Takes the next line: a queued one, or one typed ahead. */
export function runNext(state: PromptState): Step {
  const [text, ...lines] = state.queue.lines;
  if (text === undefined) return runAhead(state);
  const queued: QueuedLines = { lines, urgent: Math.max(0, state.queue.urgent - 1) };
  return step({ ...state, queue: queued }, { type: 'draw-queue' }, { type: 'run-line', text, isAhead: false });
}

/** Returns all waiting lines without running them. */
export function giveBack(state: PromptState, text: string): Step {
  const stopped: PromptState = state.isSendingNow ? { ...state, isSendingNow: false } : state;
  const lines = [...stopped.queue.lines, ...stopped.ahead.lines];
  if (lines.length === 0) return step(stopped);
  const emptied: PromptState = { ...stopped, queue: { lines: [], urgent: 0 }, ahead: { ...stopped.ahead, lines: [] } };
  return andThen(step(emptied, { type: 'draw-queue' }), (next) => returnLines(next, lines, text));
}

/**
 * Returns lines without running them, before the typed text, which stays a separate line. A single line returned into an empty line becomes
 * the typed text.
 */
export function returnLines(state: PromptState, came: readonly string[], typed: string): Step {
  const { lines: older, fresh, alone } = state.returned;
  const isBehindAlone = alone !== null && typed === alone;
  const lines = isBehindAlone ? [alone, ...came] : came;
  const [only] = lines;
  if (lines.length === 1 && only !== undefined && typed === '' && fresh === 0)
    return step({ ...state, returned: { ...state.returned, alone: only } }, { type: 'replace-line', text: only });
  const before = [...older.slice(0, fresh), ...lines];
  const isKnown = typed === '' || isBehindAlone || older.includes(typed);
  const after = [...(isKnown ? [] : [typed]), ...older.slice(fresh)];
  const returned: ReturnedLines = { lines: [...before, ...after], fresh: before.length, alone: null };
  return step({ ...state, returned }, { type: 'bring-returned', count: before.length });
}

/** A returned line was entered or cleared, and is no longer listed. */
export function forgetReturned(state: PromptState, text: string): PromptState {
  const { lines } = state.returned;
  const at = lines.indexOf(text);
  return at < 0 ? withKey(state) : { ...state, returned: { lines: lines.toSpliced(at, 1), fresh: 0, alone: null } };
}

/** The work was interrupted, by anyone. Waiting lines come back, unless the interruption was meant to run a line now. */
export function breakOff(state: PromptState, { text }: Glance): Step {
  return state.isSendingNow ? step(state) : giveBack(state, text);
}

function enter(state: PromptState, { text, whole, hasTurn, aboutNow }: WorkKey): Step {
  if (text.trim() === '') return step(state);
  if (aboutNow === 'halt')
    return andThen(step(state, { type: 'take-line' }), (next) => {
      const given = giveBack(next, '');
      return step(given.state, ...given.effects, { type: 'halt' });
    });
  if (aboutNow === 'run') return runNow(state, text);
  if ((aboutNow === 'undo' || aboutNow === 'redo') && hasTurn) return step(state, { type: 'refuse-line', command: aboutNow });
  if (whole !== 'whole') return step(state, { type: 'edit-key' });
  return queue(state, text);
}

function queue(state: PromptState, text: string): Step {
  const { lines, urgent } = state.queue;
  const next: PromptState = { ...forgetReturned(state, text), queue: { lines: [...lines, text], urgent } };
  return step(next, { type: 'take-line' }, { type: 'draw-queue' });
}

function runNow(state: PromptState, text: string): Step {
  return step(forgetReturned(state, text), { type: 'take-line' }, { type: 'run-now', text });
}

function sendNow(state: PromptState, input: WorkKey): Step {
  const { text, whole, hasTurn, aboutNow, isRun = false } = input;
  if (isRun && aboutNow === 'message' && whole === 'whole') return runNow(state, text);
  if (!hasTurn || isRun || aboutNow === 'run') return enter(state, input);
  const { lines, urgent } = state.queue;
  if (text.trim() === '') {
    if (lines.length === 0) return step(state);
    const all: PromptState = { ...state, queue: { lines, urgent: lines.length }, isSendingNow: true };
    return step(all, { type: 'draw-queue' }, { type: 'send-now' });
  }
  if (whole !== 'whole') return step(state, { type: 'edit-key' });
  const queued: QueuedLines = { lines: lines.toSpliced(urgent, 0, text), urgent: urgent + 1 };
  const next: PromptState = { ...forgetReturned(state, text), queue: queued, isSendingNow: true };
  return step(next, { type: 'take-line' }, { type: 'draw-queue' }, { type: 'send-now' });
}

function editLast(state: PromptState, text: string): Step {
  const last = state.queue.lines.at(-1);
  if (last === undefined) return step(state, { type: 'edit-key' });
  const lines = state.queue.lines.slice(0, -1);
  const queued: QueuedLines = { lines, urgent: Math.min(state.queue.urgent, lines.length) };
  const shortened: PromptState = { ...state, queue: queued };
  return andThen(step(shortened, { type: 'draw-queue' }), (next) => returnLines(withKey(next), [last], text));
}

/*
 * Typing ahead.
 *
 * Keys that the user's own command does not read were typed for the prompt, as in every shell. Each entered line waits until the command
 * has ended, and then runs if it is certainly a command, which only the host can determine. Otherwise the line and its successors come back
 * to the editor. Keys that a command of the model does not read were typed for that command: they are only inserted into the line.
 */

/** Takes the bytes that a program did not read. */
export function takeUnread(state: PromptState, { bytes, text }: Extract<PromptInput, { type: 'left-unread' }>): Step {
  const { lines, rest } = state.ahead;
  const isForPrompt = hasOwnCommand(state);
  if (!isForPrompt || rest === null || kindOf(bytes) === 'other') {
    const left = step({ ...state, ahead: { lines, rest: isForPrompt ? null : rest } }, { type: 'to-line', bytes, mayEnter: false });
    return rest && isForPrompt ? { ...left, effects: [{ type: 'insert-text', text: rest }, ...left.effects] } : left;
  }
  return step(withAhead(state, `${rest}${text}`));
}

/** Takes the typed text with an Enter that came before the next line was read. */
export function enterAhead(state: PromptState, { text }: Extract<PromptInput, { type: 'entered-ahead' }>): Step {
  return insertRest(withAhead(state, text));
}

function withAhead(state: PromptState, typed: string): PromptState {
  const entered = typed.split(/\r\n?|\n/);
  const rest = entered.pop() ?? '';
  const whole = entered.map(withRubouts).filter((line) => line.trim() !== '');
  return { ...whole.reduce(forgetReturned, state), ahead: { lines: [...state.ahead.lines, ...whole], rest } };
}

/** The command that has the keys is the user's own. */
export function hasOwnCommand({ keys, program, hasForeignCommand }: PromptState): boolean {
  return keys === 'program' && program === null && !hasForeignCommand;
}

/** Takes the next line. */
function runAhead(state: PromptState): Step {
  const [text, ...lines] = state.ahead.lines;
  if (text === undefined) return step({ ...state, isBetween: false });
  return step({ ...state, ahead: { ...state.ahead, lines } }, { type: 'run-line', text, isAhead: true });
}

/** Puts the text after the last Enter into the line. */
export function insertRest(state: PromptState): Step {
  const { lines, rest } = state.ahead;
  const next: PromptState = { ...state, ahead: { lines, rest: '' } };
  const text = withRubouts(rest ?? '');
  return text === '' ? step(next) : step(next, { type: 'insert-text', text });
}

/** Backspace deletes the character before it, as in a terminal that echoes. */
function withRubouts(typed: string): string {
  if (!/[\b\x7f]/.test(typed)) return typed;
  const kept: string[] = [];
  for (const character of typed) {
    if (character === '\b' || character === '\x7f') kept.pop();
    else kept.push(character);
  }
  return kept.join('');
}
