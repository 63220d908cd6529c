import type { Descent } from './parse.ts';
import text from './program-facts.txt' with { type: 'text' };

/** What is known of a program, and says nothing of the effects of a call. */
export interface Facts extends TextFacts {
  /**
   * What the operands name, and how many there are, as `parseTakes` reads it; files where `operands` says what is done with them. For a
   * program with subcommands by what they take: `{ 'file...': 'add! mv!', 'name...': 'remote(add! show)' }`, where `!` marks what changes
   * something though no effect says so. `sub` needs no row for these; what has none is unknown to who classifies.
   */
  readonly takes?: string | Readonly<Record<string, string>>;
  /** `takes` has the subcommands of all programs of its kind: it may have others, and lack some of these. */
  readonly isOfKind?: true;
  /** Words of the program's own manual that are operands, between blanks. They hold for its subcommands, too. */
  readonly words?: string;
  /** What the values of options name, by the options' names between blanks; `-` for what stands behind the dash itself: `kill -TERM`. */
  readonly values?: Readonly<Record<string, Role>>;
  /** What it does, as a verb and its object, for a menu; or what its subcommands do, by name. */
  readonly about?: string | Readonly<Record<string, string>>;
  /**
   * What it prints of what it is given: nothing but its exit status, nothing, words of the line and facts, names of what lies in places,
   * what programs and users elsewhere say, or what its user alone sees on the screen; the content of files unless given.
   */
  readonly prints?: 'status' | 'nothing' | 'words' | 'names' | 'content' | 'untrusted' | 'screen';
  /** Its operands are texts, or names of what it does not open. */
  readonly opensNothing?: true;
  /** It prints what it reads: lines, or the same in another form. */
  readonly passesOn?: 'lines' | 'text';
  /** It prints what another machine sends, or makes files of that. */
  readonly fetches?: 'output' | 'files';
  /** It reads what lies below folders. */
  readonly descends?: Descent;
  /** It starts commands in other surroundings, behind a verb or a name: words that look like a command are classified as one. */
  readonly startsCommands?: true;
}

/** Facts by name: `'npm pnpm': {…}` holds for both. */
export type FactTable = Readonly<Record<string, Facts>>;

/** Adds facts to what is known of programs, by name. */
export function joinFacts<T extends Facts>(known: ReadonlyMap<string, T>, tables: readonly FactTable[]): ReadonlyMap<string, T | Facts> {
  const found = new Map<string, T | Facts>(known);
  for (const [names, facts] of tables.flatMap(Object.entries<Facts>))
    for (const name of names.split(/\s+/)) found.set(name, { ...found.get(name), ...facts });
  return found;
}

type TextFact =
  | 'beyond'
  | 'packages'
  | 'next'
  | 'nextOf'
  | 'looksUp'
  | 'isExact'
  | 'isClient'
  | 'beyondOf'
  | 'addresses'
  | 'messages'
  | 'usual'
  | 'plain'
  | 'plainWord'
  | 'shows'
  | 'helps'
  | 'asks'
  | 'endless'
  | 'hoards'
  | 'ends'
  | 'pauses'
  | 'display'
  | 'setsUp'
  | 'fillsFetched'
  | 'fillsKept'
  | 'unpacks'
  | 'destroys'
  | 'filters'
  | 'password'
  | 'passwordPair'
  | 'passwordLast'
  | 'readsPassword'
  | 'signsIn'
  | 'takesSecrets'
  | 'printsVariables'
  | 'namesVariables'
  | 'listsVariables'
  | 'searchesPath'
  | 'numbersStack'
  | 'printsWords'
  | 'setsVariables';

/** What the text says of a program, by its headings; an empty text is a mere yes. */
export type TextFacts = Readonly<Partial<Record<TextFact, string>>>;

const SOURCE = { text };

/** What the text says of programs, by name. No spec is loaded for it, and the text is read when it is first needed. */
export function textFacts(): ReadonlyMap<string, TextFacts> {
  return readFacts(SOURCE);
}

