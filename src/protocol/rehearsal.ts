import type { CommandRecord } from './command.ts';

/** How a project was laid out for a rehearsal: files are copied when they are first written to, or all of them beforehand. */
export type RehearsalWay = 'overlay' | 'copy';

/** What a rehearsed command would do to a path. */
export type ChangeKind = 'created' | 'deleted' | 'changed' | 'renamed' | 'attributes' | 'repository';

/** One change that can be applied or left; a folder that comes or goes is one with all that is in it, and so is `.git`. */
export interface RehearsedItem {
  /** From 1, as people choose it. */
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

/** What a rehearsal came to. */
export interface RehearsalReport {
  readonly way: RehearsalWay;
  readonly project: string;
  readonly record: CommandRecord;
  /** The first of them; all can be applied. */
  readonly items: readonly RehearsedItem[];
  /** How many there are. */
  readonly count: number;
  /** Places outside the project that it tried to write to, as far as it said so. */
  readonly outside: readonly string[];
  /** Where a real run would have gone otherwise. */
  readonly differences: readonly string[];
}

/** A path that was not applied, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: string;
}

/** What came of applying a rehearsal. */
export interface AppliedReport {
  /** Items that were applied whole, as their paths. */
  readonly applied: readonly string[];
  /** Items that nobody chose. */
  readonly left: readonly string[];
  /** Paths that are no more what they were. */
  readonly conflicts: readonly LeftOut[];
}
