import type { CommandRecord } from './command.ts';
import type { CommandEffect } from './tool.ts';

/** The effect on a file; `changes` covers mode, owner, times, and content edited in place. */
export type FileEffectKind = 'deletes' | 'overwrites' | 'creates' | 'moves' | 'changes';

/** One kind of change that a command would make, with counts. Everything below a folder is counted too. */
export interface FileEffect {
  readonly kind: FileEffectKind;
  /** Files, links, sockets and devices: everything except folders. */
  readonly files: number;
  readonly folders: number;
  /** Current sizes of the files. */
  readonly bytes: number;
  /** Files that git neither tracks nor ignores, so that they cannot be restored. Null if unknown, or without a repository. */
  readonly untracked: number | null;
  /** Files that git ignores. */
  readonly ignored: number | null;
  /** Tracked files whose content differs from the last commit. */
  readonly modified: number | null;
  /** Files too large for a checkpoint whose content git does not have: no undo can restore them. */
  readonly large?: number;
  /** Files in git's own folder, which also contains the checkpoints: no undo can restore them. */
  readonly repository?: number;
  /** The number of files and folders outside the project. */
  readonly outside: number;
  /** Some of the real, absolute paths, the topmost first. A named path represents everything below it. */
  readonly samples: readonly string[];
  /** The number of further paths. */
  readonly unnamed?: number;
  /** Counting stopped early: there are at least this many files and folders. */
  readonly atLeast?: true;
  /** Not every size is known: there are at least this many bytes. */
  readonly bytesAtLeast?: true;
  /** The change happens only if a condition of the line is true, or if an earlier command fails. */
  readonly maybe?: true;
}

/** The changes that a command would make, by an estimate or a dry run. An empty report means no change. */
export interface ChangeReport {
  /** One entry per kind, plus one if a part of it may not happen; deletions first. */
  readonly effects: readonly FileEffect[];
  /** Machines, services and contexts that the command would contact, without duplicates. */
  readonly hosts: readonly string[];
  /** Parts with an unknown effect, each with a description. An unknown effect never counts as harmless. */
  readonly unknown: readonly string[];
  /** Effects of commands that the estimate cannot count, known only from their classification. */
  readonly unexplained?: readonly CommandEffect[];
  /** Further notes, such as a missing path, or a difference between the dry run and a real run. */
  readonly notes: readonly string[];
  /** The estimate continues, and another report follows. */
  readonly counting?: true;
}

/** A command that changes nothing. */
export const NO_CHANGES: ChangeReport = { effects: [], hosts: [], unknown: [], notes: [] };

/** How a project is provided for a dry run: files are copied on their first write, or all in advance. */
export type OverlayMode = 'overlay' | 'copy';

type ChangeKind = 'created' | 'deleted' | 'changed' | 'renamed' | 'attributes' | 'repository';

/** One change that can be applied or skipped. A created or deleted folder is one change with its content, and so is `.git`. */
export interface DryRunItem {
  /** The number for choosing it, from 1. */
  readonly number: number;
  readonly kind: ChangeKind;
  /** Relative to the project, with a slash after a folder. */
  readonly path: string;
  /** The former path of a renamed file. */
  readonly from?: string;
  /** Details next to the path: sizes, modes, counts. */
  readonly about: string;
  /** Unified diff of text, limited in length. */
  readonly diff?: string;
  /** Warnings: changes that no undo can restore, and granted permissions. */
  readonly warnings?: readonly string[];
  /** The reason why the change cannot be applied. */
  readonly conflict?: string;
}

/** The result of a dry run: a report like that of an estimate, and the changes to choose from. */
export interface DryRunReport extends ChangeReport {
  readonly way: OverlayMode;
  readonly project: string;
  readonly record: CommandRecord;
  /** The first changes; all of them can be applied. */
  readonly items: readonly DryRunItem[];
  /** The total number of changes. */
  readonly count: number;
}

/** A path that was not applied, with the reason. */
interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** The result of applying a dry run. */
export interface AppliedReport {
  /** Paths of the completely applied changes. */
  readonly applied: readonly string[];
  /** Changes that were not chosen. */
  readonly left: readonly string[];
  /** Paths that have changed since the dry run. */
  readonly conflicts: readonly LeftOut[];
}
