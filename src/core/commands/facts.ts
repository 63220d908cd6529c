import type { Descent } from './parse.ts';
import type { TextFacts } from './text-facts.ts';

/** Facts about a program that do not affect how its calls are classified. */
export interface Facts extends TextFacts {
  /**
   * The roles and number of the operands, in the syntax of `parseTakes`; files if `operands` says how they are used. For a program with
   * subcommands, a map from operands to subcommands: `{ 'file...': 'add! mv!', 'name...': 'remote(add! show)' }`, where `!` marks a
   * subcommand that changes something although no effect says so. Without a row in `sub` it is unclassified.
   */
  readonly takes?: string | Readonly<Record<string, string>>;
  /** `takes` lists the subcommands of a family of programs: this program may have others, and lack some. */
  readonly isOfKind?: true;
  /** Operands that are fixed words of the program, separated by spaces. They apply to its subcommands too. */
  readonly words?: string;
  /** The roles of option values, by option names separated by spaces; `-` stands for a value right after the dash, as in `kill -TERM`. */
  readonly values?: Readonly<Record<string, Role>>;
  /** A description for a menu, as a verb and its object; or one for each subcommand, by name. */
  readonly about?: string | Readonly<Record<string, string>>;
  /**
   * The kind of output: only an exit status, nothing, words of the line and facts, names in folders, text from other machines or users, or
   * a screen that only the user sees. The content of files by default.
   */
  readonly prints?: 'status' | 'nothing' | 'words' | 'names' | 'content' | 'untrusted' | 'screen';
  /** The operands are text, or names that the program does not open. */
  readonly opensNothing?: true;
  /** The program prints its input: as lines, or in another form. */
  readonly passesOn?: 'lines' | 'text';
  /** The program prints data from another machine, or writes it to files. */
  readonly fetches?: 'output' | 'files';
  /** The program reads folders recursively. */
  readonly descends?: Descent;
  /** The program starts commands elsewhere, after a verb or a name. Words that look like a command are classified as a command. */
  readonly startsCommands?: true;
}

/** Facts by names: `['npm pnpm', {…}]` applies to both. */
export type FactRows = Iterable<readonly [names: string, facts: Facts]>;

/**
 * The role of an operand.
 *
 * - `file` any file, `own-file` a file of the program's own type: an archive, a script, a disk; `path` a path that is never a bare word
 * - `entry` a file or a folder, `new-file` and `new-folder` a path that the program creates, `changed-file` a file that the repository
 *   reports as changed, `modified-file` a tracked file that is changed
 * - `command` another command with all its words, `command-name` and `page` only its name
 * - `pattern` a text to search for, `program` a script in the program's own language, `expression` and `arithmetic` an expression of the
 *   shell
 * - `target` a target that the project defines, `setting` a word with `=`, `word` one of the program's `words`, `name` any other name
 */
const ROLES = [
  ...['file', 'own-file', 'path', 'entry', 'folder', 'new-file', 'new-folder'],
  ...['changed-file', 'modified-file', 'remote-path'],
  ...['host', 'url', 'user', 'group', 'owner', 'mode', 'variable', 'alias', 'function', 'service', 'container'],
  ...['process', 'process-name', 'signal', 'job', 'number', 'branch', 'tag', 'ref', 'remote', 'package', 'target'],
  ...['command', 'command-name', 'page', 'pattern', 'program', 'text', 'expression', 'arithmetic'],
  ...['setting', 'word', 'name'],
] as const;

/** The role of an operand: one of `ROLES`. */
export type Role = (typeof ROLES)[number];

/** One operand position, or several positions of the same kind. */
export interface Slot {
  /** The roles allowed at this position. */
  readonly roles: readonly Role[];
  readonly min: number;
  readonly max: number;
}

/** The operands of a call, in order. */
interface Takes {
  readonly slots: readonly Slot[];
  /** The call changes something although no effect of the spec says so. */
  readonly changes: boolean;
}

const SLOT = /^([a-z-]+(?:\|[a-z-]+)*)(\?|\.\.\.|\{(\d+),(\d*)\})?$/;

/**
 * Parses operand roles: roles separated by spaces, `|` between alternatives, then `?` for at most one, `...` for any number, `{2,9}` and
 * `{1,}` for a range. `none` means no operands; a final `!` marks a call that changes something.
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

/** The slot of an operand by its index; undefined after the last slot. */
export function slotAt({ slots }: Takes, index: number): Slot | undefined {
  let end = 0;
  return slots.find(({ max }) => {
    end += max;
    return index < end;
  });
}
