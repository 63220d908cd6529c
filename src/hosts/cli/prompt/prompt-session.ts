import type { SessionClient } from '../../../core/session/session-client.ts';
import type { Style } from '../../../core/terminal/theme.ts';
import type { Engine } from '../../../engine/session/engine.ts';
import type { CommandRecord } from '../../../protocol/command.ts';
import type { ErrorFact } from '../../../protocol/error.ts';
import type { Recorded } from '../../../protocol/event.ts';
import type { HaltedBy, Op, OpOf } from '../../../protocol/op.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { KeyPromptDeps } from '../approvals/key-prompt.ts';
import type { OwnerContext } from '../commands/meta.ts';
import type { BegunLine, EndedLine } from '../editor/history-at-prompt.ts';
import type { PromptFacts } from '../screen/prompt-line.ts';
import type { View } from '../screen/view.ts';
import type { EditorAtPromptDeps } from './editor-at-prompt.ts';
import type { LineAtPrompt } from './line-at-prompt.ts';
import type { KnownShell } from './line-facts.ts';
import type { HostEffect } from './prompt-driver.ts';
import type { ShellAtPrompt } from './shell-at-prompt.ts';

/** How the prompt begins. */
export interface PromptStart {
  /** Id of a session to go on with. */
  readonly resume?: string;
  /** The error in the configuration. */
  readonly problem?: ErrorFact;
}

/** A line or a message that waits for its turn. */
export type LineOp = OpOf<'run' | 'send'>;

/** A line for the history, and the request that it makes of the session. */
export interface NotedLine {
  /** Null for a line that is kept nowhere. */
  readonly begun: BegunLine | null;
  readonly asked: string;
}

/** The part of a session that only its owner has: the shell, the engine, and the way to another session. */
export interface OwnedSession {
  /** The shell beside the line. */
  readonly terminal: ShellAtPrompt;
  /** False where it is known that there is no model. */
  readonly hasModel: boolean;
  /** No sandbox is available, so nothing can be tried in one. */
  readonly isSandboxMissing: boolean;
  /** The user ended the shell. */
  readonly wasLeft: boolean;
  /** Runs a line that no log can know of; null where the log can be written. */
  readonly runUnrecorded: ((line: string, options: { readonly isPrivate: boolean }) => Promise<CommandRecord>) | null;
  /** Loaded behind the prompt. */
  readonly engine: () => Promise<Engine>;
  /** Whether the jobs go on when the shell exits. A shell that has not reported its options yet is waited for. */
  doJobsGoOn(): Promise<boolean>;
  /** Null before the session is open. */
  context(): Promise<OwnerContext | null>;
  /** Goes to another session: a new one, or an earlier one. */
  open(resume: string | undefined): Promise<void>;
  /** Ends the startup files of the shell, where they still run. */
  interruptStart(): void;
  /** Starts the shell again where it has ended. */
  revive(): Promise<void>;
  /** Settles when a command that was called off has said its last words. */
  shellAtRest(): Promise<void>;
}

/**
 * The session that the prompt is in: the owner's own, or one that another process owns. The prompt reads and asks through `client`; what
 * else there is here is what differs between the two kinds.
 */
export interface PromptSession {
  /** Null at an attached client. */
  readonly own: OwnedSession | null;
  /** Null before the session is open. */
  readonly client: SessionClient | null;
  /** Null while it has no shell. */
  readonly shell: KnownShell | null;
  /** Directory of the shell; before there is one, where aish was started. */
  readonly cwd: string;
  /** The receiver of keys for programs. */
  readonly program: { write(bytes: Uint8Array): void } | null;
  /** Whether a line that is handed in now has to wait. */
  readonly isBusy: boolean;
  formatPrompt(facts: Pick<PromptFacts, 'exit' | 'tookMs' | 'isPrivate'>): string;
  /** Begins, and settles when lines can be carried out. */
  begin(start: PromptStart): Promise<void>;
  /** Carries out what the prompt machine decides about the session. */
  carryOut(effect: HostEffect): void;
  /** Hands in what needs no turn. A refusal comes as an event, and any other failure is shown. */
  submit(op: Op): void;
  /**
   * Hands in a line when those that were entered before have ended. Settles when it has begun, with true, or with false where it was called
   * off; throws why the session takes nothing any more. `onTurn` is called in the moment before it begins.
   */
  handIn(op: LineOp, onTurn: () => void): Promise<boolean>;
  /** Settles when nothing runs any more and all that happened is on the screen. */
  settled(): Promise<void>;
  /** Puts a line into the history. The answer takes its end. */
  note(line: NotedLine): (ended: EndedLine) => void;
  resized(size: TerminalSize): void;
  /** Ends what this prompt has of the session. */
  close(by?: HaltedBy): Promise<void>;
}

/** The terminal of the prompt, for questions and for what is written as it is. */
export type PromptScreen = Required<KeyPromptDeps>;

/** The prompt around a session, as the session uses it. */
export interface PromptHost
  extends Pick<EditorAtPromptDeps, 'tty' | 'setup' | 'theme' | 'appearance' | 'history' | 'ending'> {
  /** The screen below which questions are asked and programs write. */
  readonly screen: PromptScreen;
  readonly line: LineAtPrompt;
  /** It loads behind the first prompt. */
  readonly view: Pick<View, 'prepare' | 'show'>;
  /** Shows text above the line that is typed. */
  readonly print: (text: string) => void;
  /** Shows one status line. */
  readonly say: (style: Style, text: string) => void;
  /** Shows what cannot wait, between two lines of what a program prints. */
  readonly tell: (style: Style, text: string) => void;
  /** Takes the next event. */
  readonly onEvent: (recorded: Recorded) => void;
  /** Shows the approval prompt of the open request, if there is one. */
  readonly ask: () => void;
  /** The session is over: nothing more can be entered. */
  readonly over: () => void;
}
