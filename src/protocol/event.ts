import type { AppliedReport, ChangeReport, DryRunReport } from './change-report.ts';
import type { Checkpoint, RestoreEvent } from './checkpoint.ts';
import type { CommandRecord, Driver } from './command.ts';
import type { ContractEvent } from './contract.ts';
import type { ErrorFact } from './error.ts';
import type { FormEvent } from './form.ts';
import type {
  AnswerOrigin,
  AttachedFile,
  Compaction,
  CompactionReason,
  ContextWindow,
  FinishReason,
  ModelChoice,
  RequestDelay,
  RequestPrefix,
  SentCommand,
  Usage,
} from './model.ts';
import type { DenialCode, HaltedBy, HaltedWork, HaltReport, Op } from './op.ts';
import type { Settings } from './settings.ts';
import type { CallPreview, CallProgress, SavedImage, TaintSource, ToolCall } from './tool.ts';

/** Why a turn ended. */
export type TurnEnd =
  | 'completed'
  | 'interrupted'
  | 'halted'
  | 'failed'
  | 'depth-limit'
  | 'step-limit'
  | 'denied'
  | 'repeated-failure'
  | 'repeated-call'
  /** A limit of `[budget]` is reached. */
  | 'budget'
  /** The autonomous run that it belonged to is over, or has no step left. */
  | 'contract';

/** One message of an imported conversation. */
export interface PastMessage {
  readonly role: 'user' | 'assistant';
  readonly text: string;
}

