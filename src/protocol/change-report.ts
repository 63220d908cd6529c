import type { CommandRecord } from './command.ts';
import type { CommandEffect } from './tool.ts';

/** What happens to what an effect names; `changes` is mode, owner, times, and content that is edited in place. */
export type FileEffectKind = 'deletes' | 'overwrites' | 'creates' | 'moves' | 'changes';

/** One kind of change that a command would make, counted. Whatever lies below a folder is counted too. */
export interface FileEffect {
  readonly kind: FileEffectKind;
  /** Files, links, sockets and devices: whatever is no folder. */
  readonly files: number;
  readonly folders: number;
  /** Sizes of the files as they are now. */
  readonly bytes: number;
  /** Files that git does not know and does not ignore: nothing brings them back. Null where it is not known, or without a repository. */
  readonly untracked: number | null;
  /** Files that git ignores. */
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

/** What a command would change, by an estimate or by a dry run. With nothing in it at all, it changes nothing. */
export interface ChangeReport {
  /** One for each kind, and one more where some of it happens only maybe; deletions first. */
  readonly effects: readonly FileEffect[];
  /** Machines, services and contexts that it would talk to, each once. */
  readonly hosts: readonly string[];
  /** Parts whose effect is not known, each with what it is. Unknown is never harmless. */
  readonly unknown: readonly string[];
  /** Effects of commands that the estimate cannot count, known only from their classification. */
  readonly unexplained?: readonly CommandEffect[];
  /** What else there is to say: that a path does not exist, or where a dry run differs from a real run. */
  readonly notes: readonly string[];
  /** The estimate goes on: another report follows. */
  readonly counting?: true;
}

/** A command that changes nothing. */
export const NO_CHANGES: ChangeReport = { effects: [], hosts: [], unknown: [], notes: [] };

/** How a project was laid out for a dry run: files are copied when they are first written to, or all of them beforehand. */
export type OverlayMode = 'overlay' | 'copy';

type ChangeKind = 'created' | 'deleted' | 'changed' | 'renamed' | 'attributes' | 'repository';

/** One change that can be applied or left; a folder that comes or goes is one with all that is in it, and so is `.git`. */
export interface DryRunItem {
  /** From 1, as users choose it. */
  readonly number: number;
  readonly kind: ChangeKind;
  /** Below the project, with a slash behind a folder. */
  readonly path: string;
  /** Where a renamed one was before. */
  readonly from?: string;
  /** What there is to say beside the path: sizes, modes, counts. */
  readonly about: string;
  /** Unified diff of what is text, bounded. */
  readonly diff?: string;
  /** What to beware of: what no undo brings back, and rights that are handed out. */
  readonly warnings?: readonly string[];
  /** Why it cannot be applied. */
  readonly conflict?: string;
}

/** What a dry run came to: what it changed, as a report that an estimate has as well, and each change to choose from. */
export interface DryRunReport extends ChangeReport {
  readonly way: OverlayMode;
  readonly project: string;
  readonly record: CommandRecord;
  /** The first of them; all can be applied. */
  readonly items: readonly DryRunItem[];
  /** How many there are. */
  readonly count: number;
}

/** A path that was not applied, and why. */
interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** What came of applying a dry-run. */
export interface AppliedReport {
  /** Items that were applied whole, as their paths. */
  readonly applied: readonly string[];
  /** Items that nobody chose. */
  readonly left: readonly string[];
  /** Paths that are no more what they were. */
  readonly conflicts: readonly LeftOut[];
}
