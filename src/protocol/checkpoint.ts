/** A restorable snapshot of the work tree, kept under `refs/aish/`. */
export interface Checkpoint {
  /** Short and unique in its repository; what users type after `:undo`. */
  readonly id: string;
  /** Full name of the ref. In mode "commit" the commit is on the branch and also kept here. */
  readonly ref: string;
  /** Object name of the checkpoint commit. */
  readonly commit: string;
  /** Work tree root of the repository. */
  readonly root: string;
  /** What it was made for, e.g. `before fs.write_file`. */
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Who or what changed the tree in a step: a tool of ours, a `CMD:` line, a command the user approved, an MCP server, the user. */
export type StepCause = 'tool' | 'command-line' | 'approved-command' | 'mcp' | 'user' | 'undo' | 'redo';

/** How many paths a step added, changed and removed. */
export interface StepCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** One step of the timeline: what changed the tree between two snapshots of it. */
export interface CheckpointStep extends Checkpoint {
  readonly sessionId: string;
  /** Bare name of the tool; `undo` and `redo` for those. */
  readonly toolName: string;
  readonly cause: StepCause;
  /** The step that an undo or redo is about; null for every other one. */
  readonly of: string | null;
  /** Null where the step never ended, so that later changes cannot be told from its own. */
  readonly counts: StepCounts | null;
  /** It has no end because it still runs. */
  readonly isAtWork?: true;
  /** `partly`: some of its paths are taken back, or taking them back was cut short. */
  readonly state: 'done' | 'undone' | 'partly';
}

/** Which way a step is taken: back, or once more. */
export type RestoreDirection = 'undo' | 'redo';

/** What one path holds: exact bytes by object name, and whether it is executable or a link. */
export interface FileVersion {
  /** `100644`, `100755` or `120000`. */
  readonly mode: string;
  readonly blob: string;
}

/** What is to become of a path that changed since: what is there stays, what was there comes back, or both are merged. */
export type RestoreChoice = 'mine' | 'theirs' | 'merged';

/**
 * Why a path needs a choice. `changed`: it is not as the step left it. `changed-after`: it changed just after the step ended. `older`,
 * `was-ignored`: it may be older than the step. `shared`: another step ran at the same time. `never-ended`: the step has no end.
 */
export type ConflictCode = 'changed' | 'changed-after' | 'older' | 'was-ignored' | 'shared' | 'never-ended';

/** What an undo or redo would do to one path. */
export interface PathPlan {
  /** The path's bytes, one character each; the same as `path` for plain names. Choices are given by it. */
  readonly key: string;
  /** The path as users read it, relative to the root. */
  readonly path: string;
  /** `same`: it is already as it would be put. `refused`: no choice makes it possible. */
  readonly state: 'restore' | 'same' | 'conflict' | 'refused';
  /** Set for a conflict. */
  readonly code?: ConflictCode;
  /** Why it is a conflict or refused; empty otherwise. */
  readonly why: string;
  /** What lies there now; null for nothing, `other` for what no snapshot holds (a directory in use, a socket, a huge file). */
  readonly now: FileVersion | null | 'other';
  /** What would be put there; null for nothing. */
  readonly target: FileVersion | null;
  /** What the step (or the undo that a redo takes back) left there; both sides of a merge started from it. */
  readonly left: FileVersion | null;
  /** What may be chosen for a conflict; empty otherwise. `merged` is offered only where nothing overlaps. */
  readonly choices: readonly RestoreChoice[];
}

/** What an undo or redo would do, path by path, at the moment it was planned. */
export interface RestorePlan {
  readonly root: string;
  /** The step is kept apart from the tree, of the time when that was no repository. */
  readonly apart?: true;
  /** The step it is about. */
  readonly id: string;
  /** The step itself, or the undo or redo of it that is taken back. */
  readonly named: string;
  readonly direction: RestoreDirection;
  /** The step's own label and time, for the question. */
  readonly label: string;
  readonly at: number;
  /** Sorted by path. */
  readonly paths: readonly PathPlan[];
  /** Paths that were asked for and that the step did not change. */
  readonly unknown: readonly string[];
}

/** Choices for the conflicts of a plan, by `PathPlan.key`. A conflict without one is left alone and reported as refused. */
export type RestoreChoices = Readonly<Record<string, RestoreChoice>>;

/** What an undo did, path by path. Paths are relative to the root. */
export interface RestoreReport {
  readonly restored: readonly string[];
  /** Those of `restored` that are gone now, as they were not there at the time. */
  readonly removed?: readonly string[];
  /** Files that changed since and were left alone. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
  /** Files that stayed as they are because that was chosen. */
  readonly kept?: readonly string[];
}

/** One path that changed since the step, with what may become of it. */
export interface RestoreConflict {
  /** What the choice is given by; see `PathPlan.key`. */
  readonly key: string;
  readonly path: string;
  /** Absent in older logs. */
  readonly code?: ConflictCode;
  readonly why: string;
  readonly choices: readonly RestoreChoice[];
  /** What lay there when it was asked: a choice is not for what comes to lie there later. */
  readonly now: PathPlan['now'];
  /** What is there and what would be put there, in a few words each: `12 lines, 340 B`. */
  readonly mine: string;
  readonly theirs: string;
  /** Unified diff from what is there to what would be put there; absent where one of them is no text, or too long. */
  readonly diff?: string;
  /** The same from what is there to both merged, where that may be chosen. */
  readonly merged?: string;
}

/** What has to be said before an undo or redo can go on. */
export interface RestorePrompt {
  /** The step. */
  readonly checkpoint: string;
  readonly direction: RestoreDirection;
  readonly label: string;
  /** When the step was, in milliseconds since the epoch. */
  readonly at: number;
  /** How many paths nobody changed since: they are put back with the answer. */
  readonly free: number;
  readonly conflicts: readonly RestoreConflict[];
  /** Paths that no answer brings back. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** How far an undo or redo of several steps came before it was given up. */
export interface RestorePart {
  readonly direction: RestoreDirection;
  /** Steps that were undone or redone. */
  readonly done: number;
  /** Steps that were not touched, with the present one. */
  readonly left: number;
  /** The present one. */
  readonly checkpoint: string;
}
