import type { Decision } from '../../protocol/op.ts';
import type { Direction, Directories } from './directories.ts';
import type { Understood } from './understand.ts';

/*
 * The prompt as a state machine.
 *
 * `update(state, input)` decides who gets a key, what Ctrl-C stops, the meaning of Enter, Up and Ctrl-S during work, which lines wait, and
 * whether leaving needs a confirmation. It has no clock and performs no I/O: inputs carry times, and the host's driver carries out the
 * returned effects in order. Each input that needs outside facts (the turn, the typed line) carries a current glance, so that no decision
 * uses old facts.
 */

/** Whether this prompt owns the session's terminal, or belongs to an attached client. */
export type PromptRole = 'owner' | 'client';

/** The running work, as far as the meaning of keys depends on it. */
export type Running = 'nothing' | 'command' | 'model' | 'tool';

/** The surroundings of the prompt at the moment of an input. */
export interface Glance {
  readonly running: Running;
  /** An entered command waits for the snapshot after the model's last tool call. */
  readonly waitsForSnapshot: boolean;
  /** The line that is typed; 'unread' where nobody waits for it. */
  readonly line: 'unread' | 'empty' | 'text';
  /** The typed text; empty unless there are queued or returned lines. */
  readonly text: string;
  /** The approval prompt reads a line of text, such as a reason. */
  readonly wantsText: boolean;
}

/** The foreground program, as far as stopping depends on it. */
export interface Foreground {
  readonly group: number;
  readonly name: string;
  /** The terminal turns keys into signals: the program does not read keys itself. */
  readonly isPlain: boolean;
}

/** Signals that the prompt sends to a program. */
export type StopSignal = 'SIGINT' | 'SIGTERM' | 'SIGKILL';

/** The escalation of Ctrl-C: number of presses, and the offered signal with its program. */
export interface Escalation {
  readonly presses: number;
  readonly pressedAt: number;
  readonly offered: { readonly group: number; readonly at: number } | null;
}

/** A request about the foreground program: a signal after some presses, or the keys if it is a different program by now. */
export interface ForegroundRequest {
  readonly signal: StopSignal;
  readonly presses: number;
  readonly bytes: Uint8Array;
}

/** Lines entered during work. They run in this order when the work has ended. */
export interface QueuedLines {
  readonly lines: readonly string[];
  /** The number of lines at the front to run immediately. */
  readonly urgent: number;
}

/** Keys typed ahead that the user's own command did not read, as text. */
interface TypedAhead {
  /** Entered lines. Each runs after the command if it is certainly a command. */
  readonly lines: readonly string[];
  /** The text after the last Enter; null after keys that only the editor can interpret, because then everything goes to the editor. */
  readonly rest: string | null;
}

/** Queued lines that came back without running. Up shows them, the first one first, before the history. */
export interface ReturnedLines {
  readonly lines: readonly string[];
  /** The number of lines at the front that came back since the last key; further ones are added after them. */
  readonly fresh: number;
  /** The only line that came back since then, into an empty line: it is the typed text now, and no longer listed. */
  readonly alone: string | null;
}

/** The user of the session's keyboard other than its owner, and the requests for it. */
interface Lease {
  /** At the owner: the requesting client, and the client with the keyboard. */
  readonly asking: string | null;
  readonly holder: string | null;
  /** At a client: whether its keys reach the program. */
  readonly isOurs: boolean;
  /** The hint about keys that reach no program was shown. */
  readonly isHinted: boolean;
}

/** Keys typed at a client without the keyboard while a command has the screen. */
export interface TypedMeanwhile {
  readonly begunAt: number;
  readonly lastKeyAt: number;
  /** Keys typed as the command began, meant for the line. */
  readonly forLine: Uint8Array;
  /** Letters after a pause, until a key shows that they were meant for the program. */
  readonly later: Uint8Array;
}

