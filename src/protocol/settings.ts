/** Where checkpoints go: a private ref, a commit on the branch, or nowhere. */
type CheckpointMode = 'ref' | 'commit' | 'off';

/** What is allowed without asking: nothing, reading tools, or every tool call that can be undone. Commands go by their own rules. */
export type ApproveMode = 'ask' | 'read-only' | 'all';

/** Prefixes of commands, whole words each: the strictest that has a part in a line decides. */
export interface CommandRules {
  /** Run without asking, where the command does no more than the bare prefix would. */
  readonly approve: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** `alias.tool` or `alias.*` each; refusing goes before asking, and both before approving. */
export interface ToolRules {
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** What may run in a sandbox without a question: commands that only look, or none. */
export type AutoRun = 'read-only' | 'none';

/** The part of the configuration a session's decisions depend on; a fact of the log, so replay needs no config file. */
export interface Settings {
  /** Name in `[models]`; null when none is configured. */
  readonly model: string | null;
  /** Rounds of tool calls one turn may take. */
  readonly maxToolDepth: number;
  /** Model requests one turn may make; null for no limit beyond the depth. */
  readonly maxSteps: number | null;
  /** `alias.tool` or `alias.*`; only the value true approves. */
  readonly autoApprove: Readonly<Record<string, boolean>>;
  /** Calls that are asked or refused whatever approves them; none in a log of before there were any. */
  readonly tools?: ToolRules;
  readonly approve: ApproveMode;
  /** None in a log of before there were any. */
  readonly commands?: CommandRules;
  /** What commands of the model run without a question, in a sandbox; none in a log of before there was one. */
  readonly autoRun?: AutoRun;
  /** A command that the user allows runs in the sandbox, too; one that a rule allows runs in the shared shell all the same. */
  readonly sandbox?: boolean;
  readonly checkpointMode: CheckpointMode;
  /** The user's own commands that may change something get a checkpoint, too. */
  readonly checkpointsCommands?: true;
  /** How much is kept of one place; none where the usual limits hold. */
  readonly checkpointLimits?: { readonly steps: number; readonly bytes: number };
  /** How much one snapshot takes in that git does not hold anyway; none where the usual limits hold. */
  readonly snapshotLimits?: { readonly files: number; readonly bytes: number };
  /** Take `CMD:` lines for commands; false drops them. */
  readonly confirmCmd: boolean;
}
