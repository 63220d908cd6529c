import type { EffectKind } from '../../protocol/tool.ts';
import { memoize } from '../text/memoize.ts';
import type { Argument, Input, WordKind } from './argument.ts';
import type { Facts } from './facts.ts';
import type { ChangeRule, FileChange } from './file-change.ts';
import { type Invocation, type OptionGrammar, readOptions } from './parse.ts';
import type { Scope } from './scope.ts';
import type { Effect, PathUse, TracedCall } from './verdict.ts';

/** One call of a program, with the services its classifier may use. */
export interface Call {
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: Input;
  readonly scope: Scope;
  /** Classifies a shell script as part of the line. */
  classifyScript(text: string, change?: Partial<Scope>): void;
  /** Classifies a command, started by another command, as part of the line. */
  classifyCommand(words: readonly Argument[], change?: Partial<Pick<Call, 'input'>>): void;
}

/** The meaning of an option or an operand: an effect, or the use of a path. */
export type Meaning = EffectKind | PathUse;

/** The parts of the repository's files that a git command prints. Option names are separated by spaces. */
export interface GitShows {
  /** The command prints names and messages, and file content only with the options in `content`. */
  readonly asked?: true;
  /** The command reads the work tree and reports changed files. */
  readonly worktree?: true;
  /** Options that print names instead of content. */
  readonly names?: string;
  /** Options that print the content of the selected files. */
  readonly content?: string;
  /** Options that print content of other files, or that have not been reviewed. */
  readonly unsure?: string;
  /** The command prints only names of files, refs and objects: always, or with one of these options. */
  readonly lists?: true | string;
  /** Options that print other text, whatever else is given. */
  readonly texts?: string;
  /** The command prints commits, with their messages unless a format omits them. */
  readonly commits?: true;
  /** Options that print content of files outside the selection. */
  readonly unheld?: string;
  /** How the operands limit the output to named files: after `--` anywhere, after commits, after one pattern, or as all operands. */
  readonly held?: 'any' | 'commits' | 'pattern' | 'operands';
  /** The operands may be files of commits, printed as a whole: always, or unless an option prints names. */
  readonly objects?: 'always' | 'default';
  /** The command prints the present state, except for commits it names; or it walks all objects. By default it prints history. */
  readonly of?: 'now' | 'objects';
}

/** Everything known about a program or one of its subcommands. */
export interface CommandSpec extends OptionGrammar, Facts {
  /** The effect of a call, whatever its words; only reading by default. */
  readonly effect?: EffectKind;
  /** The subject of `effect`, shown to the user. */
  readonly detail?: string;
  /** The places of the printed names, `.` for none; null if more than names is printed. The operands by default. */
  readonly lists?: (words: readonly string[], spec: CommandSpec) => readonly string[] | null;
  /** The place of a search, as one path for its results; null if unknown. */
  readonly searched?: (words: readonly Argument[]) => string | null;
  /** The output, for words and an input visible in the line; null if unknown. */
  readonly output?: (words: readonly string[], input: string | null) => string | null;
  /** The kind of all printed words, whatever the input is or for input words of one kind. */
  readonly yields?: (given: Invocation, read: WordKind | null) => WordKind | null;
  /** The command runs on another machine, or on the files of a container. */
  readonly elsewhere?: 'machine' | 'container';
  /** The words, the input or a named file are code that the program runs, except for some subcommands. */
  readonly interprets?: true | { readonly except: string };
  /** The use of operands; text by default. */
  readonly operands?: PathUse;
  /** The use of the last of several operands, if it differs. */
  readonly last?: PathUse;
  /** Effects of options, by option names separated by spaces. */
  readonly on?: Readonly<Record<string, Meaning>>;
  /** Specs by the first operand. A call without a listed operand is classified by `effect`, or cannot be classified. */
  readonly sub?: Readonly<Record<string, CommandSpec>>;
  /** Finds effects that data cannot express. It replaces everything but the options. */
  readonly custom?: (given: Invocation, call: Call) => readonly Effect[];
  /** Effect on the named files, exact enough to count. If it is absent or null, a call that does more than read has an unknown effect. */
  readonly changes?: ChangeRule | ((given: Invocation, call: TracedCall) => readonly FileChange[] | null);
  /** `custom` is called for subcommands too, and passes them on. */
  readonly customSub?: true;
  /** The parts of a repository's files that the program prints: their content by default. It applies to subcommands. */
  readonly gitShows?: GitShows;
  /** With fewer operands the call is a different program: an editor, a prompt. */
  readonly needs?: number;
}

