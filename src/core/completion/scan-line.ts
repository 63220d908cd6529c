import { isHidden, isOddBlank } from '../text/hidden-character.ts';
import type { Candidate, Completion } from './completion.ts';

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

interface ScannedLine {
  readonly words: readonly TypedWord[];
  readonly word: CursorWord;
  /** The word at the cursor is the target of a redirection. */
  readonly isTarget: boolean;
  /** The cursor stands in a list of words, as in `a=(`, and in no command. */
  readonly isList: boolean;
}

/** A command that is not finished, such as the one that contains a substitution. */
interface Frame {
  readonly words: TypedWord[];
  readonly closer: ')' | '`' | '';
  readonly isList: boolean;
  readonly outer: OpenWord | null;
  isTarget: boolean;
}

/** A word that is not finished. */
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
    else if (/[ \t\r]/.test(character)) {
      this.#endWord();
      this.#at++;
    } else if (/[;|&\n]/.test(character)) this.#endCommand();
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

type Quote = 'none' | 'single' | 'double' | 'ansi';

/** The opening mark of each kind of quotes. */
export const OPENING: Readonly<Record<Quote, string>> = { none: '', single: "'", double: '"', ansi: "$'" };

/** The closing mark of each kind of quotes. */
export const CLOSING: Readonly<Record<Quote, string>> = { none: '', single: "'", double: '"', ansi: "'" };

const SPECIAL = /[\s\\"'`$&|;<>()*?![\]{}#^~]/;

/** Writes a name as the shell reads it back in the open quotes. Hidden characters become `$'…'`, for which the quotes close and reopen. */
export function quoteName(name: string, quote: Quote): string {
  let quoted = '';
  let hidden = '';
  for (const character of name) {
    const code = character.codePointAt(0) ?? 0;
    if (isHidden(code) || isOddBlank(code)) {
      hidden += spellOut(code);
      continue;
    }
    quoted += showHidden(hidden, quote) + quoteCharacter(character, quote);
    hidden = '';
  }
  const whole = quoted + showHidden(hidden, quote);
  // zsh would look for a command of that name.
  return quote === 'none' && whole.startsWith('=') ? `\\${whole}` : whole;
}

function showHidden(hidden: string, quote: Quote): string {
  if (hidden === '' || quote === 'ansi') return hidden;
  return `${CLOSING[quote]}$'${hidden}'${OPENING[quote]}`;
}

function quoteCharacter(character: string, quote: Quote): string {
  switch (quote) {
    case 'none':
      return SPECIAL.test(character) ? `\\${character}` : character;
    case 'single':
      return character === "'" ? "'\\''" : character;
    case 'double':
      if (character === '!') return '"\\!"';
      return /["\\$`]/.test(character) ? `\\${character}` : character;
    case 'ansi':
      return /['\\]/.test(character) ? `\\${character}` : character;
  }
}

const NAMED: ReadonlyMap<number, string> = new Map([
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0d, '\\r'],
]);

function spellOut(code: number): string {
  const named = NAMED.get(code);
  if (named !== undefined) return named;
  // A byte of a name that is no UTF-8.
  if (code >= 0xdc80 && code <= 0xdcff) return `\\x${(code - 0xdc00).toString(16)}`;
  const digits = code.toString(16);
  if (code < 0x80) return `\\x${digits.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** The part of the word at the cursor that a completion replaces, and how it has to be quoted there. */
interface WordSlot {
  readonly start: number;
  /** A quote that must precede the quoted text: it ends or begins here. */
  readonly before: string;
  readonly quote: Quote;
  /** The part as typed, without quotes. */
  readonly typed: string;
}

/** The slot of the word's part from an offset within it on, such as that behind the last slash. */
export function findSlot(word: CursorWord, from: number): WordSlot {
  const outer = openQuote(word.raw.slice(0, from));
  const start = word.start + from;
  const typed = word.value.slice(readWord(word.raw.slice(0, from)).length);
  if (outer === word.quote && (outer === 'none' || word.quoteStart < start)) return { start, before: '', quote: outer, typed };
  return { start, before: CLOSING[outer] + OPENING[word.quote], quote: word.quote, typed };
}

/** The meaning of a part of a word in the shell, without its quotes; expansions stay as typed. */
export function readWord(raw: string): string {
  return scanLine(raw, raw.length)?.word.value ?? raw;
}

/** Puts a candidate into its slot. */
export function fillSlot(slot: WordSlot, candidate: Candidate): Completion {
  const { text, ...shown } = candidate;
  const { value, suffix = ' ' } = shown;
  // A name that goes on, as a folder does, leaves its quote open.
  const closing = suffix === ' ' ? CLOSING[slot.quote] : '';
  const quoted = text ?? `${slot.before}${quoteName(value, slot.quote)}${closing}`;
  return { label: value, ...shown, start: slot.start, text: quoted };
}

function openQuote(raw: string): Quote {
  return scanLine(raw, raw.length)?.word.quote ?? 'none';
}
