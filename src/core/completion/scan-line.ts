import type { Quote } from './quote-name.ts';

/** A word before the one at the cursor. */
export interface TypedWord {
  /** Without quotes and backslashes; substitutions stand as typed. */
  readonly value: string;
  readonly raw: string;
  readonly start: number;
}

/** The word the cursor stands in, up to the cursor; empty where a new one would begin. */
export interface CursorWord extends TypedWord {
  /** The quotes that are open at the cursor, and where they began. */
  readonly quote: Quote;
  readonly quoteStart: number;
}

/** What stands before the cursor in its simple command. */
export interface ScannedLine {
  readonly words: readonly TypedWord[];
  readonly word: CursorWord;
  /** The word at the cursor is the target of a redirection. */
  readonly isTarget: boolean;
  /** The cursor stands in a list of words, as in `a=(`, and in no command. */
  readonly isList: boolean;
}

/** A command whose end has not come, such as the one a substitution stands in. */
interface Frame {
  readonly words: TypedWord[];
  readonly closer: ')' | '`' | '';
  readonly isList: boolean;
  readonly outer: OpenWord | null;
  isTarget: boolean;
}

/** A word whose end has not come. */
interface OpenWord {
  readonly start: number;
  value: string;
  quote: Quote;
  quoteStart: number;
}

const REDIRECTION = /^(?:&>>?|<<<|<<-?|<>|<&|>>|>&|>\||[<>])/;

/** Reads a line up to the cursor: what simple command the cursor stands in, and in which of its words. Null inside a comment. */
export function scanLine(text: string, cursor: number): ScannedLine | null {
  return new LineScan(text.slice(0, cursor)).run();
}

class LineScan {
  readonly #text: string;
  readonly #frames: Frame[] = [];
  #frame: Frame = newFrame('', null, false);
  #word: OpenWord | null = null;
  #at = 0;
  #inComment = false;

  constructor(text: string) {
    this.#text = text;
  }

  run(): ScannedLine | null {
    while (this.#at < this.#text.length) this.#step();
    if (this.#inComment) return null;
    const end = this.#text.length;
    const word = this.#word ?? { start: end, value: '', quote: 'none' as const, quoteStart: end };
    const { words, isTarget, isList } = this.#frame;
    return { words, word: { ...word, raw: this.#text.slice(word.start) }, isTarget, isList };
  }

  #step(): void {
    const character = this.#text.charAt(this.#at);
    switch (this.#word?.quote ?? 'none') {
      case 'single':
        this.#inPlainQuotes(character);
        return;
      case 'ansi':
        if (character === '\\') this.#protected();
        else this.#inPlainQuotes(character);
        return;
      case 'double':
        this.#inDoubleQuotes(character);
        return;
      case 'none':
        this.#outside(character);
    }
  }

  #inPlainQuotes(character: string): void {
    if (character === "'") this.#closeQuote();
    else this.#add(character);
  }

  #inDoubleQuotes(character: string): void {
    if (character === '"') this.#closeQuote();
    else if (character === '\\' && /[$`"\\\n]/.test(this.#text.charAt(this.#at + 1))) this.#protected();
    else if (!this.#substitution(character)) this.#add(character);
  }

  #outside(character: string): void {
    if (character === '\\') this.#protected();
    else if (character === "'") this.#openQuote('single', 1);
    else if (character === '"') this.#openQuote('double', 1);
    else if (this.#text.startsWith("$'", this.#at)) this.#openQuote('ansi', 2);
    else if (this.#substitution(character) || this.#redirection()) return;
    else if (/[ \t\r]/.test(character)) this.#blank();
    else if (/[;|&\n]/.test(character)) this.#endCommand();
    else if (character === '(') this.#push(')', 1);
    else if (character === ')') this.#pop(')');
    else if (character === '#' && this.#word === null) this.#comment();
    else this.#add(character);
  }

  /** `$(`, a backtick, `<(` and `>(` begin a command of their own; `${…}` belongs to the word whole. */
  #substitution(character: string): boolean {
    const two = this.#text.slice(this.#at, this.#at + 2);
    const isQuoted = this.#word?.quote === 'double';
    if (two === '$(' || (!isQuoted && /^[<>]\($/.test(two))) {
      this.#begin();
      this.#push(')', 2);
    } else if (character === '`') {
      if (this.#frame.closer === '`' && !isQuoted) this.#pop('`');
      else {
        this.#begin();
        this.#push('`', 1);
      }
    } else if (two === '${') {
      const end = this.#text.indexOf('}', this.#at);
      const after = end < 0 ? this.#text.length : end + 1;
      this.#begin().value += this.#text.slice(this.#at, after);
      this.#at = after;
    } else return false;
    return true;
  }

  #redirection(): boolean {
    const operator = REDIRECTION.exec(this.#text.slice(this.#at, this.#at + 3))?.[0];
    if (operator === undefined) return false;
    // The number of a descriptor belongs to the operator.
    if (this.#word !== null && /^\d+$/.test(this.#text.slice(this.#word.start, this.#at))) this.#word = null;
    this.#endWord();
    this.#frame.isTarget = true;
    this.#at += operator.length;
    return true;
  }

  #blank(): void {
    this.#endWord();
    this.#at++;
  }

  #comment(): void {
    const end = this.#text.indexOf('\n', this.#at);
    this.#inComment = end < 0;
    this.#at = end < 0 ? this.#text.length : end;
  }

  #endCommand(): void {
    this.#endWord();
    this.#frame.words.length = 0;
    this.#frame.isTarget = false;
    this.#at++;
  }

  #push(closer: ')' | '`', size: number): void {
    const before = this.#word === null ? '' : this.#text.slice(this.#word.start, this.#at);
    const isList = closer === ')' && size === 1 && /^\w+\+?=$/.test(before);
    this.#frames.push(this.#frame);
    this.#frame = newFrame(closer, this.#word, isList);
    this.#word = null;
    this.#at += size;
  }

  /** The end of an inner command; for a closer that fits nothing, the end of a command, as in a `case`. */
  #pop(closer: ')' | '`'): void {
    if (this.#frame.closer !== closer) {
      this.#endCommand();
      return;
    }
    this.#at++;
    const { outer } = this.#frame;
    this.#frame = this.#frames.pop() ?? newFrame('', null, false);
    this.#word = outer;
    if (outer !== null) outer.value = this.#text.slice(outer.start, this.#at).replace(/^"/, '');
  }

  #begin(): OpenWord {
    this.#word ??= { start: this.#at, value: '', quote: 'none', quoteStart: this.#at };
    return this.#word;
  }

  #add(character: string): void {
    this.#begin().value += character;
    this.#at++;
  }

  #protected(): void {
    const next = this.#text.charAt(this.#at + 1);
    this.#begin().value += next === '\n' ? '' : next;
    this.#at += 2;
  }

  #openQuote(quote: Quote, size: number): void {
    const word = this.#begin();
    word.quote = quote;
    word.quoteStart = this.#at;
    this.#at += size;
  }

  #closeQuote(): void {
    this.#begin().quote = 'none';
    this.#at++;
  }

  #endWord(): void {
    const word = this.#word;
    this.#word = null;
    if (word === null) return;
    if (this.#frame.isTarget) this.#frame.isTarget = false;
    else this.#frame.words.push({ value: word.value, raw: this.#text.slice(word.start, this.#at), start: word.start });
  }
}

function newFrame(closer: Frame['closer'], outer: OpenWord | null, isList: boolean): Frame {
  return { words: [], closer, isList, outer, isTarget: false };
}
