import type { CommandEffect } from '../../protocol/tool.ts';
import { type Argument, literal } from './argument.ts';
import { type Invocation, means } from './parse.ts';

/** What a call does to the files that its words name, so that the impact preview can count it on the tree. */
export type FileChange = {
  /** It may happen, or not. */
  readonly isMaybe?: boolean;
  /** Directory, where that is not the one that the line stands in; null where it is not known. */
  readonly cwd?: string | null;
  /** What the words stand for that are found. */
  readonly found?: Search;
} & (
  | {
      readonly do: 'delete';
      readonly targets: readonly Argument[];
      readonly recursive: boolean;
      /** Whether a folder goes: never, when it is empty, or nothing but an empty folder, as with `rmdir`. */
      readonly folders: 'never' | 'empty' | 'only-empty';
      /** The parents that become empty go too, as with `rmdir -p`. */
      readonly parents: boolean;
      /** What is missing is no failure. */
      readonly force: boolean;
    }
  | {
      readonly do: 'write';
      readonly targets: readonly Argument[];
      /** `replace` the content, `add` to its end, or `edit` it in place. */
      readonly how: 'replace' | 'add' | 'edit';
      /** Nothing is made where nothing is. */
      readonly onlyExisting?: boolean;
      /** The folders above it are made where they are missing. */
      readonly makesFolders?: boolean;
    }
  | {
      readonly do: 'touch';
      readonly targets: readonly Argument[];
      readonly onlyExisting: boolean;
      readonly noFollow: boolean;
    }
  | { readonly do: 'make-folder'; readonly targets: readonly Argument[]; readonly parents: boolean }
  | ({ readonly do: 'copy' | 'move' } & Transfer)
  | ({ readonly do: 'link'; readonly force: boolean; readonly noFollow: boolean; readonly isSymbolic: boolean } & Transfer)
  /**
   * What it finds stands for what the commands that it starts are given, and for
   * the names that it prints: each on a line, or behind a null.
   */
  | { readonly do: 'search'; readonly found: Search; readonly prints: 'lines' | 'nulls' | null }
  /** The command that it starts is given the names that it reads through a pipe. */
  | { readonly do: 'read-names'; readonly parted: 'blanks' | 'nulls' }
  | ({ readonly do: 'git' } & GitChange)
  /** It talks to the machine that a remote of the repository names. */
  | { readonly do: 'remote'; readonly name: string | null; readonly isPush: boolean }
  | { readonly do: 'host'; readonly name: string }
  /** Something besides the files of the user that is known; `inGit`: it changes the index or the branches. */
  | { readonly do: 'note'; readonly text: string; readonly inGit?: true }
  | { readonly do: 'unknown'; readonly what: string }
  /** What only the classification of the command tells. */
  | { readonly do: 'unexplained'; readonly effect: CommandEffect }
);

/** A change of one kind. */
export type ChangeOf<T extends FileChange['do']> = Extract<FileChange, { readonly do: T }>;

/** How files are taken to a place. */
export interface Transfer {
  readonly sources: readonly Argument[];
  readonly target: Argument;
  /** The target is a folder for certain, as with `-t`. */
  readonly intoFolder: boolean;
  /** The target is never a folder to put something in, as with `-T`. */
  readonly asTarget: boolean;
  readonly recursive: boolean;
  /** Links among the sources are read through: always, or only those that are named. */
  readonly follows: 'all' | 'named' | 'none';
  /** What is there stays. */
  readonly keepsExisting: boolean;
}

/** What git does to the work tree, as git itself can be asked beforehand. */
export type GitChange =
  /** `clean`, with the options that say what is cleaned. */
  | {
      readonly verb: 'clean';
      readonly options: readonly string[];
      readonly paths: readonly Argument[];
      readonly isForced: boolean;
    }
  /** The work tree becomes what a revision is. */
  | { readonly verb: 'reset'; readonly to: string }
  /** Paths from the index, or from a revision. */
  | {
      readonly verb: 'restore';
      readonly from: string | null;
      readonly paths: readonly Argument[];
      /** What is there and not at the source goes. */
      readonly deletes: boolean;
      /** The first of the paths may be a revision. */
      readonly mayBeRevision: boolean;
    }
  /** Another branch, or a path when there is no such branch. */
  | { readonly verb: 'switch'; readonly to: Argument; readonly orPath: boolean };

/** What an option means for the files. `plain` is one that changes nothing of that. */
type OptionRole =
  | 'plain'
  | 'recursive'
  | 'force'
  | 'keeps-existing'
  | 'maybe'
  | 'into-folder'
  | 'as-target'
  | 'empty-folders'
  | 'parents'
  | 'only-existing'
  | 'no-follow'
  | 'follow-all'
  | 'follow-named'
  | 'follow-none'
  | 'symbolic'
  | 'append'
  | 'target';

/**
 * What a program does to the files that its operands name, as data. An option with no role makes the effect unknown, so a row
 * names the options that change nothing of it too.
 */
export interface ChangeRule {
  readonly do: 'delete' | 'delete-empty' | 'write' | 'touch' | 'make-folder' | 'copy' | 'move' | 'link' | 'print';
  /** Roles of options, by their names separated by blanks. */
  readonly by: Readonly<Record<string, OptionRole | readonly OptionRole[]>>;
}

