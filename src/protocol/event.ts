import type { AppliedReport, ChangeReport, DryRunReport } from './change-report.ts';
import type { Checkpoint, RestoreChoices, RestorePart, RestorePrompt, RestoreReport } from './checkpoint.ts';
import type { CommandRecord, Driver } from './command.ts';
import type { ErrorFact } from './error.ts';
import type {
  AttachedFile,
  Compaction,
  CompactionReason,
  ContextWindow,
  FinishReason,
  RequestPrefix,
  Usage,
} from './model.ts';
import type { DenialCode, HaltedBy, HaltedWork, HaltReport, Op } from './op.ts';
import type { Settings } from './settings.ts';
import type { CallPreview, SavedImage, TaintSource, ToolCall } from './tool.ts';

/** Why a turn ended. */
export type TurnEnd =
  | 'completed'
  | 'interrupted'
  | 'halted'
  | 'failed'
  | 'depth-limit'
  | 'step-limit'
  | 'denied'
  | 'repeated-failure';

type DecidedBy = 'user' | 'policy' | 'headless';

/** One message of a conversation that was held elsewhere. */
export interface PastMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Facts of a session, written to its log and never edited. */
export type DurableEvent =
  | { readonly type: 'session.created'; readonly id: string; readonly cwd: string; readonly settings: Settings }
  /** The log was opened again by a new process; whatever was open is closed by this fact. */
  | {
      readonly type: 'session.resumed';
      readonly settings: Settings;
      /** The user's command that ran when the process before this one ended. */
      readonly lost?: CommandRecord;
    }
  /** It began as a copy of another session, `from`; or another one began as a copy of this, `to`. */
  | { readonly type: 'session.forked'; readonly from: string }
  | { readonly type: 'session.forked'; readonly to: string }
  | { readonly type: 'settings.changed'; readonly settings: Settings; readonly client?: string }
  /** What the session is called in lists. A name that a user gave is not replaced by one of a model. */
  | {
      readonly type: 'session.named';
      readonly name: string;
      readonly by: 'user' | 'model';
      readonly client?: string;
    }
  /** What a client that keeps its own history says was talked about before; only its words, never calls. */
  | { readonly type: 'history.imported'; readonly messages: readonly PastMessage[] }
  | {
      readonly type: 'turn.started';
      readonly turn: number;
      readonly text: string;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
      /** The attached client it was asked for at; absent for that of the session's owner, here and below. */
      readonly client?: string;
    }
  /** How much the model can hold, as far as it is known from here on. */
  | { readonly type: 'context.window'; readonly window: ContextWindow }
  /** The conversation is made shorter before anything else is sent. */
  | {
      readonly type: 'compaction.started';
      readonly reason: CompactionReason;
      /** What the user wants kept above all. */
      readonly focus?: string;
      /** Entries there were, and about how many tokens a request with them has. */
      readonly entries: number;
      readonly tokens: number;
      readonly client?: string;
    }
  /** Later requests hold this in the place of what it covers; the log keeps all of that. */
  | {
      readonly type: 'context.compacted';
      readonly compaction: Compaction;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** It freed too little to be worth another. */
      readonly isFruitless?: true;
      /** Who wrote the summary; absent where no model did. */
      readonly model?: string;
    }
  /** All is as it was before; `isFruitless` where there was nothing to free. */
  | { readonly type: 'compaction.failed'; readonly error: ErrorFact; readonly isFruitless?: true }
  /** What requests are made with from here on; written where it changes. */
  | { readonly type: 'request.prefixed'; readonly prefix: RequestPrefix }
  /** A request leaves for the model: how long its body is, and its SHA-256, by which one that was made again is known to be the same. */
  | { readonly type: 'request.sent'; readonly bytes: number; readonly sha256: string }
  | {
      readonly type: 'step.completed';
      readonly text: string;
      readonly reasoning?: string;
      readonly calls: readonly ToolCall[];
      readonly finish: FinishReason;
      readonly model: string;
      readonly usage?: Usage;
    }
  /** From here on the model is sent untrusted content, or files of the project hold some. */
  | { readonly type: 'turn.tainted'; readonly sources: readonly TaintSource[]; readonly paths?: readonly string[] }
  /** A user trusts what the model was sent so far. */
  | { readonly type: 'taint.cleared'; readonly client?: string }
  /** What runs now comes to its end, and nothing of this turn begins after it. */
  | { readonly type: 'turn.stop-requested'; readonly client?: string }
  /** Everything was stopped. From here on nothing of the model's runs without asking until the user says otherwise. */
  | {
      readonly type: 'session.halted';
      readonly by: HaltedBy;
      readonly running: readonly HaltedWork[];
      /** Where it was asked for; absent for the owner's. */
      readonly client?: string;
    }
  /** What was stopped has ended, as far as it could be. */
  | { readonly type: 'halt.completed'; readonly report: HaltReport }
  /** `text` is what had streamed when the turn ended before its step did. */
  | {
      readonly type: 'turn.ended';
      readonly reason: TurnEnd;
      readonly text?: string;
      readonly error?: ErrorFact;
      readonly client?: string;
    }
  | { readonly type: 'approval.requested'; readonly callId: string; readonly preview: CallPreview }
  /** What the call of a question would change, estimated while the user reads; the log keeps it, as it is what a yes was said to. */
  | {
      readonly type: 'impact.estimated';
      readonly callId: string;
      /** Which question about the call it belongs to, from 1. */
      readonly prompt: number;
      readonly report: ChangeReport;
    }
  | {
      readonly type: 'approval.decided';
      readonly callId: string;
      /** `edit`: the user put another command in its place, which is classified next. */
      readonly decision: 'allow' | 'deny' | 'edit';
      readonly by: DecidedBy;
      /** The rule that decided, or the one the user added. */
      readonly rule?: string;
      readonly reason?: string;
      /** Why it was denied where nobody could be asked. */
      readonly code?: DenialCode;
      /** Prefixes that the user approved for the session. */
      readonly commands?: readonly string[];
      /** The command of an `edit`. */
      readonly command?: string;
      /** What a call would do that a rule allowed; one that was asked about carries it in the question. */
      readonly preview?: CallPreview;
      readonly client?: string;
    }
  /** With `again` the step goes on with a checkpoint it has: nothing changed while the user was asked about a call of it. */
  | {
      readonly type: 'checkpoint.created';
      readonly callId: string;
      readonly checkpoint: Checkpoint;
      readonly again?: true;
    }
  /** The snapshot after the step's last call is kept too, so an undo can tell what the step changed from what came later. */
  | {
      readonly type: 'checkpoint.finalized';
      readonly id: string;
      /** The step changed nothing, so the checkpoint is not kept; its id may be given to another one. */
      readonly discarded?: boolean;
      readonly error?: ErrorFact;
    }
  | { readonly type: 'checkpoint.skipped'; readonly callId: string; readonly why: string }
  /** Written and synced before the side effect. */
  | { readonly type: 'tool-call.started'; readonly callId: string; readonly sandboxed?: true }
  | {
      readonly type: 'tool-call.completed';
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
      /** The command that the call ran, if any. */
      readonly record?: CommandRecord;
      /** Snapshots that it returned. */
      readonly images?: readonly SavedImage[];
    }
  /** The line of a private command is empty: it is in no event. */
  | {
      readonly type: 'command.started';
      readonly line: string;
      readonly driver: Driver;
      readonly private?: true;
      readonly client?: string;
    }
  | { readonly type: 'command.completed'; readonly record: CommandRecord }
  /** A command is tried on a view of the project: one that a call carries and is asked about, or a line of the user's own. */
  | {
      readonly type: 'dry-run.started';
      readonly number: number;
      readonly line: string;
      readonly callId?: string;
      readonly client?: string;
    }
  /** It came to its end and can be applied, or could not be tried here. */
  | {
      readonly type: 'dry-run.completed';
      readonly number: number;
      readonly report?: DryRunReport;
      readonly error?: ErrorFact;
    }
  /** Nothing of it is left. */
  | { readonly type: 'dry-run.discarded'; readonly number: number; readonly client?: string }
  /** The user takes it over: all of it, or the changes of these numbers. */
  | {
      readonly type: 'dry-run.applying';
      readonly number: number;
      readonly items?: readonly number[];
      readonly client?: string;
    }
  | {
      readonly type: 'dry-run.applied';
      readonly number: number;
      readonly report?: AppliedReport;
      readonly error?: ErrorFact;
    }
  /** An undo, or with `direction` a redo; with `steps` so many, of which each gets its own `restore.completed`. */
  | {
      readonly type: 'restore.started';
      readonly checkpoint: string | null;
      readonly paths?: readonly string[];
      readonly direction?: 'redo';
      readonly steps?: number;
      readonly client?: string;
    }
  /** Some of its paths changed since: nothing is touched until it is said what is to become of each. */
  | { readonly type: 'restore.conflicted'; readonly prompt: RestorePrompt }
  | { readonly type: 'restore.resolved'; readonly choices: RestoreChoices; readonly client?: string }
  /** It was given up before anything of its present step was touched. `part` where it is one of several, and not the first. */
  | { readonly type: 'restore.abandoned'; readonly part?: RestorePart; readonly client?: string }
  | {
      readonly type: 'restore.completed';
      readonly checkpoint: string | null;
      readonly direction?: 'redo';
      /** That of the step, and when it was, in milliseconds since the epoch. */
      readonly label?: string;
      readonly stepAt?: number;
      readonly report?: RestoreReport;
      /** The checkpoint that brings back what this undo took away; absent when nothing was changed. */
      readonly undo?: string;
      readonly error?: ErrorFact;
    };

