import type { Argument } from './argument.ts';

/** The options that a program is known to have. */
export interface OptionGrammar {
  /** In the manner of getopt: `ab:c::` for `-a`, `-b VALUE`, `-c[VALUE]`. */
  readonly short?: string;
  /** Separated by blanks: `all`, `file=` with a value, `color?` with one behind `=` only. */
  readonly long?: string;
  /** No option of the program writes, starts or sends anything: those that are not named are passed over. */
  readonly any?: boolean;
  /** `-5` is an option. */
  readonly digits?: boolean;
  /** Long options have one dash, as with `find` and `terraform`. */
  readonly single?: boolean;
  /** What follows the first operand are operands, as with `env` and `sudo`. */
  readonly stops?: boolean;
}

/** An option that was given, by its name without dashes. */
export interface GivenOption {
  readonly name: string;
  readonly value: Argument | null;
}

/** What was given to a program. */
export interface GivenWords {
  readonly options: readonly GivenOption[];
  readonly operands: readonly Argument[];
  /** Options that the program is not known to have, as they were written. */
  readonly strange: readonly string[];
  /** Words that may be options, or may not: nobody can tell. */
  readonly opaque: readonly string[];
}

/** True when one of the options was given. A beginning counts: most programs take it for the whole. */
export function isGiven({ options }: Pick<GivenWords, 'options'>, ...names: readonly string[]): boolean {
  return options.some((option) => names.some((name) => means(option.name, name)));
}

/** True when a name that was given stands for an option: the same, or the beginning of a long one. */
export function means(given: string, name: string): boolean {
  return given === name || (given.length > 1 && name.length > 1 && name.startsWith(given));
}

type Arity = 'none' | 'value' | 'attached';

/** Sorts the words of a call into options and operands, strictly: no abbreviations, no guesses. */
export function readOptions(words: readonly Argument[], grammar: OptionGrammar): GivenWords {
  const reader = new OptionReader(grammar);
  reader.read(words);
  return reader;
}

class OptionReader implements GivenWords {
  readonly options: GivenOption[] = [];
  readonly operands: Argument[] = [];
  readonly strange: string[] = [];
  readonly opaque: string[] = [];
  readonly #grammar: OptionGrammar;
  #words: readonly Argument[] = [];
  #at = 0;

  constructor(grammar: OptionGrammar) {
    this.#grammar = grammar;
  }

  read(words: readonly Argument[]): void {
    this.#words = words;
    for (this.#at = 0; this.#at < words.length; this.#at += 1) {
      const word = words[this.#at];
      if (word === undefined) return;
      if (word.value === '--') {
        this.operands.push(...words.slice(this.#at + 1));
        return;
      }
      if (this.#isOperand(word)) {
        this.operands.push(word);
        if (!this.#grammar.stops) continue;
        this.operands.push(...words.slice(this.#at + 1));
        return;
      }
      this.#readOption(word);
    }
  }

  #isOperand(word: Argument): boolean {
    if (word.start === '-' && word.value === '-') return true;
    if (word.start.startsWith('-')) return false;
    if (word.start === '' && word.value === null && !word.isNumber && (!this.#grammar.any || saysOptions(word))) {
      this.opaque.push(word.text);
    }
    return true;
  }

  #readOption(word: Argument): void {
    const { start, value } = word;
    if (this.#grammar.digits && /^-\d+$/.test(start)) return;
    const long = start.startsWith('--') ? start.slice(2) : this.#grammar.single ? start.slice(1) : null;
    if (long !== null) this.#readLong(word, long);
    else if (value === null && start === '-' && !this.#grammar.any) this.opaque.push(word.text);
    else this.#readBundle(word);
  }

  #readLong(word: Argument, written: string): void {
    const equals = written.indexOf('=');
    const name = equals < 0 ? written : written.slice(0, equals);
    const arity = this.#longArity(name);
    if (equals < 0 && word.value === null && !this.#grammar.any) this.opaque.push(word.text);
    else if (arity === null) this.#stray(word, name, equals < 0 ? null : behind(word, word.start.indexOf('=') + 1));
    else if (equals >= 0) this.options.push({ name, value: behind(word, word.start.indexOf('=') + 1) });
    else this.options.push({ name, value: arity === 'value' ? this.#next() : null });
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
    if (word.value === null && !this.#grammar.any) this.opaque.push(word.text);
  }

  /** An option that no list has. Programs without harmful options may have it; of any other it cannot be judged. */
  #stray(word: Argument, name: string, value: Argument | null = null): void {
    if (this.#grammar.any) this.options.push({ name, value });
    else this.strange.push(word.text);
  }

  #next(): Argument | null {
    this.#at += 1;
    return this.#words[this.#at] ?? null;
  }

  #longArity(name: string): Arity | null {
    for (const entry of (this.#grammar.long ?? '').split(' ')) {
      if (entry === '') continue;
      if (entry === name) return 'none';
      if (entry === `${name}=`) return 'value';
      if (entry === `${name}?`) return 'attached';
    }
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

/** A variable outside of quotes whose name says that it holds options. */
function saysOptions(word: Argument): boolean {
  return word.isSplit && /^\$\{?\w*(flag|opt|option|arg|param|switch)s?\b/i.test(word.text);
}

/** What stands in a word behind its first characters. */
function behind({ pattern: _, ...word }: Argument, from: number): Argument {
  return { ...word, start: word.start.slice(from), value: word.value === null ? null : word.value.slice(from) };
}
