import type { ShellFacts } from './shell-facts.ts';

/** A word as the shell would cut it. */
export interface WordToken {
  readonly type: 'word';
  /** As typed. */
  readonly raw: string;
  /** Without quotes and backslashes. */
  readonly value: string;
  readonly quoting: 'none' | 'part' | 'whole';
  /** Holds `$x`, `$(…)`, backticks or `<(…)` outside single quotes. */
  readonly expands: boolean;
  readonly start: number;
  /** A reading of the word, for its reader alone. */
  seen?: object;
}

interface OperatorToken {
  readonly type: 'operator';
  readonly text: string;
  /** No blank stands before it. */
  readonly attached: boolean;
}

/** `((…))` or `[[…]]` at the place of a command. */
interface TestToken {
  readonly type: 'test';
  readonly raw: string;
}

export type Token = WordToken | OperatorToken | TestToken;

/** The tokens of a line, and whether the shell would ask for more. */
export interface Lexed {
  readonly tokens: readonly Token[];
  readonly open: boolean;
}

/** `don't`, `it's`, `docker's`: an apostrophe within a word. */
export const CONTRACTION = /^[\p{L}\d.]+[’'](t|s|re|ve|ll|d|m)$/iu;

/** `dist(N)`, `logs(/om)`: what zsh takes behind a name. The plural of `file(s)` is none. */
const GLOB_QUALIFIERS = /^\((?:[ND./@*=]|[oO][nmLcad]|L[+-]?\d+|m[hwM]?[+-]?\d+|\[\d+\])+\)/;
/** Forms of zsh begin a job that the shell forgets, or a word. */
const ZSH_OPERATOR = /^&[|!]/;
const OPERATOR = /^(?:;;&|;;|;&|&&|&>>|&>|\|\||\|&|(?:\d*|\{[A-Za-z_]\w*\})(?:<<<|<<-?|<&|>&|>>|>\||<>|[<>])|[;|&()\n])/;
/** Letters that stand for themselves wherever they are, taken in one piece. */
const PLAIN_RUN = /[^\s\\'"`$();|&<>]+/y;
const BLANK = /[ \t\r\u00a0\u2002-\u200a\u202f\u205f\u3000]/;
const REDIRECTION = /^(?:\d*|\{\w+\})(<<<|<<-?|<&|>&|>>|>\||<>|[<>]|&>>?)$/;

/** Tells whether an operator redirects, so that the word after it is its target. */
export function isRedirection(text: string): boolean {
  return REDIRECTION.test(text) || /^&>>?$/.test(text);
}

/** The text of an operator; null for any other token. */
export function operatorText(token: Token | undefined): string | null {
  return token?.type === 'operator' ? token.text : null;
}

/** Whether a token opens a block in braces. */
export function isBlock(token: Token | undefined): boolean {
  return token?.type === 'word' && token.raw === '{';
}

/** Cuts a line as the shell would, with one kindness: an apostrophe inside an everyday word is a letter. */
export function lex(source: string, shell: ShellFacts['shell'] = 'bash'): Lexed {
  return new Lexer(source, shell === 'zsh').run();
}

class Lexer {
  readonly #source: string;
  readonly #tokens: Token[] = [];
  #heredocs: { readonly end: string; readonly tabs: boolean }[] = [];
  #at = 0;
  #open = false;

  readonly #isZsh: boolean;

  constructor(source: string, isZsh: boolean) {
    this.#source = source;
    this.#isZsh = isZsh;
  }

  run(): Lexed {
    while (this.#at < this.#source.length) this.#step();
    if (this.#heredocs.length > 0) this.#open = true;
    return { tokens: this.#tokens, open: this.#open };
  }

  #step(): void {
    const char = this.#source.charAt(this.#at);
    if (/[A-Za-z]/.test(char)) this.#word();
    else if (BLANK.test(char)) this.#at++;
    else this.#mark(char);
  }

  #mark(char: string): void {
    const rest = this.#source.slice(this.#at, this.#at + 64);
    if (rest.startsWith('\\\n') || rest === '\\') this.#continuation(rest);
    else if (char === '#') this.#comment();
    else if (this.#atCommand() && this.#test(rest)) return;
    else if (/^[<>]\(/.test(rest)) this.#word();
    else {
      const operator = ((this.#isZsh && ZSH_OPERATOR.exec(rest)) || OPERATOR.exec(rest))?.[0];
      if (operator === undefined) this.#word();
      else this.#operator(operator);
    }
  }

  #continuation(rest: string): void {
    this.#at += rest.startsWith('\\\n') ? 2 : 1;
    if (this.#at >= this.#source.length) this.#open = true;
  }

  #comment(): void {
    const end = this.#source.indexOf('\n', this.#at);
    this.#at = end < 0 ? this.#source.length : end;
  }

  /** Whether a command may begin here: at the start, after an operator or after a keyword. */
  #atCommand(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined) return true;
    if (last.type === 'operator') return !isRedirection(last.text) && last.text !== ')';
    return last.type === 'word' && /^(if|then|elif|else|while|until|do|time|!|\{|for)$/.test(last.raw);
  }

  #test(rest: string): boolean {
    const [begin, end] = rest.startsWith('((') ? ['((', '))'] : ['[[', ']]'];
    if (!rest.startsWith(begin) || (begin === '[[' && !/^\[\[\s/.test(rest))) return false;
    const stop = this.#source.indexOf(end, this.#at + 2);
    const after = stop < 0 ? this.#source.length : stop + 2;
    if (stop < 0 && begin === '((') return false;
    if (stop < 0) this.#open = true;
    this.#tokens.push({ type: 'test', raw: this.#source.slice(this.#at, after) });
    this.#at = after;
    return true;
  }

  #operator(text: string): void {
    const attached = this.#at > 0 && !/\s/.test(this.#source.charAt(this.#at - 1));
    this.#tokens.push({ type: 'operator', text, attached });
    this.#at += text.length;
    if (/^(?:\d*|\{\w+\})<<-?$/.test(text)) this.#heredoc(text.endsWith('-'));
    if (text === '\n' && this.#heredocs.length > 0) this.#skipBodies();
  }

  #heredoc(tabs: boolean): void {
    while (BLANK.test(this.#source.charAt(this.#at))) this.#at++;
    const before = this.#tokens.length;
    if (!/[\s;|&<>()]/.test(this.#source.charAt(this.#at) || ' ')) this.#word();
    const word = this.#tokens[before];
    if (word?.type === 'word') this.#heredocs.push({ end: word.value, tabs });
  }

  #skipBodies(): void {
    for (const heredoc of this.#heredocs) {
      let closed = false;
      while (!closed && this.#at < this.#source.length) {
        const end = this.#source.indexOf('\n', this.#at);
        const line = this.#source.slice(this.#at, end < 0 ? undefined : end);
        closed = (heredoc.tabs ? line.replace(/^\t+/, '') : line) === heredoc.end;
        this.#at = end < 0 ? this.#source.length : end + 1;
      }
      if (!closed) this.#open = true;
    }
    this.#heredocs = [];
    this.#tokens.push({ type: 'operator', text: '\n', attached: false });
  }

  #word(): void {
    const start = this.#at;
    let value = '';
    let quoted = 0;
    let expands = false;
    while (this.#at < this.#source.length) {
      const run = this.#plainRun();
      value += run;
      this.#at += run.length;
      const piece = this.#piece(start);
      if (piece === null) break;
      value += piece.value;
      quoted += piece.quoted ? piece.value.length + 2 : 0;
      expands ||= piece.expands;
    }
    if (this.#at === start) this.#at++;
    const raw = this.#source.slice(start, this.#at);
    const quoting = quoted === 0 ? 'none' : quoted >= raw.length && /^["'$]/.test(raw) ? 'whole' : 'part';
    this.#tokens.push({ type: 'word', raw, value, quoting, expands, start });
  }

  #plainRun(): string {
    PLAIN_RUN.lastIndex = this.#at;
    return PLAIN_RUN.test(this.#source) ? this.#source.slice(this.#at, PLAIN_RUN.lastIndex) : '';
  }

  /** The next piece of a word, or null at its end. */
  #piece(start: number): { value: string; quoted: boolean; expands: boolean } | null {
    const source = this.#source;
    const char = source.charAt(this.#at);
    if (char === ' ' || char === '') return null;
    if (char === '\\') return this.#escaped();
    if (char === "'" && !this.#isApostrophe(start)) return this.#quoted("'");
    if (char === '"') return this.#quoted('"');
    if (char === '`') return this.#balanced('`', '`');
    if (char === '$' && source.startsWith("$'", this.#at)) {
      this.#at++;
      return this.#quoted("'");
    }
    if (/^\$\(/.test(source.slice(this.#at, this.#at + 2))) return this.#balanced('$(', ')');
    if (/^\$\{/.test(source.slice(this.#at, this.#at + 2))) return this.#balanced('${', '}');
    if (/^[<>]\(/.test(source.slice(this.#at, this.#at + 2)) && this.#at === start) return this.#balanced(`${char}(`, ')');
    if (char === '(' && this.#takesParenthesis(start)) return this.#balanced('(', ')');
    if (/[\s;|&()<>]/.test(char) || BLANK.test(char)) return null;
    this.#at++;
    return { value: char, quoted: false, expands: char === '$' && /[\w?!@#*$-]/.test(source.charAt(this.#at)) };
  }

  /** `a=(1 2)`, `!(x)`, `*(.)`: parentheses that belong to the word. */
  #takesParenthesis(start: number): boolean {
    const before = this.#source.slice(start, this.#at);
    if (this.#isZsh && before === '=') return true;
    if (this.#isZsh && /[\w.-]$/.test(before) && GLOB_QUALIFIERS.test(this.#source.slice(this.#at, this.#at + 24))) return true;
    return /^\w+\+?=$/.test(before) || /[?*+@!]$/.test(before) || /[*/]/.test(before);
  }

  #escaped(): { value: string; quoted: boolean; expands: boolean } {
    const next = this.#source.charAt(this.#at + 1);
    this.#at += 2;
    if (next === '') this.#open = true;
    return { value: next === '\n' ? '' : next, quoted: false, expands: false };
  }

  #isApostrophe(start: number): boolean {
    if (this.#at === start || !/[\p{L}\d.]/u.test(this.#source.charAt(this.#at - 1))) return false;
    const tail = /^[’'][\p{L}]*/u.exec(this.#source.slice(this.#at, this.#at + 24))?.[0] ?? '';
    const next = this.#source.charAt(this.#at + tail.length);
    if (next === "'") return false;
    const before = this.#source.slice(start, this.#at);
    if (CONTRACTION.test(before + tail)) return true;
    if (/^(l|d|j|m|t|s|n|c|qu|un|all|dell|nell|sull|aujourd|jusqu|lorsqu)$/i.test(before) && tail.length > 2) return true;
    return tail === "'" && /s$/.test(before) && !this.#source.slice(this.#at + 1).includes("'");
  }

  #quoted(quote: string): { value: string; quoted: boolean; expands: boolean } {
    const from = ++this.#at;
    const source = this.#source;
    let expands = false;
    while (this.#at < source.length && source.charAt(this.#at) !== quote) {
      const char = source.charAt(this.#at);
      if (quote === '"' && char === '\\') this.#at++;
      if (quote === '"' && (char === '$' || char === '`')) expands = true;
      this.#at++;
    }
    if (this.#at >= source.length) this.#open = true;
    const value = source.slice(from, this.#at);
    this.#at = Math.min(this.#at + 1, source.length);
    return { value, quoted: true, expands };
  }

  #balanced(begin: string, end: string): { value: string; quoted: boolean; expands: boolean } {
    const from = this.#at;
    this.#at += begin.length;
    const opening = begin.at(-1);
    let depth = 1;
    while (this.#at < this.#source.length && depth > 0) {
      const char = this.#source.charAt(this.#at);
      if (char === '\\') this.#at++;
      else if (char === end) depth--;
      else if (char === opening) depth++;
      this.#at++;
    }
    if (depth > 0) this.#open = true;
    return { value: this.#source.slice(from, this.#at), quoted: false, expands: begin !== '(' };
  }
}
