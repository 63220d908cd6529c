/** A path of a line as the shell would hand it over, before the tree is looked at. */
export interface PathWord {
  /** As it was written. */
  readonly text: string;
  /** Relative to where the line stands then, or absolute; null where it is not known. */
  readonly path: string | null;
  /** It is a pattern: what is quoted in it has a backslash before it. */
  readonly pattern?: string;
  /** It stands for whatever a search finds. */
  readonly search?: Search;
  /** It stands for these words, which were handed over through a pipe. */
  readonly list?: readonly string[];
}

/** What `find` is asked. */
export interface Search {
  readonly roots: readonly PathWord[];
  /** Directory that relative roots are taken from. */
  readonly cwd: string | null;
  readonly test: Test;
  /** Number of the action whose matches are meant. */
  readonly act: number;
  readonly least: number;
  readonly most: number;
  /** What is below a folder comes before it: nothing is pruned then. */
  readonly depthFirst: boolean;
  readonly follows: boolean;
}

/** A condition of `find`; `unsure` is one that is not worked out. */
export type Test =
  | { readonly is: 'all' | 'any'; readonly of: readonly Test[] }
  | { readonly is: 'not'; readonly of: Test }
  | { readonly is: 'true' | 'false' | 'prune' | 'empty' | 'unsure' }
  | { readonly is: 'act'; readonly act: number; readonly isSure: boolean }
  | { readonly is: 'name' | 'path'; readonly pattern: string; readonly folds: boolean }
  | { readonly is: 'type'; readonly types: string }
  | { readonly is: 'size'; readonly compare: Compare; readonly unit: number }
  | { readonly is: 'age'; readonly compare: Compare; readonly unit: number; readonly time: 'mtime' | 'atime' | 'ctime' }
  | { readonly is: 'newer'; readonly than: PathWord };

/** `+5`, `-5` or `5`. */
export interface Compare {
  readonly sign: '+' | '-' | '=';
  readonly value: number;
}

/** How files are taken to a place. */
export interface Transfer {
  readonly sources: readonly PathWord[];
  readonly target: PathWord;
  /** The target is a folder for certain, as with `-t`. */
  readonly intoFolder?: boolean;
  /** The target is never a folder to put something in, as with `-T`. */
  readonly asTarget?: boolean;
  readonly recursive?: boolean;
  /** Links among the sources are read through: always, or only those that are named. */
  readonly follows?: 'all' | 'named' | 'none';
  /** What is there stays. */
  readonly careful?: boolean;
  /** Whether what is there is replaced depends on something that is not looked at. */
  readonly unsure?: boolean;
  /** A copy of what is replaced is kept beside it. */
  readonly backup?: boolean;
  /** The file is removed before it is written: a link there is not followed. */
  readonly fresh?: boolean;
  /** Folders of the source's path are made too, as with `cp --parents`. */
  readonly parents?: boolean;
  /** Folders that lead to the target are made, as with `install -D`. */
  readonly makesWay?: boolean;
  /** A slash behind a source means what is in it, and the last folder of the target is made, as with rsync. */
  readonly makesLast?: boolean;
  /** What has the same size and time is left as it is. */
  readonly quick?: boolean;
  /** Links are passed over. */
  readonly skipsLinks?: boolean;
  /** What the source does not have is deleted from the target. */
  readonly mirrors?: boolean;
}

/** A step that a line takes; they are taken in order, each on the tree that those before have left. */
export type Step =
  | { readonly do: 'enter'; readonly to: PathWord }
  | {
      readonly do: 'delete';
      readonly targets: readonly PathWord[];
      readonly recursive: boolean;
      /** Whether a folder goes: never, when it is empty, or nothing but an empty folder, as with `rmdir`. */
      readonly folders: 'never' | 'empty' | 'only-empty';
      /** The parents that become empty go too, as with `rmdir -p`. */
      readonly parents?: boolean;
      /** What is missing is no failure. */
      readonly force?: boolean;
    }
  | {
      readonly do: 'write';
      readonly targets: readonly PathWord[];
      /** `replace` the content, `add` to its end, `edit` it in place, or open it as it is. */
      readonly how: 'replace' | 'add' | 'edit';
      /** Nothing is made where nothing is. */
      readonly onlyExisting?: boolean;
      /** Nothing is opened where something is. */
      readonly onlyMissing?: boolean;
      /** The folders above it are made where they are missing. */
      readonly makesFolders?: boolean;
      /** A new file takes its place: a link there is replaced, not followed. */
      readonly replacesLink?: boolean;
      /** Written under this name where the target is a folder. */
      readonly within?: string;
      /** Written under a number where there is such a file. */
      readonly orBeside?: boolean;
      /** A copy with this ending is kept. */
      readonly backup?: string;
    }
  | {
      readonly do: 'touch';
      readonly targets: readonly PathWord[];
      readonly onlyExisting: boolean;
      readonly noFollow: boolean;
    }
  | { readonly do: 'make-folder'; readonly targets: readonly PathWord[]; readonly parents: boolean }
  | {
      readonly do: 'attributes';
      readonly targets: readonly PathWord[];
      readonly recursive: boolean;
      readonly noFollow: boolean;
      /** As it was written: what has it already is not changed. */
      readonly mode?: string;
    }
  | ({ readonly do: 'copy' } & Transfer)
  | ({ readonly do: 'move' } & Transfer)
  | ({
      readonly do: 'link';
      readonly force: boolean;
      readonly noFollow: boolean;
      readonly isSymbolic: boolean;
    } & Transfer)
  | {
      readonly do: 'pack';
      readonly targets: readonly PathWord[];
      readonly ending: string;
      readonly unpacks: boolean;
      readonly keeps: boolean;
      readonly force: boolean;
    }
  | {
      readonly do: 'unpack';
      readonly archive: PathWord;
      readonly into: PathWord | null;
      readonly how: 'tar' | 'zip';
      readonly strip: number;
      readonly careful: boolean;
      readonly all: boolean;
    }
  | { readonly do: 'git'; readonly deed: GitDeed }
  | { readonly do: 'hooks'; readonly of: string }
  | { readonly do: 'host'; readonly name: string }
  | { readonly do: 'registry'; readonly program: string }
  | { readonly do: 'remote'; readonly name: string | null; readonly isPush: boolean }
  | { readonly do: 'note'; readonly text: string }
  | { readonly do: 'unknown'; readonly reason: string };

