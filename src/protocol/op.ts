import type { RestoreChoices, RestoreDirection } from './checkpoint.ts';
import type { AttachedFile } from './model.ts';
import type { Settings } from './settings.ts';

/** What a user decided about a call. */
export type Decision =
  | { readonly type: 'allow' }
  /** Allow, and from now on in this session allow what `rule` names: `alias.tool`, or for a command what its preview proposes. */
  | { readonly type: 'allow-always'; readonly rule: string }
  /** The reason, if any, goes to the model as the call's result; the code is for programs, where nobody could be asked. */
  | { readonly type: 'deny'; readonly reason?: string; readonly code?: DenialCode }
  /** Another command in the place of the one asked about: it is classified, and asked about, in its turn. */
  | { readonly type: 'edit'; readonly command: string };

/** What a client may ask of a session. A request that cannot be met now is answered by `op.rejected`. */
export type Op =
  /** Start a turn. `attachment` is piped text, `files` are what the text mentions. */
  | {
      readonly type: 'send';
      readonly text: string;
      readonly attachment?: string;
      readonly files?: readonly AttachedFile[];
    }
  /** Run a command line in the shared shell. A private one is kept from the model, the log and the disk. */
  | { readonly type: 'run'; readonly line: string; readonly private?: true }
  | {
      readonly type: 'decide';
      readonly callId: string;
      readonly decision: Decision;
      readonly by: 'user' | 'headless';
      /** Which of the questions about the call is answered, from 1; an answer to an earlier one is refused. */
      readonly prompt?: number;
    }
  /**
   * Stop the running turn; open calls are closed. With `after: 'step'` a tool call that runs comes to its end first and nothing begins
   * after it; without one the turn ends at once.
   */
  | { readonly type: 'interrupt'; readonly after?: 'step' }
  /** Stop everything the model has begun, whatever state it is in, and leave nothing to run without asking. Never refused. */
  | { readonly type: 'halt'; readonly by?: HaltedBy }
  /**
   * Take a step back, or once more: all of its paths without `paths`. Without a checkpoint the newest step that can be; with `steps` so
   * many of them, each its own.
   */
  | {
      readonly type: 'restore';
      readonly checkpoint: string | null;
      readonly paths?: readonly string[];
      readonly direction?: RestoreDirection;
      readonly steps?: number;
    }
  /** What is to become of the paths that changed since, by their keys; a path that is left out stays as it is, and open. */
  | { readonly type: 'resolve'; readonly choices: RestoreChoices }
  /** A user trusts the untrusted content that the model was sent so far: rules hold again. */
  | { readonly type: 'trust' }
  /** Try the command of a call that is asked about, or a line, on a view of the project; one question is as in `decide`. */
  | { readonly type: 'dry-run'; readonly callId: string; readonly prompt?: number }
  | { readonly type: 'dry-run'; readonly line: string }
  /** Take over what was tried in a dry run: all, or the changes of these numbers. For a call that is the answer to its question. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  /** Stop or forget the dry run, so that the question about its call stands as before; or give up an undo that waits for an answer. */
  | { readonly type: 'discard' }
  /** Give the session another name. */
  | { readonly type: 'rename'; readonly name: string }
  /** Note that another session began as a copy of this one. */
  | { readonly type: 'fork'; readonly to: string }
  /** Make the conversation shorter now, keeping above all what `focus` names. */
  | { readonly type: 'compact'; readonly focus?: string }
  | { readonly type: 'configure'; readonly settings: Partial<Settings> };

/** Why a call was denied that nobody was there to approve: one of these codes, which the log carries beside the words. */
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

/** One of the codes. */
export type DenialCode = (typeof DENIAL_CODES)[number];

/** Who stopped everything: a user, the end of the terminal, or a signal to the program. */
export type HaltedBy = 'user' | 'terminal' | 'signal';

/** One thing that was going on when everything was stopped. */
export interface HaltedWork {
  readonly what: 'request' | 'approval' | 'call' | 'command' | 'checkpoint' | 'restore' | 'dry-run';
  /** The tool of a call, or the line of a command or a dry-run. */
  readonly name?: string;
}

/** A process that could not be ended. */
export interface LeftProcess {
  readonly pid: number;
  readonly name: string;
}

/** What became of the processes that the model's work had started. */
export interface HaltReport {
  /** How many are gone. */
  readonly ended: number;
  /** Those that outlived SIGKILL, or belong to somebody else. */
  readonly left: readonly LeftProcess[];
  /** MCP servers that did not answer any more and were ended. */
  readonly servers?: readonly string[];
  /** The shared shell would not come back to its prompt and was ended too. */
  readonly shellEnded?: true;
}

/** The op of one type, or of several. */
export type OpOf<T extends Op['type']> = Extract<Op, { type: T }>;
