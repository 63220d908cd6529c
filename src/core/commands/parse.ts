import type { Argument } from './argument.ts';

/** The position of the command that a program runs for its caller, after the program's own options. */
export interface InnerCommand {
  /** Number of operands before the command; without it, no operand is the command. */
  readonly after?: number;
  /** Words NAME=VALUE before the command set variables for it, as with `env`. */
  readonly assignments?: true;
  /** Options whose value is a shell script, separated by spaces. */
  readonly scripts?: string;
  /** A shell reads the words: joined to one script, a single word alone, or each word as a script. */
  readonly script?: 'joined' | 'alone' | 'each';
  /** The operands are a command only with one of these options, separated by spaces. */
  readonly only?: string;
  /** A word with this beginning ends the command, as `:::` does with `parallel`. */
  readonly until?: string;
  /** With one of these options no command is run, as with `command -v`. */
  readonly unless?: string;
  /** The program's input becomes words of the command. */
  readonly feeds?: true;
  /** False if a rule for the command must not cover the call: the command runs more than once, or replaces the shell. */
  readonly isPlain?: false;
}

/** The known options of a program. */
export interface OptionGrammar {
  /**
   * Letters in getopt syntax behind a dash, then names: `-ab:c:: all file= color? bind==` for `-a`, `-b VALUE`, `-c[VALUE]`, `--all`,
   * `--file=VALUE`, `--color[=VALUE]` and `--bind VALUE VALUE`.
   */
  readonly options?: string;
  /** No option of the program writes, starts or sends anything, so unnamed options are ignored. */
  readonly any?: boolean;
  /** All named options only read: an unknown word is ignored, and an unnamed option needs an approval. */
  readonly lenient?: boolean;
  /** `-5` is an option. */
  readonly digits?: boolean;
  /** Long options have one dash, as with `find` and `terraform`. */
  readonly single?: boolean;
  /** All words after the first operand are operands. A program that runs a command stops at that command anyway. */
  readonly stops?: boolean;
  /** The command that the program runs for its caller: the program's own options end there. */
  readonly inner?: InnerCommand;
}

/** A given option, by its name without dashes. */
interface GivenOption {
  readonly name: string;
  readonly value: Argument | null;
  /** The option shares its word with other letters. */
  readonly isBundled?: boolean;
}

/** The parsed words of a call. */
export interface Invocation {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Argument[];
  /** Options unknown to the grammar, as they were typed. */
  readonly strange: readonly string[];
  /** Words that may or may not be options. */
  readonly opaque: readonly string[];
  /** Words read as option values. In a version of the program whose option takes no value they would be options. */
  readonly doubtful?: readonly GivenOption[];
  /** Number of operands after `--`; absent without it. */
  readonly dashed?: number;
}

/** Whether one of the options was given. A unique beginning counts, because most programs accept it. */
export function isGiven({ options }: Pick<Invocation, 'options'>, ...names: readonly string[]): boolean {
  return options.some((option) => names.some((name) => means(option.name, name)));
}

/** Whether one of the listed options, separated by spaces, was given by exactly that name. */
export function hasOption({ options }: Pick<Invocation, 'options'>, names: string): boolean {
  const all = names.split(' ');
  return options.some(({ name }) => all.includes(name));
}

/** The option names of a grammar, separated by spaces. */
export function optionNames({ options }: Pick<OptionGrammar, 'options'>): string {
  return [...lettersOf(options).replaceAll(':', ''), ...longOptions(options).keys()].join(' ');
}

/** The short options of a list, in getopt syntax. */
export function lettersOf(options = ''): string {
  return /^-(\S*)/.exec(options)?.[1] ?? '';
}

/** The options of several lists. */
export function joinOptions(...lists: readonly string[]): string {
  return `-${lists.map(lettersOf).join('')} ${lists.map((list) => list.replace(/^-\S*/, '')).join(' ')}`;
}

/** The long options of a list, by name. Read the list once for all words of a call. */
export function longOptions(options = ''): ReadonlyMap<string, Arity> {
  const found = new Map<string, Arity>();
  for (const entry of options.replace(/^-\S*/, '').split(/\s+/)) {
    const name = entry.replace(/(?:(?<!=)=+|\?)$/, '');
    const arity = SIGNS[entry.slice(name.length)];
    if (name !== '' && arity !== undefined && !found.has(name)) found.set(name, arity);
  }
  return found;
}

const SIGNS: Readonly<Record<string, Arity>> = { '': 'none', '=': 'value', '==': 'pair', '?': 'attached' };