/** The complete state of the prompt between two inputs. */
export interface PromptState {
  readonly role: PromptRole;
  /** The recipient of keys if nobody has borrowed them and no approval prompt is open. */
  readonly keys: 'line' | 'program';
  readonly isLent: boolean;
  /** The approval prompt on the screen, and the time since which its text is visible. */
  readonly approval: { readonly shownAt: number; readonly isBlank?: boolean } | null;
  /** The line that may be a command or a message, and the time since which the question is visible. */
  readonly doubt: { readonly line: string; readonly shownAt: number } | null;
  /** The line that Tab runs on an empty line, and the time since which the offer is visible. */
  readonly offer: { readonly line: string; readonly shownAt: number } | null;
  readonly lastKeyAt: number;
  /** Time of the last terminal report, which is not a key. */
  readonly reportedAt: number;
  /** A key that would answer but for a report just before it. It is dropped, unless further keys show that somebody is typing. */
  readonly doubtful: Uint8Array | null;
  /** A paste at an approval prompt: its last bytes, and whether it may continue. Null if no key may follow immediately. */
  readonly paste: { readonly tail: Uint8Array; readonly isOpen: boolean } | null;
  /** The expected rest of a typed answer, and the keys held back so far. */
  readonly habit: { readonly rest: string; readonly held: Uint8Array } | null;
  readonly escalation: Escalation;
  readonly isWorking: boolean;
  /** The turn is being stopped for a line to run next, so queued lines stay queued. */
  readonly isSendingNow: boolean;
  readonly queue: QueuedLines;
  readonly ahead: TypedAhead;
  /** The user's own command has ended, and no line is read since. */
  readonly isBetween: boolean;
  readonly returned: ReturnedLines;
  /** Another client began the running work. */
  readonly isForeign: boolean;
  readonly hasForeignCommand: boolean;
  /** The tool call whose program has the screen and the keys. */
  readonly program: string | null;
  readonly lease: Lease;
  readonly typed: TypedMeanwhile;
  /** The user has read that leaving would end jobs. */
  readonly knowsOfJobs: boolean;
  /** All commands are private: the model does not see them. */
  readonly isPrivate: boolean;
  readonly directories: Directories;
}

/** Inputs of the prompt. */
export type PromptInput =
  | { readonly type: 'keys'; readonly bytes: Uint8Array; readonly at: number; readonly glance: Glance }
  /** The terminal sent a report, which was removed from its input. */
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
  /** An approval prompt is about to take the screen. */
  | { readonly type: 'screen-wanted' }
  /** `isBlank`: it draws nothing, so the line may stand below the waiting row. */
  | { readonly type: 'approval-shown'; readonly at: number; readonly isBlank?: boolean }
  | { readonly type: 'approval-extended'; readonly at: number }
  | { readonly type: 'approval-closed'; readonly glance: Glance }
  | { readonly type: 'approval-answered'; readonly decision: Decision; readonly at: number; readonly glance: Glance }
  /** A turn or a command began. A command of another client takes the screen. */
  | { readonly type: 'began'; readonly what: 'turn' | 'command'; readonly isForeign: boolean; readonly at: number }
  /** The user's own command takes the screen and the keys. */
  | { readonly type: 'command-entered' }
  /** A program of the model, or one that a client watches, takes the screen and the keys. */
  | { readonly type: 'program-began'; readonly callId: string; readonly at: number }
  | { readonly type: 'program-ended'; readonly glance: Glance }
  | { readonly type: 'work-began' | 'work-ended' }
  /** A turn ended before its answer was complete, or the user's command was stopped, by anyone. */
  | { readonly type: 'work-broken-off' | 'command-stopped' | 'interrupt' | 'halt'; readonly glance: Glance }
  | {
      readonly type: 'work-key';
      readonly key: string;
      readonly text: string;
      readonly whole: Wholeness;
      readonly hasTurn: boolean;
      /** An autonomous run goes on: messages steer it, and nothing else cuts into it. */
      readonly isRun?: boolean;
      /** The kind of a line whose meaning would change after the work. */
      readonly aboutNow: Understood['aboutNow'];
    }
  /** The shell reports that a line is complete. */
  | { readonly type: 'line-is-whole'; readonly asked: string; readonly text: string }
  | { readonly type: 'line-returned'; readonly line: string; readonly glance: Glance }
  | { readonly type: 'line-entered'; readonly text: string }
  /** A line came back into the editor with the question whether it is a command or a message. */
  | { readonly type: 'doubt-shown'; readonly line: string; readonly at: number }
  /** A command was not found, and aish offers a similar line. */
  | { readonly type: 'offer-shown'; readonly line: string; readonly at: number }
  | { readonly type: 'next-line' }
  /** A prompt shows the directory of the shell. */
  | { readonly type: 'directory-shown'; readonly cwd: string }
  /** A key requests the previous or the next directory. `home` is the user's, to shorten the path. */
  | { readonly type: 'go'; readonly direction: Direction; readonly home: string | undefined; readonly glance: Glance }
  /** Bytes that a program did not read, and their text. */
  | { readonly type: 'left-unread'; readonly bytes: Uint8Array; readonly text: string }
  /** The typed text with the keys of `enter-ahead`. */
  | { readonly type: 'entered-ahead'; readonly text: string }
  | { readonly type: 'leave'; readonly jobs: number }
  | { readonly type: 'other-command' | 'private-toggled' }
  | { readonly type: 'lease-asked'; readonly client: string }
  | { readonly type: 'lease-withdrawn' | 'keyboard-wanted' }
  | { readonly type: 'lease-changed'; readonly holder: string | null; readonly isOurs: boolean };