const readFacts = memoize((source: typeof SOURCE): ReadonlyMap<string, TextFacts> => {
  const found = new Map<string, TextFacts>();
  const plain = source.text.replace(/^#.*\n/gm, '').replace(/\n +/g, ' ');
  for (const [, fact = '', rows = ''] of plain.matchAll(/^\[(\w+)\]\n((?:.+\n)+)/gm))
    for (const [, names = '', value = ''] of rows.matchAll(/^(.+?)(?:: (.+))?$/gm))
      for (const name of names.split(' ')) found.set(name, { ...found.get(name), [fact]: value });
  return found;
});

/**
 * What an operand names.
 *
 * - `file` any file, `own-file` one of the kind that the program reads: an archive, a script, a disk; `path` one that is never a bare word
 * - `entry` a file or a folder, `new-file` and `new-folder` what the program makes, `changed-file` what a repository
 *   sees as changed, `modified-file` only what it had before
 * - `command` another command with all its words, `command-name` and `page` only its name
 * - `pattern` a text to look for, `program` one in the program's own language, `expression` and `arithmetic` what the shell computes
 * - `target` what the project defines, `setting` a word with `=`, `word` one of the program's `words`, `name` any other name
 */
const ROLES = [
  ...['file', 'own-file', 'path', 'entry', 'folder', 'new-file', 'new-folder'],
  ...['changed-file', 'modified-file', 'remote-path'],
  ...['host', 'url', 'user', 'group', 'owner', 'mode', 'variable', 'alias', 'function', 'service', 'container'],
  ...['process', 'process-name', 'signal', 'job', 'number', 'branch', 'tag', 'ref', 'remote', 'package', 'target'],
  ...['command', 'command-name', 'page', 'pattern', 'program', 'text', 'expression', 'arithmetic'],
  ...['setting', 'word', 'name'],
] as const;

/** What an operand names: one of `ROLES`. */
export type Role = (typeof ROLES)[number];

/** The place of one operand, or of several of the same kind. */
export interface Slot {
  /** What may stand here: one of these. */
  readonly roles: readonly Role[];
  readonly min: number;
  readonly max: number;
}

/** What the operands of a call name, in their order. */
interface Takes {
  readonly slots: readonly Slot[];
  /** The call changes something, where no effect of the spec says so. */
  readonly changes: boolean;
}

const SLOT = /^([a-z-]+(?:\|[a-z-]+)*)(\?|\.\.\.|\{(\d+),(\d*)\})?$/;

/**
 * Reads what operands name: roles between blanks, `|` between two that may stand at the same place, behind a role `?` for at most one,
 * `...` for any number, `{2,9}` and `{1,}` for so many. `none` for no operands; a `!` at the end marks a call that changes something.
 */
export function parseTakes(text: string): Takes {
  const words = text.split(' ');
  const changes = words.at(-1) === '!';
  if (changes) words.pop();
  return { slots: words[0] === 'none' ? [] : words.map(parseSlot), changes };
}

function parseSlot(word: string): Slot {
  const [, roles = '', count = '', least, most] = SLOT.exec(word) ?? [];
  const known = roles.split('|').flatMap((role) => ROLES.find((one) => one === role) ?? []);
  if (known.length === 0) throw new Error(`no role of an operand: ${word}`);
  if (count === '...') return { roles: known, min: 0, max: Number.POSITIVE_INFINITY };
  return { roles: known, min: Number(least ?? (count === '?' ? 0 : 1)), max: most === '' ? Number.POSITIVE_INFINITY : Number(most ?? 1) };
}

/** The place that an operand has by its number; undefined behind the last one. */
export function slotAt({ slots }: Takes, index: number): Slot | undefined {
  let end = 0;
  return slots.find(({ max }) => {
    end += max;
    return index < end;
  });
}

/** The same function, which works out its answer for an object only once: it must depend on nothing but that object. */
export function memoize<T extends object, R>(find: (key: T) => R): (key: T) => R {
  const known = new WeakMap<T, { readonly answer: R }>();
  return (key) => {
    const found = known.get(key) ?? { answer: find(key) };
    known.set(key, found);
    return found.answer;
  };
}
