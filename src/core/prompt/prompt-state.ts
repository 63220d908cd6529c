import type { Decision } from '../../protocol/op.ts';
import { type Direction, type Directories, NO_DIRECTORIES } from './directories.ts';
import type { Understood } from './understand.ts';

/*
 * Theory of the prompt machine.
 *
 * `update(state, input)` decides who gets a key, what Ctrl-C stops, what Enter, Up and Ctrl-S do while work goes on, what waits, and
 * whether leaving is held back. It has no clock and does nothing itself: times come with inputs, and what is to be done goes out as
 * effects, which a driver in the host carries out in their order. What changes outside (the turn, the line that is typed) comes as a
 * glance with each input that needs it, so no decision is made on old facts.
 */

/** Whether this prompt owns the session's terminal, or is an attached client's. */
export type PromptRole = 'owner' | 'client';

/** What runs in the session, as far as a key goes by it. */
export type Running = 'nothing' | 'command' | 'model' | 'tool';

/** What surrounds the prompt at the moment of an input. */
export interface Glance {
  readonly running: Running;
  /** A command was entered and waits for the snapshot after the model's last step. */
  readonly waitsForSnapshot: boolean;
  /** The line that is typed; 'unread' where nobody waits for it. */
  readonly line: 'unread' | 'empty' | 'text';
  /** What is typed; left empty where no queued or returned line makes a difference by it. */
  readonly text: string;
  /** The approval prompt reads a line of text, such as a reason. */
  readonly wantsText: boolean;
}

/** The program in the foreground, as far as stopping it goes. */
export interface Foreground {
  readonly group: number;
  readonly name: string;
  /** The terminal makes signals of its keys: it does not read them itself. */
  readonly isPlain: boolean;
}

/** Signals that the prompt sends to a program. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** Ctrl-C and its escalation: how often it was pressed, and what was offered to whom. */
export interface Escalation {
  readonly presses: number;
  readonly pressedAt: number;
  readonly offered: { readonly group: number; readonly at: number } | null;
}

/** What is wanted of the program in the foreground: a signal after so many presses, or the keys where it is another program by now. */
export interface ForegroundRequest {
  readonly signal: StopSignal;
  readonly presses: number;
  readonly bytes: Uint8Array;
}

/** Lines that were entered while work went on. They run in this order when it has ended. */
export interface QueuedLines {
  readonly lines: readonly string[];
  /** How many of the first go next at once. */
  readonly urgent: number;
}

/** What was typed ahead: keys that the user's own command left unread, as text. */
interface TypedAhead {
  /** Entered lines. Each runs when the command has ended, if it is a command beyond doubt. */
  readonly lines: readonly string[];
  /** What follows the last Enter; null once keys came that only the editor can carry out, so that all goes there. */
  readonly rest: string | null;
}

/** Lines that waited and came back without running. Up brings them, the first one first, before those of history. */
export interface ReturnedLines {
  readonly lines: readonly string[];
  /** How many of the first came back since the last key: one that follows them stands behind. */
  readonly fresh: number;
  /** The only line that came back since then, into an empty line: it is what is typed now, and none of the others. */
  readonly alone: string | null;
}

/** Who has the keyboard of the session's terminal besides its owner, or would like to. */
interface Lease {
  /** At the owner: the client that asks, and the client that has it. */
  readonly asking: string | null;
  readonly holder: string | null;
  /** At a client: whether its keys reach the program. */
  readonly isOurs: boolean;
  /** The hint about keys that reach no program was shown. */
  readonly isHinted: boolean;
}

/** What is typed at a client while a command has the screen whose keys are not the client's. */
export interface TypedMeanwhile {
  readonly begunAt: number;
  readonly lastKeyAt: number;
  /** Was being typed as the command began: meant for the line. */
  readonly forLine: Uint8Array;
  /** Letters after a pause, until a key shows that the program was meant. */
  readonly later: Uint8Array;
}

