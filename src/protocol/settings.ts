/** The place of checkpoints: a private ref, a commit on the branch, or nowhere. */
type CheckpointMode = 'ref' | 'commit' | 'off';

/** The calls allowed without asking: none, reading tools, or every tool call that can be undone. Commands have their own rules. */
export type ApproveMode = 'ask' | 'read-only' | 'all';

/** Command prefixes of whole words. The strictest rule for any part of a line decides. */
export interface CommandRules {
  /** Run without asking, if the command does no more than the bare prefix would. */
  readonly approve: readonly string[];
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Each is `alias.tool` or `alias.*`. Denying takes precedence over asking, and both over approving. */
export interface ToolRules {
  readonly ask: readonly string[];
  readonly deny: readonly string[];
}

/** Commands that run in a sandbox without asking: read-only ones, or none. */
export type AutoRun = 'read-only' | 'none';

/** A configured model, as far as the choice of a model depends on it. */
export interface ModelOption {
  readonly name: string;
  readonly role?: 'fast' | 'deep' | 'cloud';
  /** It is outside this machine and its network. */
  readonly isCloud?: true;
}

/** The part of the configuration that decisions depend on. The log contains it, so a replay needs no configuration. */
export interface Settings {
  /** Name in `[models]`, `PROVIDER:MODEL`, or `auto`; null without a configured model. */
  readonly model: string | null;
  /** The configured models; absent without any, and in older logs. */
  readonly models?: readonly ModelOption[];
  /** aish may pass the conversation from a model on this network to a cloud model by itself. */
  readonly cloud?: boolean;
  /** Maximum rounds of tool calls in one turn. */
  readonly maxToolDepth: number;
  /** Maximum model requests in one turn; null for no limit besides the depth. */
  readonly maxSteps: number | null;
  /** `alias.tool` or `alias.*`; only the value true approves. */
  readonly autoApprove: Readonly<Record<string, boolean>>;
  /** Tools that always need approval or are denied; absent in older logs. */
  readonly tools?: ToolRules;
  readonly approve: ApproveMode;
  /** Absent in older logs. */
  readonly commands?: CommandRules;
  /** Commands of the model that run in a sandbox without asking; absent in older logs. */
  readonly autoRun?: AutoRun;
  /** Commands that the user approves run in the sandbox, too. Commands that a rule allows run in the shared shell. */
  readonly sandbox?: boolean;
  readonly checkpointMode: CheckpointMode;
  /** The user's own commands get a checkpoint, too, if they may change files. */
  readonly checkpointsCommands?: true;
  /** Limits of the checkpoints of one folder; absent for the defaults. */
  readonly checkpointLimits?: { readonly steps: number; readonly bytes: number };
  /** Limits of untracked files in one snapshot; absent for the defaults. */
  readonly snapshotLimits?: { readonly files: number; readonly bytes: number };
  /** Treat `CMD:` lines as commands; false ignores them. */
  readonly confirmCmd: boolean;
}
