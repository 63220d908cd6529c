/** What happens to what an effect names; `changes` is mode, owner, times, and content that is edited in place. */
export type BlastKind = 'deletes' | 'overwrites' | 'creates' | 'moves' | 'changes';

/** One kind of thing that a command would do, counted on the real tree. Whatever lies below a folder is counted too. */
export interface BlastEffect {
  readonly kind: BlastKind;
  /** Files, links, sockets and devices: whatever is no folder. */
  readonly files: number;
  readonly folders: number;
  /** Sizes of the files as they are now. */
  readonly bytes: number;
  /** Files that git does not know and does not ignore: nothing brings them back. Null where it is not known, or without a repository. */
  readonly untracked: number | null;
  /** Files that git is told to ignore. */
  readonly ignored: number | null;
  /** Tracked files whose content differs from the last commit. */
  readonly modified: number | null;
  /** Files that are too large for a checkpoint, and that git does not hold as they are: no undo brings them back. */
  readonly large?: number;
  /** Files in git's own folder, where the checkpoints are kept as well: no undo brings them back. */
  readonly repository?: number;
  /** Of the files and folders, those that lie outside of the project. */
  readonly outside: number;
  /** Some of the real paths, absolute, the topmost first. A path that a command names stands for what is below it. */
  readonly samples: readonly string[];
  /** So many more paths would have been named with these. */
  readonly unnamed?: number;
  /** Counting was stopped: there are at least this many files and folders. */
  readonly atLeast?: true;
  /** Not every size was looked up: there are at least this many bytes. */
  readonly bytesAtLeast?: true;
  /** It happens only where a condition of the line holds, or where something before it fails. */
  readonly maybe?: true;
}

/** What a command would touch. With nothing in it at all, it touches nothing. */
export interface BlastRadius {
  /** One for each kind, and one more where some of it happens only maybe; deletions first. */
  readonly effects: readonly BlastEffect[];
  /** Machines, services and contexts that it would talk to, each once. */
  readonly hosts: readonly string[];
  /** What it does besides that nobody can tell beforehand, in words. It is never harmless for being unknown. */
  readonly unknown: readonly string[];
  /** What else there is to say, as that a path does not exist, or that a process is ended. */
  readonly notes: readonly string[];
  /** Counting goes on: what it comes to is told once more. */
  readonly counting?: true;
}

/** A command that touches nothing. */
export const NO_BLAST: BlastRadius = { effects: [], hosts: [], unknown: [], notes: [] };