/** Whether Enter may end a line; 'asked' if only the shell can tell. */
export type Wholeness = 'whole' | 'open' | 'asked';

/** Timers of the driver. */
export type PromptTimer = 'answer-habit' | 'lease';

/** Notices about the keyboard of a shared session. */
export type LeaseNotice = 'asked' | 'kept' | 'unanswered' | 'held-elsewhere' | 'not-yours';

/** One variant per name. */
type Plain<T extends string> = T extends string ? { readonly type: T } : never;

/** Instructions for the driver or the host, in order. */
export type PromptEffect =
  /** Without `mayEnter` no key enters the line. */
  | { readonly type: 'to-line'; readonly bytes: Uint8Array; readonly mayEnter: boolean }
  | (Plain<'to-program' | 'to-approval' | 'to-borrower'> & { readonly bytes: Uint8Array })
  /** The typed text and these keys are lines typed ahead. */
  | { readonly type: 'enter-ahead'; readonly bytes: Uint8Array }
  /** Inserts the text that these keys would have typed. */
  | { readonly type: 'insert-typed'; readonly bytes: Uint8Array }
  /** The editor handles the key itself. */
  | { readonly type: 'edit-key' }
  | Plain<'take-line' | 'show-line' | 'hide-line' | 'draw-queue'>
  | { readonly type: 'replace-line' | 'insert-text' | 'enter-line'; readonly text: string }
  /** Shows the first of the returned lines; `count` lines came back now. */
  | { readonly type: 'bring-returned'; readonly count: number }
  /** A line typed ahead runs only if it is certainly a command. */
  | { readonly type: 'run-line'; readonly text: string; readonly isAhead: boolean }
  | { readonly type: 'refuse-line'; readonly command: string }
  /** A line about the running work, which does not wait for its end. */
  | { readonly type: 'run-now'; readonly text: string }
  /** The keys go to a program, or come back. */
  | { readonly type: 'program-keys'; readonly hasKeys: boolean }
  | { readonly type: 'look-at-foreground'; readonly request: ForegroundRequest }
  | { readonly type: 'signal-foreground'; readonly signal: StopSignal }
  | { readonly type: 'offer-signals'; readonly foreground: Foreground }
  /** Stops the running work; ends all work of the model; ends the turn at the next safe point, so that a line can run next. */
  | Plain<'interrupt' | 'halt' | 'send-now'>
  /** Reports that a paste waits in the line. */
  | Plain<'tell-paste'>
  | Plain<'leave' | 'warn-of-jobs'>
  | { readonly type: 'start-timer'; readonly timer: PromptTimer; readonly ms: number }
  | { readonly type: 'stop-timer'; readonly timer: PromptTimer }
  | { readonly type: 'lease'; readonly action: 'grant' | 'refuse' | 'take-back' | 'ask' | 'give-back' | 'leave' }
  | { readonly type: 'tell-lease'; readonly notice: LeaseNotice; readonly client: string };

/** The result of an input. */
export interface Step {
  readonly state: PromptState;
  readonly effects: readonly PromptEffect[];
}