/** Events in the log of a session. aish never edits them. */
export type DurableEvent =
  | { readonly type: 'session.created'; readonly id: string; readonly cwd: string; readonly settings: Settings }
  /** A new process opened the log again. This event closes everything that was open. */
  | {
      readonly type: 'session.resumed';
      readonly settings: Settings;
      /** The user's command that ran when the former process ended. */
      readonly lost?: CommandRecord;
    }
  /** The session is a copy of the session `from`; or the session `to` is a copy of this one. */
  | { readonly type: 'session.forked'; readonly from: string }
  | { readonly type: 'session.forked'; readonly to: string }
  | { readonly type: 'settings.changed'; readonly settings: Settings; readonly client?: string }
  /** The name of the session in lists. A name of the model never replaces a name of the user. */
  | { readonly type: 'session.named'; readonly name: string; readonly by: 'user' | 'model'; readonly client?: string }
  /** A place in another session that the user found: an output with a handle, in no request. */
  | { readonly type: 'session.recalled'; readonly record: CommandRecord }
  /** A model looked for facts in the session, which had ended. */
  | { readonly type: 'session.summarized'; readonly model: string; readonly usage?: Usage }
  /** The earlier conversation of a client that keeps its own history: only messages, never calls. */
  | { readonly type: 'history.imported'; readonly messages: readonly PastMessage[] }
  | {
      readonly type: 'turn.started';
      readonly turn: number;
      readonly text: string;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
      readonly command?: SentCommand;
      /** The model of this turn, if it is not that of the session; with `choice` if aish chose it. */
      readonly model?: string;
      readonly choice?: ModelChoice;
      /** aish itself wrote the message, in the autonomous run with this number. */
      readonly contract?: number;
      /** The attached client that requested it; absent for the owner of the session, here and below. */
      readonly client?: string;
    }
  /** The text that a hook adds to the message of the turn. */
  | { readonly type: 'hook.added'; readonly command: string; readonly text: string }
  /** The known size of the context window, from here on. */
  | { readonly type: 'context.window'; readonly window: ContextWindow }
  /** aish compacts the conversation before it sends anything else. */
  | {
      readonly type: 'compaction.started';
      readonly reason: CompactionReason;
      /** The topic that the user wants to keep above all. */
      readonly focus?: string;
      /** The number of entries, and about how many tokens a request with them has. */
      readonly entries: number;
      readonly tokens: number;
      readonly client?: string;
    }
  /** Later requests contain this summary instead of the entries that it covers; the log keeps the entries. */
  | {
      readonly type: 'context.compacted';
      readonly compaction: Compaction;
      readonly tokensBefore: number;
      readonly tokensAfter: number;
      /** It freed too little to try again. */
      readonly isFruitless?: true;
      /** The model that wrote the summary; absent if none did. */
      readonly model?: string;
    }
  /** The conversation is unchanged; `isFruitless` if there was nothing to free. */
  | { readonly type: 'compaction.failed'; readonly error: ErrorFact; readonly isFruitless?: true }
  /** The beginning of all requests from here on; written when it changes. */
  | { readonly type: 'request.prefixed'; readonly prefix: RequestPrefix }
  /** aish sends a request to the model: the length and the SHA-256 of its body, which identify a request that was rebuilt. */
  | { readonly type: 'request.sent'; readonly bytes: number; readonly sha256: string }
  /** The tokens of a request beside the conversation: for a summary, or a name. `served`: the server's name for the model. */
  | {
      readonly type: 'request.counted';
      readonly model: string;
      readonly served: string | null;
      readonly host: string;
      readonly usage: Usage;
    }
  | {
      readonly type: 'step.completed';
      readonly text: string;
      readonly reasoning?: string;
      /** The calls as the model printed them, if its server did not parse them; `text` and `reasoning` are without them. */
      readonly printed?: string;
      readonly calls: readonly ToolCall[];
      readonly finish: FinishReason;
      /** The text is the model's refusal, not an answer. */
      readonly refused?: true;
      readonly model: string;
      readonly usage?: Usage;
      /** Milliseconds from the request to the first piece of the answer, and to its end; absent in older logs. */
      readonly timing?: { readonly firstMs: number; readonly totalMs: number };
      /** Tokens of the request and its answer, in an autonomous run or of an explorer, in case the server does not count them. */
      readonly estimated?: number;
      readonly origin?: AnswerOrigin;
    }
  /** From here on the model reads untrusted content, or files of the project contain some. */
  | { readonly type: 'turn.tainted'; readonly sources: readonly TaintSource[]; readonly paths?: readonly string[] }
  /** The user trusts everything that the model has read so far. */
  | { readonly type: 'taint.cleared'; readonly client?: string }
  /** The running call finishes, and nothing else of this turn begins. */
  | { readonly type: 'turn.stop-requested'; readonly client?: string }
  /** Everything was stopped. From here on no call runs without asking, until the user changes that. */
  | {
      readonly type: 'session.halted';
      readonly by: HaltedBy;
      readonly running: readonly HaltedWork[];
      readonly client?: string;
    }
  /** The stopped processes have ended, except those that aish cannot end. */
  | { readonly type: 'halt.completed'; readonly report: HaltReport }
  /** `text`: the streamed part of the answer, if the turn ended before its step. */
  | {
      readonly type: 'turn.ended';
      readonly reason: TurnEnd;
      readonly text?: string;
      readonly error?: ErrorFact;
      readonly client?: string;
    }
  | { readonly type: 'approval.requested'; readonly callId: string; readonly preview: CallPreview }
  /** The estimated changes of a call, counted while its prompt is open. The log keeps it because the user approved it. */
  | {
      readonly type: 'impact.estimated';
      readonly callId: string;
      /** The number of the approval prompt of this call, from 1. */
      readonly prompt: number;
      readonly report: ChangeReport;
    }
  | {
      readonly type: 'approval.decided';
      readonly callId: string;
      /** `edit`: the user replaced the command; aish classifies the new one next. */
      readonly decision: 'allow' | 'deny' | 'edit';
      readonly by: 'user' | 'policy' | 'headless';
      /** The rule that decided, or the one the user added. */
      readonly rule?: string;
      readonly reason?: string;
      /** The reason of a denial when no user could be asked. */
      readonly code?: DenialCode;
      /** Prefixes that the user approved for the session. */
      readonly commands?: readonly string[];
      /** The command of an `edit`. */
      readonly command?: string;
      /** The preview of a call that a rule allowed; with a prompt, `approval.requested` has the preview. */
      readonly preview?: CallPreview;
      readonly client?: string;
    }
  | FormEvent
  /** With `again` the step continues with its checkpoint, because nothing changed while the approval prompt was open. */
  | {
      readonly type: 'checkpoint.created';
      readonly callId: string;
      readonly checkpoint: Checkpoint;
      readonly again?: true;
    }
  /** aish keeps the snapshot after the last call of the step, too, so that an undo knows the changes of the step from later ones. */
  | {
      readonly type: 'checkpoint.finalized';
      readonly id: string;
      /** The step changed nothing, so the checkpoint was deleted. Another checkpoint may get its id. */
      readonly discarded?: boolean;
      readonly error?: ErrorFact;
    }
  | { readonly type: 'checkpoint.skipped'; readonly callId: string; readonly why: string }
  /** aish writes and syncs this event before the side effect. */
  | { readonly type: 'tool-call.started'; readonly callId: string; readonly sandboxed?: true }
  | {
      readonly type: 'tool-call.completed';
      readonly callId: string;
      readonly text: string;
      readonly isError: boolean;
      /** The command that the call ran, if any. */
      readonly record?: CommandRecord;
      /** The whole text under a handle, if `text` is only a part of it. The line names the call. */
      readonly output?: CommandRecord;
      /** Images that the tool returned. */
      readonly images?: readonly SavedImage[];
    }
  /** The server of a running call asked the user's model; it may come after the end of the turn, for an answer that was cut short. */
  | { readonly type: 'tool-call.sampled'; readonly callId: string; readonly model: string; readonly usage: Usage }
  /** The line of a private command is empty, because no event contains it. */
  | {
      readonly type: 'command.started';
      readonly line: string;
      readonly driver: Driver;
      readonly private?: true;
      readonly client?: string;
    }
  | { readonly type: 'command.completed'; readonly record: CommandRecord }
  /** A dry run starts on a copy of the project: of the command of a call that needs approval, or of a line of the user. */
  | {
      readonly type: 'dry-run.started';
      readonly number: number;
      readonly line: string;
      readonly callId?: string;
      readonly client?: string;
    }
  /** The dry run has finished and can be applied, or was not possible here. */
  | {
      readonly type: 'dry-run.completed';
      readonly number: number;
      readonly report?: DryRunReport;
      readonly error?: ErrorFact;
    }
  /** The result of the dry run was deleted. */
  | { readonly type: 'dry-run.discarded'; readonly number: number; readonly client?: string }
  /** The user applies all changes of the dry run, or the changes with these numbers. */
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
  | ContractEvent
  /** An event of an explorer, which works inside the call `callId`; its number counts from 1. */
  | {
      readonly type: 'explorer.event';
      readonly callId: string;
      readonly explorer: number;
      readonly event: ExplorerEvent;
    }
  | RestoreEvent;