/** All that the prompt remembers between two inputs. */
export interface PromptState {
  readonly role: PromptRole;
  /** Who gets keys when nobody has borrowed them and no approval prompt is open. */
  readonly keys: 'line' | 'program';
  readonly isLent: boolean;
  /** The approval prompt on the screen, and since when what it says can be seen. */
  readonly approval: { readonly shownAt: number } | null;
  /** The line that may be a command or a message, and since when the user can see that aish asks which. */
  readonly doubt: { readonly line: string; readonly shownAt: number } | null;
  readonly lastKeyAt: number;
  /** When the terminal reported something that was no key. */
  readonly reportedAt: number;
  /** A key that would be an answer but for a report just before it: dropped, unless more keys show that somebody types. */
  readonly doubtful: Uint8Array | null;
  /** A paste that began at an approval prompt: its last bytes, and whether more of it may come. Null once no key follows it at once. */
  readonly paste: { readonly tail: Uint8Array; readonly isOpen: boolean } | null;
  /** What may still follow the key that answered, and what came of it so far. */
  readonly habit: { readonly rest: string; readonly held: Uint8Array } | null;
  readonly escalation: Escalation;
  readonly isWorking: boolean;
  /** The work ends because a line is to go next: what waits stays queued. */
  readonly isSendingNow: boolean;
  readonly queue: QueuedLines;
  readonly ahead: TypedAhead;
  readonly returned: ReturnedLines;
  /** What runs was begun at another client. */
  readonly isForeign: boolean;
  readonly hasForeignCommand: boolean;
  /** The call whose program has screen and keys. */
  readonly program: string | null;
  readonly lease: Lease;
  readonly typed: TypedMeanwhile;
  /** The user read that leaving would end jobs. */
  readonly knowsOfJobs: boolean;
  /** Every command is kept from the model. */
  readonly isPrivate: boolean;
  readonly directories: Directories;
}

/** What happens at the prompt. */
export type PromptInput =
  | { readonly type: 'keys'; readonly bytes: Uint8Array; readonly at: number; readonly glance: Glance }
  /** The terminal has reported something, which was taken out of what it sent. */
  | { readonly type: 'reported'; readonly at: number }
  | { readonly type: 'timer'; readonly timer: PromptTimer; readonly at: number; readonly glance: Glance }
  | { readonly type: 'keys-lent' | 'keys-returned' }
  /** The answer to `look-at-foreground`. */
  | {
      readonly type: 'foreground';
      readonly request: ForegroundRequest;
      readonly foreground: Foreground | null;
      readonly at: number;
    }
  /** The screen is about to be taken by an approval prompt. */
  | { readonly type: 'screen-wanted' }
  | { readonly type: 'approval-shown' | 'approval-extended'; readonly at: number }
  | { readonly type: 'approval-closed'; readonly glance: Glance }
  | { readonly type: 'approval-answered'; readonly decision: Decision; readonly at: number; readonly glance: Glance }
  /** A turn or a command began; the latter takes the screen where another client began it. */
  | { readonly type: 'began'; readonly what: 'turn' | 'command'; readonly isForeign: boolean; readonly at: number }
  /** The user's own command takes screen and keys. */
  | { readonly type: 'command-entered' }
  /** A program of the model, or one that a client watches, takes screen and keys. */
  | { readonly type: 'program-began'; readonly callId: string; readonly at: number }
  | { readonly type: 'program-ended'; readonly glance: Glance }
  | { readonly type: 'work-began' | 'work-ended' }
  /** A turn ended before its answer was complete, or the user's command was stopped, no matter who did it. */
  | { readonly type: 'work-broken-off' | 'command-stopped' | 'interrupt' | 'halt'; readonly glance: Glance }
  | {
      readonly type: 'work-key';
      readonly key: string;
      readonly text: string;
      readonly whole: Wholeness;
      readonly hasTurn: boolean;
      /** The meta-command of a line that would mean something else once the turn has ended. */
      readonly aboutNow: Understood['aboutNow'];
    }
  /** A line of which only the shell could tell whether it is whole is whole. */
  | { readonly type: 'line-is-whole'; readonly asked: string; readonly text: string }
  | { readonly type: 'line-returned'; readonly line: string; readonly glance: Glance }
  | { readonly type: 'line-entered'; readonly text: string }
  /** A line came back into the editor with the question whether it is a command or a message. */
  | { readonly type: 'doubt-shown'; readonly line: string; readonly at: number }
  | { readonly type: 'next-line' }
  /** A prompt shows the directory of the shell. */
  | { readonly type: 'directory-shown'; readonly cwd: string }
  /** A key asks for the previous or the next directory. `home` is the user's, for a short path. */
  | { readonly type: 'go'; readonly direction: Direction; readonly home: string | undefined; readonly glance: Glance }
  /** Bytes that a program left unread, and their text. */
  | { readonly type: 'left-unread'; readonly bytes: Uint8Array; readonly text: string }
  | { readonly type: 'leave'; readonly jobs: number }
  | { readonly type: 'other-command' | 'private-toggled' }
  | { readonly type: 'lease-asked'; readonly client: string }
  | { readonly type: 'lease-withdrawn' | 'keyboard-wanted' }
  | { readonly type: 'lease-changed'; readonly holder: string | null; readonly isOurs: boolean };

