import type { CommandEffect } from '../../protocol/tool.ts';
import { type Argument, literal } from './argument.ts';
import { type Invocation, means } from './parse.ts';

/** The effect of a call on the files that its words name. The impact preview evaluates it on the file tree. */
export type FileChange = {
  /** The change may not happen. */
  readonly isMaybe?: boolean;
  /** Working directory, if it differs from the line's; null if unknown. */
  readonly cwd?: string | null;
  /** The search whose results these words represent. */
  readonly found?: Search;
} & (
  | {
      readonly do: 'delete';
      readonly targets: readonly Argument[];
      readonly recursive: boolean;
      /** Whether folders are deleted: never, if empty, or only an empty folder, as with `rmdir`. */
      readonly folders: 'never' | 'empty' | 'only-empty';
      /** Parents that become empty are deleted too, as with `rmdir -p`. */
      readonly parents: boolean;
      /** A missing file is no failure. */
      readonly force: boolean;
    }
  | {
      readonly do: 'write';
      readonly targets: readonly Argument[];
      /** Whether the call replaces the content, appends to it, or edits it in place. */
      readonly how: 'replace' | 'add' | 'edit';
      /** Missing files are not created. */
      readonly onlyExisting?: boolean;
      /** Missing parent folders are created. */
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
  /** The results become the arguments of the commands that the search starts, and are printed: one per line, or separated by null bytes. */
  | { readonly do: 'search'; readonly found: Search; readonly prints: 'lines' | 'nulls' | null }
  /** The started command receives the names that this call reads from a pipe. */
  | { readonly do: 'read-names'; readonly parted: 'blanks' | 'nulls' }
  | ({ readonly do: 'git' } & GitChange)
  /** The call contacts the machine of a git remote. */
  | { readonly do: 'remote'; readonly name: string | null; readonly isPush: boolean }
  | { readonly do: 'host'; readonly name: string }
  /** A known effect besides changes to the user's files; `inGit`: it changes the index or the branches. */
  | { readonly do: 'note'; readonly text: string; readonly inGit?: true }
  | { readonly do: 'unknown'; readonly what: string }
  /** An effect that only the classification knows. */
  | { readonly do: 'unexplained'; readonly effect: CommandEffect }
);

/** A change of one kind. */
export type ChangeOf<T extends FileChange['do']> = Extract<FileChange, { readonly do: T }>;

/** A copy or move of files to a target. */
export interface Transfer {
  readonly sources: readonly Argument[];
  readonly target: Argument;
  /** The target is certainly a folder, as with `-t`. */
  readonly intoFolder: boolean;
  /** The target is never treated as a folder to put files into, as with `-T`. */
  readonly asTarget: boolean;
  readonly recursive: boolean;
  /** Which source links are followed: all, only those named, or none. */
  readonly follows: 'all' | 'named' | 'none';
  /** Existing files are kept. */
  readonly keepsExisting: boolean;
}

/** A change of the work tree that git itself can preview. */
export type GitChange =
  /** `clean`, with the options that select the files. */
  | {
      readonly verb: 'clean';
      readonly options: readonly string[];
      readonly paths: readonly Argument[];
      readonly isForced: boolean;
    }
  /** The work tree is set to a revision. */
  | { readonly verb: 'reset'; readonly to: string }
  /** Paths restored from the index, or from a revision. */
  | {
      readonly verb: 'restore';
      readonly from: string | null;
      readonly paths: readonly Argument[];
      /** Files missing at the source are deleted. */
      readonly deletes: boolean;
      /** The first path may be a revision. */
      readonly mayBeRevision: boolean;
    }
  /** Another branch, or a path if there is no such branch. */
  | { readonly verb: 'switch'; readonly to: Argument; readonly orPath: boolean };

/** The meaning of an option for the files; `plain` changes nothing. */
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

/** The effect of a program on the files that its operands name. An option without a role makes the effect unknown. */
export interface ChangeRule {
  readonly do: 'delete' | 'delete-empty' | 'write' | 'touch' | 'make-folder' | 'copy' | 'move' | 'link' | 'print';
  /** Roles of options, by option names separated by spaces. */
  readonly by: Readonly<Record<string, OptionRole | readonly OptionRole[]>>;
}

/** The changes of a call by the rule of its program. */
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
  /** Option values that name a file or a folder. */
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

/** A link is created in the working directory if no other target is named. */
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

/** A search by `find` for what one of its actions gets, as words that only search. */
export interface Search {
  /** Options before the start folders. */
  readonly options: readonly Argument[];
  readonly roots: readonly Argument[];
  /** The conditions; null stands for the action. */
  readonly conditions: readonly (Argument | null)[];
  /** Names with spaces or quotes are split into other names. */
  readonly isParted?: boolean;
}
