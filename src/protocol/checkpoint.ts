import type { ErrorFact } from './error.ts';
/** A restorable snapshot of the work tree, kept under `refs/aish/`. */
export interface Checkpoint {
  /** Short and unique in its repository. Users type it after `:undo`. */
  readonly id: string;
  /** Full name of the ref. In mode "commit" the commit is on the branch and also kept here. */
  readonly ref: string;
  /** Object name of the checkpoint commit. */
  readonly commit: string;
  /** Work tree root of the repository. */
  readonly root: string;
  /** The purpose of the checkpoint, such as `before fs.write_file`. */
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The cause of a step: a built-in tool, a `CMD:` line, an approved command, an MCP server, the user, or an undo or redo. */
export type StepCause = 'tool' | 'command-line' | 'approved-command' | 'mcp' | 'user' | 'undo' | 'redo';

/** How many paths a step added, changed and removed. */
export interface StepCounts {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

/** One step of the timeline: the changes between two snapshots of the work tree. */
export interface CheckpointStep extends Checkpoint {
  readonly sessionId: string;
  /** Bare name of the tool; `undo` and `redo` for those. */
  readonly toolName: string;
  readonly cause: StepCause;
  /** The step that an undo or redo belongs to; null for other steps. */
  readonly of: string | null;
  /** Null if the step never ended, because later changes look like its own then. */
  readonly counts: StepCounts | null;
  /** The step has no end because it still runs. */
  readonly isAtWork?: true;
  /** `partly`: some of its paths are undone, or the undo was cut short. */
  readonly state: 'done' | 'undone' | 'partly';
}

/** The direction of a restore. */
export type RestoreDirection = 'undo' | 'redo';

/** The content of one path: exact bytes by object name, and whether it is executable or a link. */
export interface FileVersion {
  /** `100644`, `100755` or `120000`. */
  readonly mode: string;
  readonly blob: string;
}

/** The choice for a path that changed since: keep the current version, take the restored version, or merge both. */
export type RestoreChoice = 'mine' | 'theirs' | 'merged';

/**
 * Why a path needs a choice. `changed`: it is not as the step left it. `changed-after`: it changed just after the step ended. `older`,
 * `was-ignored`: it may be older than the step. `shared`: another step ran at the same time. `never-ended`: the step has no end.
 */
export type ConflictCode = 'changed' | 'changed-after' | 'older' | 'was-ignored' | 'shared' | 'never-ended';

/** The effect of an undo or redo on one path. */
export interface PathPlan {
  /** The bytes of the path, one character each; the same as `path` for plain names. It is the key of choices. */
  readonly key: string;
  /** The path as users read it, relative to the root. */
  readonly path: string;
  /** `same`: the path has the target content already. `refused`: no choice makes a restore possible. */
  readonly state: 'restore' | 'same' | 'conflict' | 'refused';
  /** Set for a conflict. */
  readonly code?: ConflictCode;
  /** The reason of a conflict or refusal; empty otherwise. */
  readonly why: string;
  /** The current content; null for nothing, `other` for content that no snapshot has (a directory in use, a socket, a huge file). */
  readonly now: FileVersion | null | 'other';
  /** The content after the restore; null for nothing. */
  readonly target: FileVersion | null;
  /** The content after the step, or after the undo that a redo reverses. It is the common base of a merge. */
  readonly left: FileVersion | null;
  /** The possible choices for a conflict; empty otherwise. `merged` is possible only if no lines overlap. */
  readonly choices: readonly RestoreChoice[];
}

/** The effect of an undo or redo, path by path, at the moment of the plan. */
export interface RestorePlan {
  readonly root: string;
  /** The step is in the external store, from before the folder was a repository. */
  readonly apart?: true;
  /** The step to undo or redo. */
  readonly id: string;
  /** The step itself, or an undo or redo of it that is reversed. */
  readonly named: string;
  readonly direction: RestoreDirection;
  /** Label and time of the step, for the prompt. */
  readonly label: string;
  readonly at: number;
  /** Sorted by path. */
  readonly paths: readonly PathPlan[];
  /** Requested paths that the step did not change. */
  readonly unknown: readonly string[];
}

/** Choices for the conflicts of a plan, by `PathPlan.key`. A conflict without a choice stays and is reported as refused. */
export type RestoreChoices = Readonly<Record<string, RestoreChoice>>;

/** The result of an undo or redo, path by path. Paths are relative to the root. */
export interface RestoreReport {
  readonly restored: readonly string[];
  /** The paths in `restored` that do not exist any more, because they did not exist at that time. */
  readonly removed?: readonly string[];
  /** Files that aish did not restore, with the reason. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
  /** Files that stayed as they are by choice. */
  readonly kept?: readonly string[];
}

/** One path that needs a choice. */
export interface RestoreConflict {
  /** The key of the choice; see `PathPlan.key`. */
  readonly key: string;
  readonly path: string;
  /** Absent in older logs. */
  readonly code?: ConflictCode;
  readonly why: string;
  readonly choices: readonly RestoreChoice[];
  /** The content when the prompt was made: a choice does not apply to later content. */
  readonly now: PathPlan['now'];
  /** The current version and the version after the restore, in a few words: `12 lines, 340 B`. */
  readonly mine: string;
  readonly theirs: string;
  /** Unified diff from the current version to the restored one; absent if one of them is not text, or too long. */
  readonly diff?: string;
  /** The same from the current version to the merged one, if `merged` is a choice. */
  readonly merged?: string;
}

/** The prompt of an undo or redo that needs choices. */
export interface RestorePrompt {
  /** The step. */
  readonly checkpoint: string;
  readonly direction: RestoreDirection;
  readonly label: string;
  /** The time of the step, in milliseconds since the epoch. */
  readonly at: number;
  /** The number of paths without later changes; aish restores them after the choices. */
  readonly free: number;
  readonly conflicts: readonly RestoreConflict[];
  /** Paths that no choice restores. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}

/** The progress of an undo or redo of several steps that was given up. */
export interface RestorePart {
  readonly direction: RestoreDirection;
  /** Steps that were undone or redone. */
  readonly done: number;
  /** Steps that did not change a file, with the current one. */
  readonly left: number;
  /** The current step. */
  readonly checkpoint: string;
}

/** An event of an undo or redo. */
export type RestoreEvent =
  /** An undo, or with `direction` a redo. With `steps` that many steps; each gets its own `restore.completed`. */
  | {
      readonly type: 'restore.started';
      readonly checkpoint: string | null;
      readonly paths?: readonly string[];
      readonly direction?: 'redo';
      readonly steps?: number;
      readonly client?: string;
    }
  /** Some paths need a choice. No file changes before the user has chosen for each of them. */
  | { readonly type: 'restore.conflicted'; readonly prompt: RestorePrompt }
  | { readonly type: 'restore.resolved'; readonly choices: RestoreChoices; readonly client?: string }
  /** The user gave up before the current step changed a file. `part`: set if other steps came before it. */
  | { readonly type: 'restore.abandoned'; readonly part?: RestorePart; readonly client?: string }
  | {
      readonly type: 'restore.completed';
      readonly checkpoint: string | null;
      readonly direction?: 'redo';
      /** Label and time of the step, in milliseconds since the epoch. */
      readonly label?: string;
      readonly stepAt?: number;
      readonly report?: RestoreReport;
      /** The checkpoint that reverses this undo; absent if nothing changed. */
      readonly undo?: string;
      readonly error?: ErrorFact;
    };