/** Whether Enter may end a line; 'asked' where only the shell can tell. */
export type Wholeness = 'whole' | 'open' | 'asked';

/** Timers that the driver keeps. */
export type PromptTimer = 'answer-habit' | 'lease';

/** What is shown about the keyboard of a shared session. */
export type LeaseNotice = 'asked' | 'kept' | 'unanswered' | 'held-elsewhere' | 'not-yours';

/** One variant for each name. */
type Plain<T extends string> = T extends string ? { readonly type: T } : never;

/** What the driver or the host is to do, in this order. */
export type PromptEffect =
  /** Without `mayEnter` no key in it enters the line. */
  | { readonly type: 'to-line'; readonly bytes: Uint8Array; readonly mayEnter: boolean }
  | (Plain<'to-program' | 'to-approval' | 'to-borrower'> & { readonly bytes: Uint8Array })
  /** Puts text into the line as it would stand there after these keys. */
  | { readonly type: 'insert-typed'; readonly bytes: Uint8Array }
  /** The editor carries the key out itself. */
  | { readonly type: 'edit-key' }
  | Plain<'take-line' | 'show-line' | 'hide-line' | 'draw-queue'>
  | { readonly type: 'replace-line' | 'insert-text' | 'enter-line'; readonly text: string }
  /** Shows the first of the returned lines; `count` of them came back now. */
  | { readonly type: 'bring-returned'; readonly count: number }
  /** A line that was typed ahead runs only if it is a command beyond doubt. */
  | { readonly type: 'run-line'; readonly text: string; readonly isAhead: boolean }
  | { readonly type: 'refuse-line'; readonly command: string }
  /** The keys go to a program, or come back. */
  | { readonly type: 'program-keys'; readonly hasKeys: boolean }
  | { readonly type: 'look-at-foreground'; readonly request: ForegroundRequest }
  | { readonly type: 'signal-foreground'; readonly signal: StopSignal }
  | { readonly type: 'offer-signals'; readonly foreground: Foreground }
  /** Stops what runs; ends everything of the model's; ends the turn at the next safe point, so that a line can go next. */
  | Plain<'interrupt' | 'halt' | 'send-now'>
  /** Reports that a paste waits in the line. */
  | Plain<'tell-paste'>
  | Plain<'leave' | 'warn-of-jobs'>
  | { readonly type: 'start-timer'; readonly timer: PromptTimer; readonly ms: number }
  | { readonly type: 'stop-timer'; readonly timer: PromptTimer }
  | { readonly type: 'lease'; readonly action: 'grant' | 'refuse' | 'take-back' | 'ask' | 'give-back' }
  | { readonly type: 'tell-lease'; readonly notice: LeaseNotice; readonly client: string };

/** What an input leads to. */
export interface Step {
  readonly state: PromptState;
  readonly effects: readonly PromptEffect[];
}

/** No bytes. */
export const NO_BYTES: Uint8Array = new Uint8Array(0);

/** One after the other. */
export function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

/** What came back before this key is no longer fresh. */
export function withKey(state: PromptState): PromptState {
  const { lines, fresh, alone } = state.returned;
  return fresh === 0 && alone === null ? state : { ...state, returned: { lines, fresh: 0, alone: null } };
}

const NEVER = Number.NEGATIVE_INFINITY;

/** A prompt before its first input. */
export function createPromptState(role: PromptRole = 'owner'): PromptState {
  return {
    role,
    keys: 'line',
    isLent: false,
    approval: null,
    doubt: null,
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
    returned: { lines: [], fresh: 0, alone: null },
    // At a client whatever takes the screen was begun elsewhere, as far as the reading of lines goes.
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

/** A step with these effects. */
export function step(state: PromptState, ...effects: readonly PromptEffect[]): Step {
  return { state, effects };
}

/** A step, and another from where it led. */
export function andThen(first: Step, next: (state: PromptState) => Step): Step {
  const second = next(first.state);
  return { state: second.state, effects: [...first.effects, ...second.effects] };
}

/** Whether something that was begun elsewhere has the screen, so that no line may be read or printed. */
export function isScreenTaken(state: PromptState): boolean {
  return state.isForeign && (state.hasForeignCommand || state.program !== null || state.approval !== null);
}