/** What git does to the work tree. */
export type GitDeed =
  /** `clean`, with the options that say what is cleaned. */
  | {
      readonly name: 'clean';
      readonly options: readonly string[];
      readonly paths: readonly PathWord[];
      readonly isForced: boolean;
    }
  /** `reset --hard`. */
  | { readonly name: 'reset'; readonly to: string }
  /** `checkout` and `restore` of paths: from the index, or from a revision. */
  | {
      readonly name: 'restore';
      readonly from: string | null;
      readonly paths: readonly PathWord[];
      /** What is there and not at the source goes. */
      readonly deletes: boolean;
      /** The first of the paths may be a revision. */
      readonly mayBeRevision?: boolean;
    }
  /** `switch`, and `checkout` of a branch, or of a path when there is no such branch. */
  | { readonly name: 'switch'; readonly to: PathWord; readonly force: boolean; readonly orPath: boolean }
  | { readonly name: 'remove'; readonly paths: readonly PathWord[]; readonly recursive: boolean }
  | { readonly name: 'stash'; readonly untracked: 'none' | 'plain' | 'all' }
  /** What puts another side into the work tree: `merge`, `rebase`, `stash pop`, `cherry-pick` and `revert`. */
  | {
      readonly name: 'merge';
      readonly how: 'merge' | 'rebase' | 'stash' | 'pick' | 'revert';
      readonly to: string;
      /** As people call it. */
      readonly verb: string;
      /** It fails where both sides have commits of their own. */
      readonly isForwardOnly?: true;
    };

/** A step with where it is taken. */
export interface PlannedStep {
  readonly step: Step;
  /** Null once the line went somewhere that is not known. */
  readonly cwd: string | null;
  readonly isMaybe: boolean;
}

/** What a line would do, step by step. */
export interface Plan {
  readonly steps: readonly PlannedStep[];
  /** What a loop goes through, or a command is handed; planned again when it is known. */
  readonly wanted: readonly Wanted[];
}

/** What prints the words that another command is handed, where that can be looked up without running it. */
export type Source =
  | { readonly from: 'search'; readonly search: Search; readonly isZero: boolean }
  /** `ls`: names in a folder, or the paths themselves. */
  | {
      readonly from: 'list';
      readonly words: readonly PathWord[];
      readonly cwd: string;
      /** Hidden names too: all, or all but the folder and the one above it. */
      readonly hidden: 'none' | 'most' | 'all';
      /** A folder stands for itself. */
      readonly isFlat: boolean;
    }
  /** git, asked for names; the words behind `git`. */
  | { readonly from: 'git'; readonly args: readonly string[]; readonly cwd: string }
  | { readonly from: 'file'; readonly path: string };

/** Lines that are passed on, as with `grep`. */
export interface Sift {
  readonly pattern: string;
  readonly folds: boolean;
  /** Those that do not match. */
  readonly isInverted: boolean;
}

/** What must be looked up on the tree before more can be told: what a pattern matches, or what a source prints. */
export type Wanted = { readonly pattern: string; readonly cwd: string } | { readonly source: Source };

/** The key under which the answer is kept: the matches of a pattern, or a text as the only one. */
export function keyOf(wanted: Wanted): string {
  return 'source' in wanted ? JSON.stringify(wanted.source) : `${wanted.cwd}\0${wanted.pattern}`;
}

/** Where a path leads from a directory; null where that is not known. */
export function joinPath(cwd: string | null, path: string | null): string | null {
  if (path === null || path.startsWith('/')) return path;
  return cwd === null ? null : `${cwd}/${path}`;
}