/** Events that are sent and never stored; a later durable event contains the whole. */
type TransientEvent =
  | { readonly type: 'text.delta'; readonly text: string }
  | { readonly type: 'reasoning.delta'; readonly text: string }
  | { readonly type: 'tool-call.delta'; readonly name: string }
  /** The server of a tool reports how far its call is. */
  | ({ readonly type: 'tool-call.progress' } & CallProgress)
  /** The server is not ready; aish sends the request again after a wait. */
  | { readonly type: 'request.delayed'; readonly delay: RequestDelay }
  /** The share of the prompt that the server has read, from 0 to 100; null if the request waits for its turn. */
  | { readonly type: 'request.progress'; readonly percent: number | null }
  | { readonly type: 'op.rejected'; readonly op: Op['type']; readonly error: ErrorFact; readonly client?: string }
  /** One status line for the user. */
  | { readonly type: 'notice'; readonly level: 'info' | 'warning' | 'error'; readonly text: string };

export type SessionEvent = DurableEvent | TransientEvent;

/** An event with its position in the log. `seq` counts durable events from 1; a transient event has the number of the last durable one. */
export interface Recorded {
  readonly seq: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly event: SessionEvent;
  /** Counts, from 1, the refusals and notices after the same durable event, because no later event repeats their text. */
  readonly nth?: number;
}

/** The event of one type, or of several. */
export type EventOf<T extends string> = Extract<SessionEvent, { type: T }>;

/** The events of an explorer that belong in the log of its session. */
export type ExplorerEvent = EventOf<
  'turn.started' | 'step.completed' | 'approval.decided' | 'tool-call.completed' | 'turn.ended'
>;
