import type { EffectKind } from '../../protocol/tool.ts';
import type { Argument, Input, WordKind } from './argument.ts';
import { type Facts, memoize } from './facts.ts';
import type { ChangeRule, FileChange } from './file-change.ts';
import { type Invocation, type OptionGrammar, readOptions } from './parse.ts';
import type { Scope } from './scope.ts';
import type { Effect, PathUse, TracedCall } from './verdict.ts';

/** One call of a program, with what its classify may ask for. */
export interface Call {
  readonly name: string;
  readonly words: readonly Argument[];
  readonly input: Input;
  readonly scope: Scope;
  /** Classifies a script that a shell is given, as part of the line. */
  classifyScript(text: string, change?: Partial<Scope>): void;
  /** Classifies a command that another one starts, as part of the line. */
  classifyCommand(words: readonly Argument[], change?: Partial<Pick<Call, 'input'>>): void;
}

/** What an option or an operand means: something the program does, or a path it uses. */
export type Meaning = EffectKind | PathUse;

/** What a command of git prints of the files that its repository holds. Options are named between blanks. */
export interface GitShows {
  /** It prints names and messages, and what is in files only by the options of `content`. */
  readonly asked?: true;
  /** It looks at the work tree, and tells which files changed there. */
  readonly worktree?: true;
  /** Options by which it prints names in place of content. */
  readonly names?: string;
  /** Options by which it prints content, of the files that it is held to. */
  readonly content?: string;
  /** Options by which it prints more than of the files that it is held to, or what has not been looked into. */
  readonly unsure?: string;
  /** It prints nothing but names, of files, refs and objects: always, or with one of these options. */
  readonly lists?: true | string;
  /** Options by which it prints other texts, whatever else is given. */
  readonly texts?: string;
  /** It prints commits, and so their messages unless a format leaves these out. */
  readonly commits?: true;
  /** Options by which no path holds it where it prints content. */
  readonly unheld?: string;
  /**
   * Holds it to the files that it names: behind two dashes after whatever else, after names of commits or after one pattern; or by all
   * of its operands.
   */
  readonly held?: 'any' | 'commits' | 'pattern' | 'operands';
  /** Its operands may be files of commits, which it prints whole: always, or where no option makes it print names. */
  readonly objects?: 'always' | 'default';
  /** What it prints is that of now, but for commits that it names; or it goes through all objects. Else it is of the history. */
  readonly of?: 'now' | 'objects';
}

/** What is known of a program or of one of its subcommands. */
export interface CommandSpec extends OptionGrammar, Facts {
  /** What a call does whatever its words; nothing more than to read unless given. */
  readonly effect?: EffectKind;
  /** What `effect` is about, for the user. */
  readonly detail?: string;
  /** Where the names come from that it prints, `.` for none; null where it prints more than names. Its operands unless given. */
  readonly lists?: (words: readonly string[], spec: CommandSpec) => readonly string[] | null;
  /** Where it searches, as one path for what it finds; null where that is not known. */
  readonly searched?: (words: readonly Argument[]) => string | null;
  /** What it prints, for words and an input that the line shows; null where that is not known. */
  readonly output?: (words: readonly string[], input: string | null) => string | null;
  /** Of what kind all words are that a call prints, whatever it reads, or for the kind of those that it reads. */
  readonly yields?: (given: Invocation, read: WordKind | null) => WordKind | null;
  /** The command runs on another machine, or among the files of a container. */
  readonly elsewhere?: 'machine' | 'container';
  /** Its words, its input or a file that they name are code that it runs, but for some of its subcommands. */
  readonly interprets?: true | { readonly except: string };
  /** What happens to operands; text unless given. */
  readonly operands?: PathUse;
  /** What happens to the last of several operands, where it differs. */
  readonly last?: PathUse;
  /** What options do, by their names separated by blanks. */
  readonly on?: Readonly<Record<string, Meaning>>;
  /** Rules by the first operand; a call that names none of them is classified by `effect`, or cannot be classified. */
  readonly sub?: Readonly<Record<string, CommandSpec>>;
  /** Finds the effects that data cannot express; called in place of everything but the options. */
  readonly custom?: (given: Invocation, call: Call) => readonly Effect[];
  /**
   * What a call does to the files that it names, exactly enough to be counted: the impact preview reads it. Without
   * it, or where the answer is null, the effect on files of a call that does more than read is unknown.
   */
  readonly changes?: ChangeRule | ((given: Invocation, call: TracedCall) => readonly FileChange[] | null);
  /** `custom` is called for subcommands as well, and hands them on. */
  readonly customSub?: true;
  /** What it prints of the files that a repository holds, if anything: their content, unless this says less. Holds for its subcommands. */
  readonly gitShows?: GitShows;
  /** Fewer operands than this make it another program: an editor, a prompt. */
  readonly needs?: number;
}

/** Specs by name: `'cat tac': {…}` holds for both. */
export type SpecTable = Readonly<Record<string, CommandSpec>>;

/** Gives every name of a table its own entry. */
export function spread<T>(table: Readonly<Record<string, T>>): ReadonlyMap<string, T> {
  return new Map(Object.entries(table).flatMap(([names, entry]) => names.split(/\s+/).map((name) => [name, entry] as const)));
}

/** The rules for a subcommand, by its name. */
export function subSpec({ sub }: Pick<CommandSpec, 'sub'>, name: string): CommandSpec | undefined {
  return sub === undefined ? undefined : rowsOf(sub).get(name);
}

/** The first row of a name counts. */
const rowsOf: (table: SpecTable) => ReadonlyMap<string, CommandSpec> = memoize(
  (table) =>
    new Map(
      Object.entries(table)
        .reverse()
        .flatMap(([names, row]) => names.split(' ').map((name) => [name, row] as const)),
    ),
);

/** Sorts the words of a call; those behind a subcommand belong to that. */
export function readCall(spec: CommandSpec, words: readonly Argument[]): Invocation {
  return readOptions(words, spec.sub === undefined ? spec : { ...spec, stops: true });
}

/** One row for programs that do the same, and differ in little else: `{ 'mkswap mkfs': { prints: 'nothing' }, nvme: {} }`. */
export function variants(spec: CommandSpec, named: Readonly<Record<string, CommandSpec>>): SpecTable {
  return Object.fromEntries(Object.entries(named).map(([names, own]) => [names, { ...spec, ...own }]));
}

/** The subcommands of a program by name: what they do, what they take and what they are for. Made when first asked for. */
export const subcommandsOf: (spec: CommandSpec) => ReadonlyMap<string, CommandSpec> = memoize(joinRows);

function joinRows({ sub = {}, takes, about }: CommandSpec): ReadonlyMap<string, CommandSpec> {
  const rows = new Map(spread(sub));
  const taken = typeof takes === 'object' ? readTakes(takes) : [];
  for (const [name, own] of taken) rows.set(name, { ...rows.get(name), takes: own });
  const texts = typeof about === 'object' ? Object.entries(about) : [];
  for (const [name, text] of texts) rows.set(name, { ...rows.get(name), about: text });
  return rows;
}

/** `{ 'file...': 'add! log', 'name...': 'remote(add! rm!)' }` by the names of the subcommands; those in parentheses stay a table. */
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

/**
 * What the operands of a program without subcommands name: what its spec says, or files and a command where it says what is done with them.
 */
export function takesOf({ takes, operands, inner }: CommandSpec): string | undefined {
  if (typeof takes === 'string') return takes;
  if (inner?.after !== undefined && inner.only === undefined) return 'command...';
  return operands === undefined || operands === 'text' || operands === 'list' ? undefined : 'file...';
}