/** Whether a given name stands for an option. The full name of an option abbreviates no other option. */
export function standsFor(given: string, options: ReadonlyMap<string, Arity>): (name: string) => boolean {
  const isWhole = options.has(given);
  return (name) => (isWhole ? given === name : means(given, name));
}

/** Whether a given name stands for an option: the same name, or the beginning of a long one. */
export function means(given: string, name: string): boolean {
  return given === name || (given.length > 1 && name.length > 1 && name.startsWith(given));
}

/** How an option takes a value. */
export type Arity = 'none' | 'value' | 'pair' | 'attached';

/** Sorts the words of a call into options and operands, without guesses. */
export function readOptions(words: readonly Argument[], grammar: OptionGrammar): Invocation {
  const reader = new OptionReader(grammar);
  reader.read(words);
  return reader;
}

class OptionReader implements Invocation {
  readonly options: GivenOption[] = [];
  readonly operands: Argument[] = [];
  readonly strange: string[] = [];
  readonly opaque: string[] = [];
  readonly doubtful: GivenOption[] = [];
  dashed?: number;
  readonly #grammar: OptionGrammar;
  readonly #isLenient: boolean;
  readonly #letters: string;
  #long: ReadonlyMap<string, Arity> | undefined;
  #words: readonly Argument[] = [];
  #at = 0;

  constructor(grammar: OptionGrammar) {
    this.#grammar = grammar;
    this.#isLenient = grammar.any === true || grammar.lenient === true;
    this.#letters = lettersOf(grammar.options);
  }