/** What a call does by the rule of its program. */
export function changesByRule(rule: ChangeRule, given: Invocation, name: string): readonly FileChange[] {
  const roles: OptionRole[] = [];
  let follows: Transfer['follows'] | null = null;
  const named: Argument[] = [];
  for (const option of given.options) {
    const found = rolesOf(rule, option.name);
    if (found === undefined) return [unknownOption(option.name, name)];
    roles.push(...found);
    for (const role of found) {
      follows = FOLLOWS[role] ?? follows;
      if ((role === 'into-folder' || role === 'target') && option.value !== null) named.push(option.value);
    }
  }
  const [strange] = given.strange;
  if (strange !== undefined) return [{ do: 'unknown', what: `${name} with the option ${strange}` }];
  const change = build(rule.do, given.operands, { has: (role) => roles.includes(role), named, follows });
  const isMaybe = roles.includes('maybe');
  return change === null ? [] : [isMaybe ? { ...change, isMaybe } : change];
}

const FOLLOWS: Readonly<Partial<Record<OptionRole, Transfer['follows']>>> = {
  'follow-all': 'all',
  'follow-named': 'named',
  'follow-none': 'none',
};

function rolesOf({ by }: ChangeRule, given: string): readonly OptionRole[] | undefined {
  const rows = Object.entries(by);
  const row =
    rows.find(([names]) => names.split(' ').includes(given)) ?? rows.find(([names]) => names.split(' ').some((name) => means(given, name)));
  return row === undefined ? undefined : typeof row[1] === 'string' ? [row[1]] : row[1];
}

function unknownOption(option: string, name: string): FileChange {
  return { do: 'unknown', what: `${name} with the option ${option.length === 1 ? '-' : '--'}${option}` };
}

interface Options {
  has(role: OptionRole): boolean;
  /** Values of options that name a file or a folder. */
  readonly named: readonly Argument[];
  readonly follows: Transfer['follows'] | null;
}

function build(kind: ChangeRule['do'], operands: readonly Argument[], options: Options): FileChange | null {
  const { has, named } = options;
  const targets = operands;
  switch (kind) {
    case 'delete':
    case 'delete-empty': {
      const recursive = has('recursive');
      const folders = recursive || has('empty-folders') ? 'empty' : 'never';
      const force = has('force');
      const parents = has('parents');
      return { do: 'delete', targets, recursive, folders: kind === 'delete' ? folders : 'only-empty', parents, force };
    }
    case 'write':
      return { do: 'write', targets, how: has('append') ? 'add' : 'replace', onlyExisting: has('only-existing') };
    case 'print':
      return named.length === 0 ? null : { do: 'write', targets: named, how: 'replace' };
    case 'touch':
      return { do: 'touch', targets, onlyExisting: has('only-existing'), noFollow: has('no-follow') };
    case 'make-folder':
      return { do: 'make-folder', targets, parents: has('parents') };
    case 'copy':
    case 'move': {
      const transfer = transferOf(operands, options);
      return transfer === null ? null : { do: kind, ...transfer };
    }
    case 'link': {
      const transfer = transferOf(operands, options, true);
      if (transfer === null) return null;
      const [force, noFollow, isSymbolic] = [has('force'), has('no-follow'), has('symbolic')];
      return { do: 'link', ...transfer, force, noFollow, isSymbolic };
    }
  }
}

/** A link is made in the directory that the line stands in, where nothing else is named. */
function transferOf(operands: readonly Argument[], { has, named, follows }: Options, isLink = false): Transfer | null {
  const [folder = isLink && operands.length === 1 ? literal('.') : undefined] = named;
  const target = folder ?? operands.at(-1);
  if (target === undefined) return null;
  const recursive = has('recursive');
  return {
    sources: folder === undefined ? operands.slice(0, -1) : operands,
    target,
    intoFolder: folder !== undefined,
    asTarget: has('as-target'),
    recursive,
    follows: follows ?? (recursive ? 'none' : 'all'),
    keepsExisting: has('keeps-existing'),
  };
}

/** What `find` is asked for, as an expression that can be evaluated on a tree. */
export interface Search {
  readonly roots: readonly Argument[];
  readonly test: Test;
  /** Number of the action whose matches are meant; 0 stands for what is printed. */
  readonly act: number;
  readonly least: number;
  readonly most: number;
  /** What is below a folder comes before it: nothing is pruned then. */
  readonly depthFirst: boolean;
  readonly followsLinks: boolean;
  /** Names with blanks or quotes in them are read as other names. */
  readonly isParted?: boolean;
}

/** A condition of `find`; `unsure` is one that is not evaluated. */
export type Test =
  | { readonly is: 'all' | 'any'; readonly of: readonly Test[] }
  | { readonly is: 'not'; readonly of: Test }
  | { readonly is: 'true' | 'false' | 'prune' | 'empty' | 'unsure' }
  | { readonly is: 'act'; readonly act: number; readonly isSure: boolean }
  | { readonly is: 'name' | 'path'; readonly pattern: string; readonly folds: boolean }
  | { readonly is: 'type'; readonly types: string }
  | { readonly is: 'size'; readonly compare: Compare; readonly unit: number }
  | { readonly is: 'age'; readonly compare: Compare; readonly unit: number; readonly time: 'mtime' | 'atime' | 'ctime' }
  | { readonly is: 'newer'; readonly than: Argument };

/** `+5`, `-5` or `5`. */
export interface Compare {
  readonly sign: '+' | '-' | '=';
  readonly value: number;
}
