import type { Argument } from './argument.ts';

/** Where the command stands that a program runs for its caller, behind the options of the program itself. */
export interface InnerCommand {
  /** How many operands stand before the command; without a number, no operand is the command. */
  readonly after?: number;
  /** Words NAME=VALUE before the command set variables for it, as with `env`. */
  readonly assignments?: true;
  /** Options whose value is a script for a shell, separated by blanks. */
  readonly scripts?: string;
  /** The words are read by a shell: all joined to one script, a single word alone, or each word as a script of its own. */
  readonly script?: 'joined' | 'alone' | 'each';
  /** Operands are a command only with one of these options, separated by blanks. */
  readonly only?: string;
  /** A word that begins so ends the command, as `:::` does with `parallel`. */
  readonly until?: string;
  /** With one of these options no command is run, as with `command -v`. */
  readonly unless?: string;
  /** What the program reads becomes words of the command. */
  readonly feeds?: true;
  /** False where a rule for the command must not cover the call: the command runs more than once, or in place of the shell. */
  readonly isPlain?: false;
}

/** The options that a program is known to have. */
export interface OptionGrammar {
  /** In the manner of getopt: `ab:c::` for `-a`, `-b VALUE`, `-c[VALUE]`. */
  readonly short?: string;
  /** Separated by blanks: `all`, `file=` with a value, `color?` with one behind `=` only, `bind==` with two values. */
  readonly long?: string;
  /** No option of the program writes, starts or sends anything: those that are not named are passed over. */
  readonly any?: boolean;
  /**
   * None of the options that are named does more than to read: an unknown word is
   * passed over, and an option that is not named needs an approval.
   */
  readonly lenient?: boolean;
  /** `-5` is an option. */
  readonly digits?: boolean;
  /** Long options have one dash, as with `find` and `terraform`. */
  readonly single?: boolean;
  /** What follows the first operand are operands. A program that runs a command stops by itself where that begins. */
  readonly stops?: boolean;
  /** The command that it runs for its caller: the program's own options end where that begins. */
  readonly inner?: InnerCommand;
}

/** An option that was given, by its name without dashes. */
interface GivenOption {
  readonly name: string;
  readonly value: Argument | null;
  /** It stands in one word with other letters. */
  readonly isBundled?: boolean;
}

/** What was given to a program. */
export interface Invocation {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Argument[];
  /** Options that the program is not known to have, as they were written. */
  readonly strange: readonly string[];
  /** Words that may be options, or may not: nobody can tell. */
  readonly opaque: readonly string[];
  /** Options that were read as values: a version of the program that gives the word before none takes them for options. */
  readonly doubtful?: readonly GivenOption[];
  /** How many of the operands stand behind two dashes; left out without these. */
  readonly dashed?: number;
}

/** True when one of the options was given. A beginning counts: most programs take it for the whole. */
export function isGiven({ options }: Pick<Invocation, 'options'>, ...names: readonly string[]): boolean {
  return options.some((option) => names.some((name) => means(option.name, name)));
}

/** True when one of the options whose names a list has, separated by blanks, was given by exactly that name. */
export function hasOption({ options }: Pick<Invocation, 'options'>, names: string): boolean {
  const all = names.split(' ');
  return options.some(({ name }) => all.includes(name));
}

/** The names that a grammar has for its options, separated by blanks. */
export function optionNames({ short = '', long = '' }: Pick<OptionGrammar, 'short' | 'long'>): string {
  return [...short.replaceAll(':', ''), ...longOptions(long).keys()].join(' ');
}

/** The long options of a list, by their names; to be read once for all words of a call. */
export function longOptions(long = ''): ReadonlyMap<string, Arity> {
  const options = new Map<string, Arity>();
  for (const entry of long.split(/\s+/)) {
    const name = entry.replace(/(?:(?<!=)=+|\?)$/, '');
    const arity = SIGNS[entry.slice(name.length)];
    if (name !== '' && arity !== undefined && !options.has(name)) options.set(name, arity);
  }
  return options;
}

const SIGNS: Readonly<Record<string, Arity>> = { '': 'none', '=': 'value', '==': 'pair', '?': 'attached' };