  read(words: readonly Argument[]): void {
    this.#words = words;
    for (this.#at = 0; this.#at < words.length; this.#at += 1) {
      const word = words[this.#at];
      if (word === undefined) return;
      if (word.value === '--') {
        const rest = words.slice(this.#at + 1);
        this.dashed = rest.length;
        // The word may be the value of the option before it, and then it ends nothing.
        if (words[this.#at - 1]?.start.startsWith('-')) for (const one of rest) this.#mayBeOption(one);
        this.operands.push(...rest);
        return;
      }
      if (this.#isOperand(word)) {
        this.operands.push(word);
        if (!this.#isLast(word)) continue;
        this.operands.push(...words.slice(this.#at + 1));
        return;
      }
      this.#readOption(word);
    }
  }

  /** Whether the words after an operand belong to a command that the program runs. */
  #isLast(operand: Argument): boolean {
    const { stops, inner } = this.#grammar;
    if (inner?.after === undefined || inner.script === 'each') return stops === true;
    if (inner.only !== undefined && !hasOption(this, inner.only)) return stops === true;
    if (inner.assignments === true && isAssignment(operand)) return false;
    const own = inner.assignments === true ? this.operands.filter((word) => !isAssignment(word)) : this.operands;
    return own.length > inner.after;
  }

  #isOperand(word: Argument): boolean {
    if (word.start === '-' && word.value === '-') return true;
    if (word.start.startsWith('-')) return false;
    const isKind = (word.isNumber || word.isHash === true) && word.isDashed !== true;
    const isUnknown = word.start === '' && word.value === null && !isKind;
    if (isUnknown && (!this.#isLenient || saysOptions(word))) this.opaque.push(word.text);
    return true;
  }

  #readOption(word: Argument): void {
    const { start, value } = word;
    if (this.#grammar.digits && /^-\d+$/.test(start)) return;
    const long = start.startsWith('--') ? start.slice(2) : this.#grammar.single ? start.slice(1) : null;
    if (long !== null) this.#readLong(word, long);
    else if (value === null && start === '-' && !this.#isLenient) this.opaque.push(word.text);
    else this.#readBundle(word);
  }

  #readLong(word: Argument, written: string): void {
    const equals = written.indexOf('=');
    const name = equals < 0 ? written : written.slice(0, equals);
    const arity = this.#longArity(name);
    if (equals < 0 && word.value === null && !this.#isLenient) this.opaque.push(word.text);
    else if (arity === null) this.#stray(word, name, equals < 0 ? null : behind(word, word.start.indexOf('=') + 1));
    else if (equals >= 0) this.options.push({ name, value: behind(word, word.start.indexOf('=') + 1) });
    else {
      // If there are two values, the second is the subject of the option; the first names it.
      if (arity === 'pair') this.#next();
      this.options.push({ name, value: arity === 'value' || arity === 'pair' ? this.#next() : null });
    }
  }

  #readBundle(word: Argument): void {
    const letters = word.start.slice(1);
    for (let at = 0; at < letters.length; at += 1) {
      const name = letters[at] ?? '';
      const arity = this.#shortArity(name);
      if (arity === null) {
        this.#stray(word, name);
        continue;
      }
      const isLast = at === letters.length - 1 && word.value !== null;
      if (arity === 'none') this.options.push({ name, value: null });
      else {
        this.options.push({ name, value: isLast ? (arity === 'value' ? this.#next() : null) : behind(word, at + 2) });
        return;
      }
    }
    if (word.value === null && !this.#isLenient) this.opaque.push(word.text);
  }

  /** Handles an option missing from the grammar. A program without harmful options may have it; for others it cannot be classified. */
  #stray(word: Argument, name: string, value: Argument | null = null): void {
    if (this.#grammar.any) this.options.push({ name, value });
    else this.strange.push(word.text);
  }

  #next(): Argument | null {
    this.#at += 1;
    const word = this.#words[this.#at] ?? null;
    if (word !== null) this.#mayBeOption(word);
    return word;
  }

  #mayBeOption(word: Argument): void {
    if (!/^-[^\d]/.test(word.start) || word.value === '--') return;
    const isBundled = /^-[^-]./.test(word.start);
    this.doubtful.push(...readOptions([word], this.#grammar).options.map((option) => ({ ...option, isBundled })));
  }

  #longArity(name: string): Arity | null {
    this.#long ??= longOptions(this.#grammar.options);
    const options = this.#long;
    const arity = options.get(name);
    if (arity !== undefined) return arity;
    if (this.#grammar.lenient !== true || name === '') return null;
    // A beginning stands for the named option; another option with the same beginning would make it ambiguous.
    for (const [option, own] of options) if (option.startsWith(name)) return own;
    return null;
  }

  #shortArity(letter: string): Arity | null {
    const short = this.#letters;
    const at = letter === ':' ? -1 : short.indexOf(letter);
    if (at < 0) return null;
    if (short[at + 1] !== ':') return 'none';
    return short[at + 2] === ':' ? 'attached' : 'value';
  }
}

/** Whether a word is NAME=VALUE, or a lone dash, which empties the environment. */
export function isAssignment({ start, value }: Pick<Argument, 'start' | 'value'>): boolean {
  return value === '-' || /^[A-Za-z_]\w*=/.test(start);
}

/** An unquoted variable whose name suggests that it contains options. */
function saysOptions(word: Argument): boolean {
  return word.isSplit && /^\$\{?\w*(flag|opt|option|arg|param|switch)s?\b/i.test(word.text);
}

function behind({ pattern: _, ...word }: Argument, from: number): Argument {
  return { ...word, start: word.start.slice(from), value: word.value === null ? null : word.value.slice(from) };
}

/** How a program reads folders recursively. Options are given by name, separated by spaces. */
export interface Descent {
  /** Options that make it recursive, `name=start` by the beginning of their value; always recursive if absent. */
  readonly with?: string;
  /** Options that make it follow links it finds; always if absent. */
  readonly follows?: string;
  /** It skips files that git ignores, except with these options. */
  readonly skips?: string;
  /** The first word may be a bundle of options without a dash, as with `tar`. */
  readonly bundled?: true;
}

/** How a command reads files below a named folder: not at all, without following links, or through links. */
export type TreeRead = 'none' | 'files' | 'follows';

/** How a call reads files below a folder. */
export function treeReadOf(
  descent: Descent | undefined,
  given: Pick<Invocation, 'options'>,
  [first]: readonly Pick<Argument, 'start'>[],
): TreeRead {
  if (descent === undefined) return 'none';
  const isBundle = descent.bundled === true && first?.start.startsWith('-') === false;
  const letters = isBundle ? [...first.start] : [];
  const options = [...given.options, ...letters.map((name) => ({ name, value: null }))];
  if (!isChosen(descent.with, { options })) return 'none';
  return isChosen(descent.follows, { options }) ? 'follows' : 'files';
}

/** Whether one of some options was given, or none is needed. */
export function isChosen(names: string | undefined, { options }: Pick<Invocation, 'options'>): boolean {
  return names === undefined || names.split(' ').some((name) => options.some((option) => isSame(option, name)));
}

function isSame({ name, value }: GivenOption, wanted: string): boolean {
  const [own = '', start] = wanted.split('=');
  return own !== '' && means(name, own) && (start === undefined || value?.start.startsWith(start) === true);
}
