/** A restorable picture of the work tree, kept under `refs/aish/`. */
export interface Checkpoint {
  /** Short and unique in its repository; what people type after `:undo`. */
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

/** What an undo did, path by path. Paths are relative to the root. */
export interface RestoreReport {
  readonly restored: readonly string[];
  /** Files that changed since and were left alone. */
  readonly refused: readonly { readonly path: string; readonly why: string }[];
}
