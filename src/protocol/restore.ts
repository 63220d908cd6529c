import type { PathPlan, RestoreChoice, RestoreDirection } from './checkpoint.ts';

/** One path that changed since the step, with what may become of it. */
export interface RestoreConflict {
  /** What the choice is given by; see `PathPlan.key`. */
  readonly key: string;
  readonly path: string;
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
export interface RestoreQuestion {
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
