import type { RestoreChoices, RestoreDirection } from './checkpoint.ts';
import type { Contract, ContractLimits } from './contract.ts';
import type { FormAnswer } from './form.ts';
import type { AttachedFile, SentCommand } from './model.ts';
import type { Settings } from './settings.ts';

/** A decision on a call that needs approval. */
export type Decision =
  | { readonly type: 'allow' }
  /**
   * Allows the call, and everything that `rule` covers for the rest of the session: `alias.tool`, or the rules that the preview proposes.
   */
  | { readonly type: 'allow-always'; readonly rule: string }
  /** Denies the call. The model reads the reason as the result. The code is for programs, if no user could be asked. */
  | { readonly type: 'deny'; readonly reason?: string; readonly code?: DenialCode }
  /** Replaces the command; aish classifies the new one, which may need approval, too. */
  | { readonly type: 'edit'; readonly command: string };

/** A request of a client to a session. If it is not possible now, the session answers with `op.rejected`. */
export type Op =
  /** Start a turn, or steer the autonomous run. `attachment`: piped text. `files`: the files that the text mentions. */
  | {
      readonly type: 'send';
      readonly text: string;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
      readonly command?: SentCommand;
    }
  /** Run a command line in the shared shell. A private command does not reach the model, the log and the disk. */
  | { readonly type: 'run'; readonly line: string; readonly private?: true }
  | {
      readonly type: 'decide';
      readonly callId: string;
      readonly decision: Decision;
      readonly by: 'user' | 'headless';
      /** The number of the approval prompt of this call, from 1. The session rejects answers to earlier prompts. */
      readonly prompt?: number;
    }
  /** Answer the form of a server, by its id. */
  | {
      readonly type: 'answer-form';
      readonly form: string;
      readonly answer: FormAnswer;
      readonly by: 'user' | 'headless';
    }
  /**
   * Stop the running turn and close its open calls. With `after: 'step'` a running tool call finishes first, and nothing else begins;
   * without a running call the turn ends at once.
   */
  | { readonly type: 'interrupt'; readonly after?: 'step' }
  /** Stop all work of the model, in any state; after that no call runs without asking. Never rejected. */
  | { readonly type: 'halt'; readonly by?: HaltedBy }
  /**
   * Undo or redo a step; without `paths`, all of its paths. Without a checkpoint, the newest step that is possible; with `steps` that many,
   * one after the other.
   */
  | {
      readonly type: 'restore';
      readonly checkpoint: string | null;
      readonly paths?: readonly string[];
      readonly direction?: RestoreDirection;
      readonly steps?: number;
    }
  /** The choices for paths that changed since, by their keys. A path without a choice stays as it is, and open. */
  | { readonly type: 'resolve'; readonly choices: RestoreChoices }
  /** Trust the untrusted content that the model has read so far: rules apply again. */
  | { readonly type: 'trust' }
  /** Run the command of a call that needs approval, or a line, on a copy of the project; `prompt` as in `decide`. */
  | { readonly type: 'dry-run'; readonly callId: string; readonly prompt?: number }
  | { readonly type: 'dry-run'; readonly line: string }
  /** Apply all changes of a dry run, or the changes with these numbers. For a call this is also its approval. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  /** Stop or discard the dry run, so that its call waits for approval again; or give up an undo that waits for choices. */
  | { readonly type: 'discard' }
  /** Begin an autonomous run; the user has approved the contract. */
  | { readonly type: 'begin-contract'; readonly contract: Contract }
  /** Go on with the last autonomous run, which has ended; the user has approved it again, with these limits in place of its own. */
  | { readonly type: 'resume-contract'; readonly limits?: Partial<ContractLimits> }
  /** Let nothing of the autonomous run begin, or let it continue. */
  | { readonly type: 'pause-contract' | 'continue-contract' }
  /** Add an item to the plan of the autonomous run, or drop the item with a number. */
  | { readonly type: 'edit-plan'; readonly add: string }
  | { readonly type: 'edit-plan'; readonly drop: number }
  /** Give the session another name. */
  | { readonly type: 'rename'; readonly name: string }
  /** Note that another session began as a copy of this one. */
  | { readonly type: 'fork'; readonly to: string }
  /** Compact the conversation now, and keep above all the topic `focus`. */
  | { readonly type: 'compact'; readonly focus?: string }
  | { readonly type: 'configure'; readonly settings: Partial<Settings> };

/** The reasons for denying a call that no user was there to approve. */
export const DENIAL_CODES = [
  'halted',
  'not-approved',
  'no-command-rule',
  'rule-asks',
  'untrusted-content',
  'not-undoable',
  'injects-secret',
  'tool-changed',
  'outside-project',
] as const;

/** A reason for denying a call that no user was there to approve. */
export type DenialCode = (typeof DENIAL_CODES)[number];

/** The cause of a halt: a user, the end of the terminal, or a signal to the program. */
export type HaltedBy = 'user' | 'terminal' | 'signal';

/** One piece of work that was running at a halt. */
export interface HaltedWork {
  readonly what: 'request' | 'approval' | 'call' | 'command' | 'checkpoint' | 'restore' | 'dry-run';
  /** The tool of a call, or the line of a command or a dry run. */
  readonly name?: string;
}

/** A process that could not be ended. */
export interface LeftProcess {
  readonly pid: number;
  readonly name: string;
}

/** The processes of the model after a halt. */
export interface HaltReport {
  /** The number of processes that ended. */
  readonly ended: number;
  /** Processes that survived SIGKILL, or belong to another user. */
  readonly left: readonly LeftProcess[];
  /** MCP servers that did not respond and were ended. */
  readonly servers?: readonly string[];
  /** The shared shell did not return to its prompt and was ended, too. */
  readonly shellEnded?: true;
}

/** The op of one type, or of several. */
export type OpOf<T extends Op['type']> = Extract<Op, { type: T }>;