/** Specs by name: `'cat tac': {…}` applies to both. */
export type SpecTable = Readonly<Record<string, CommandSpec>>;

const BLANKS = /\s+/;

/** Gives every name of the tables its own entry. */
export function spread<T>(...tables: readonly Readonly<Record<string, T>>[]): ReadonlyMap<string, T> {
  const found = new Map<string, T>();
  for (const table of tables)
    for (const [names, entry] of Object.entries(table)) for (const name of names.split(BLANKS)) found.set(name, entry);
  return found;
}

/** The spec of a subcommand. */
export function subSpec({ sub }: Pick<CommandSpec, 'sub'>, name: string): CommandSpec | undefined {
  return sub === undefined ? undefined : rowsOf(sub).get(name);
}

/** The first row of a name wins. */
const rowsOf: (table: SpecTable) => ReadonlyMap<string, CommandSpec> = memoize(
  (table) =>
    new Map(
      Object.entries(table)
        .reverse()
        .flatMap(([names, row]) => names.split(' ').map((name) => [name, row] as const)),
    ),
);

/** Sorts the words of a call; words after a subcommand belong to the subcommand. */
export function readCall(spec: CommandSpec, words: readonly Argument[]): Invocation {
  return readOptions(words, spec.sub === undefined ? spec : { ...spec, stops: true });
}

/** One row for programs that differ little: `{ 'mkswap mkfs': { prints: 'nothing' }, nvme: {} }`. */
export function variants(spec: CommandSpec, named: Readonly<Record<string, CommandSpec>>): SpecTable {
  return Object.fromEntries(Object.entries(named).map(([names, own]) => [names, { ...spec, ...own }]));
}

/** Rows of programs that differ in their options alone: `{ 'tac rev': '-brs:0 before regex separator=' }`. */
export function rows(spec: CommandSpec, named: Readonly<Record<string, string>>): SpecTable {
  return Object.fromEntries(Object.entries(named).map(([names, options]) => [names, { ...spec, options }]));
}

/** The subcommands of a program by name, with effects, operands and descriptions. Built on first use. */
export const subcommandsOf: (spec: CommandSpec) => ReadonlyMap<string, CommandSpec> = memoize(joinRows);

function joinRows({ sub = {}, takes, about }: CommandSpec): ReadonlyMap<string, CommandSpec> {
  const found = new Map(spread(sub));
  const taken = typeof takes === 'object' ? readTakes(takes) : [];
  for (const [name, own] of taken) found.set(name, { ...found.get(name), takes: own });
  const texts = typeof about === 'object' ? Object.entries(about) : [];
  for (const [name, text] of texts) found.set(name, { ...found.get(name), about: text });
  return found;
}

/** Reads `{ 'file...': 'add! log', 'name...': 'remote(add! rm!)' }` by subcommand; subcommands in parentheses stay a table. */
function readTakes(table: Readonly<Record<string, string>>): ReadonlyMap<string, string | Record<string, string>> {
  const found = new Map<string, string | Record<string, string>>();
  for (const [takes, names] of Object.entries(table)) {
    for (const [, name = '', inner, mark = ''] of names.matchAll(/([^\s()!]+)(?:\(([^)]*)\))?(!?)/g)) {
      const own = mark === '' ? takes : `${takes} !`;
      const before = found.get(name);
      found.set(name, inner === undefined ? own : { ...(typeof before === 'object' ? before : {}), [own]: inner });
    }
  }
  return found;
}

/** The operand roles of a program without subcommands: those of its spec, or files and a command if the spec says how they are used. */
export function takesOf({ takes, operands, inner }: CommandSpec): string | undefined {
  if (typeof takes === 'string') return takes;
  if (inner?.after !== undefined && inner.only === undefined) return 'command...';
  return operands === undefined || operands === 'text' || operands === 'list' ? undefined : 'file...';
}