/** Whether a name that was given stands for an option. What is an option itself is the beginning of no other one. */
export function standsFor(given: string, options: ReadonlyMap<string, Arity>): (name: string) => boolean {
  const isWhole = options.has(given);
  return (name) => (isWhole ? given === name : means(given, name));
}

/** True when a name that was given stands for an option: the same, or the beginning of a long one. */
export function means(given: string, name: string): boolean {
  return given === name || (given.length > 1 && name.length > 1 && name.startsWith(given));
}

/** How an option takes a value. */
export type Arity = 'none' | 'value' | 'pair' | 'attached';

/** Sorts the words of a call into options and operands, strictly: no abbreviations, no guesses. */
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
  #long: ReadonlyMap<string, Arity> | undefined;
  #words: readonly Argument[] = [];
  #at = 0;

  constructor(grammar: OptionGrammar) {
    this.#grammar = grammar;
    this.#isLenient = grammar.any === true || grammar.lenient === true;
  }

  read(words: readonly Argument[]): void {
    this.#words = words;
    for (this.#at = 0; this.#at < words.length; this.#at += 1) {
      const word = words[this.#at];
      if (word === undefined) return;
      if (word.value === '--') {
        const rest = words.slice(this.#at + 1);
        this.dashed = rest.length;
        // It may be the value of the option before it, and then it ends nothing.
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

  /** Whether what follows an operand belongs to a command that the program runs. */
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
      // Of two values the second is what the option is about: the first gives it a name.
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

  /** An option that no list has. Programs without harmful options may have it; of any other it cannot be classified. */
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
    this.#long ??= longOptions(this.#grammar.long);
    const options = this.#long;
    const arity = options.get(name);
    if (arity !== undefined) return arity;
    if (this.#grammar.lenient !== true || name === '') return null;
    // The beginning of an option that is named stands for that: another one that begins so would make it none.
    for (const [option, own] of options) if (option.startsWith(name)) return own;
    return null;
  }

  #shortArity(letter: string): Arity | null {
    const short = this.#grammar.short ?? '';
    const at = letter === ':' ? -1 : short.indexOf(letter);
    if (at < 0) return null;
    if (short[at + 1] !== ':') return 'none';
    return short[at + 2] === ':' ? 'attached' : 'value';
  }
}

/** True for a word NAME=VALUE, and for a dash alone, which empties the environment. */
export function isAssignment({ start, value }: Pick<Argument, 'start' | 'value'>): boolean {
  return value === '-' || /^[A-Za-z_]\w*=/.test(start);
}

/** A variable outside of quotes whose name says that it holds options. */
function saysOptions(word: Argument): boolean {
  return word.isSplit && /^\$\{?\w*(flag|opt|option|arg|param|switch)s?\b/i.test(word.text);
}

function behind({ pattern: _, ...word }: Argument, from: number): Argument {
  return { ...word, start: word.start.slice(from), value: word.value === null ? null : word.value.slice(from) };
}

/** How a program goes down into the folders that it is given. Options stand by their names, separated by blanks. */
export interface Descent {
  /** Options that make it go down, `name=start` by the start of their value; it always does unless given. */
  readonly with?: string;
  /** Options that make it follow links that it finds there; it always does unless given. */
  readonly follows?: string;
  /** It leaves out what git ignores, but for these options. */
  readonly skips?: string;
  /** The first word may be a bundle of options without a dash, as with `tar`. */
  readonly bundled?: true;
}

/** How a command reads files below a folder that it names: not at all, as they lie there, or through links in it as well. */
export type TreeRead = 'none' | 'files' | 'follows';

/** How a call reads what lies below a folder. */
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

/** Whether one of some options was given, or none has to be. */
export function isChosen(names: string | undefined, { options }: Pick<Invocation, 'options'>): boolean {
  return names === undefined || names.split(' ').some((name) => options.some((option) => isSame(option, name)));
}

function isSame({ name, value }: GivenOption, wanted: string): boolean {
  const [own = '', start] = wanted.split('=');
  return own !== '' && means(name, own) && (start === undefined || value?.start.startsWith(start) === true);
}