/** Announced while it happens, never stored; the closing fact carries the whole. */
type TransientEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool-call.delta'; readonly name: string }
  | { readonly type: 'op.rejected'; readonly op: Op['type']; readonly error: ErrorFact; readonly client?: string }
  /** One status line for the user. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

export type SessionEvent = DurableEvent | TransientEvent;

/** An event with its place in the log: `seq` counts durable events from 1; a transient one has that of the last durable one. */
export interface Recorded {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: SessionEvent;
  /** Counts, from 1, the refusals and notices after the same durable event: no later event repeats what they say. */
  readonly nth?: number;
}

const TRANSIENT: ReadonlySet<string> = new Set([
  'text.delta',
  'reasoning.delta',
  'tool-call.delta',
  'op.rejected',
  'notice',
]);

/** True for a transient event that no durable one repeats: who reconnects is sent it again. */
export function isSaidOnce({ type }: SessionEvent): boolean {
  return type === 'op.rejected' || type === 'notice';
}

/** True for what belongs into the log. */
export function isDurable(event: SessionEvent): event is DurableEvent {
  return !TRANSIENT.has(event.type);
}

/** Every kind of durable event this release knows; a kind that is missing here does not compile. */
const DURABLE: Readonly<Record<DurableEvent['type'], true>> = {
  'session.created': true,
  'session.resumed': true,
  'settings.changed': true,
  'session.named': true,
  'session.forked': true,
  'history.imported': true,
  'turn.started': true,
  'context.window': true,
  'compaction.started': true,
  'context.compacted': true,
  'compaction.failed': true,
  'request.prefixed': true,
  'request.sent': true,
  'step.completed': true,
  'turn.tainted': true,
  'taint.cleared': true,
  'turn.stop-requested': true,
  'session.halted': true,
  'halt.completed': true,
  'turn.ended': true,
  'approval.requested': true,
  'impact.estimated': true,
  'approval.decided': true,
  'checkpoint.created': true,
  'checkpoint.finalized': true,
  'checkpoint.skipped': true,
  'tool-call.started': true,
  'tool-call.completed': true,
  'command.started': true,
  'command.completed': true,
  'dry-run.started': true,
  'dry-run.completed': true,
  'dry-run.discarded': true,
  'dry-run.applying': true,
  'dry-run.applied': true,
  'restore.started': true,
  'restore.conflicted': true,
  'restore.resolved': true,
  'restore.abandoned': true,
  'restore.completed': true,
};

/** True for the name of a kind of durable event; a log may hold others, of a newer release. */
export function isDurableType(type: string): type is DurableEvent['type'] {
  return Object.hasOwn(DURABLE, type);
}

/** The event of one type, or of several. */
export type EventOf<T extends string> = Extract<SessionEvent, { type: T }>;
