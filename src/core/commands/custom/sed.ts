import { literal } from '../argument.ts';
import { usePath } from '../path-use.ts';
import type { Call } from '../spec.ts';
import { type Effect, effect } from '../verdict.ts';

/** Classifies a sed script command by command: `e` starts programs, `w` and `s///w` write files, `r` reads files. */
export function classifySed(script: string, call: Pick<Call, 'scope' | 'classifyScript'>): readonly Effect[] {
  const reader = new SedReader(script, call);
  return reader.read() ? reader.effects : [effect('unclear', 'a script of sed that is not understood')];
}

const NO_WORDS: ReadonlySet<string> = new Set(['=', 'd', 'D', 'g', 'G', 'h', 'H', 'n', 'N', 'p', 'P', 'x', 'z', 'F']);

class SedReader {
  readonly effects: Effect[] = [];
  readonly #text: string;
  readonly #call: Pick<Call, 'scope' | 'classifyScript'>;
  #at = 0;

  constructor(text: string, call: Pick<Call, 'scope' | 'classifyScript'>) {
    this.#text = text;
    this.#call = call;
  }

  read(): boolean {
    while (this.#at < this.#text.length) {
      this.#skip(/[\s;]/);
      if (this.#at >= this.#text.length) return true;
      if (!this.#addresses() || !this.#command()) return false;
    }
    return true;
  }

  #skip(what: RegExp): void {
    while (this.#at < this.#text.length && what.test(this.#text[this.#at] ?? '')) this.#at += 1;
  }

  #addresses(): boolean {
    if (!this.#address()) return false;
    this.#skip(/[ \t]/);
    if (this.#text[this.#at] === ',') {
      this.#at += 1;
      this.#skip(/[ \t]/);
      if (!this.#address()) return false;
    }
    this.#skip(/[ \t!]/);
    return true;
  }

  #address(): boolean {
    const rest = this.#text.slice(this.#at);
    const number = /^([+~]?\d+([~]\d+)?|\$)/.exec(rest);
    if (number !== null) {
      this.#at += number[0].length;
      return true;
    }
    if (rest.startsWith('/')) return this.#pattern('/', 1) && this.#flags(/[IM]/);
    if (rest.startsWith('\\')) return this.#pattern(rest[1] ?? '', 2) && this.#flags(/[IM]/);
    return true;
  }

  #flags(what: RegExp): boolean {
    this.#skip(what);
    return true;
  }

  /** Skips to after the next delimiter that is neither escaped nor in a bracket expression. */
  #pattern(delimiter: string, skipped: number): boolean {
    this.#at += skipped;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const character = this.#text[this.#at];
      if (character === '\\') this.#at += 1;
      else if (character === delimiter) {
        this.#at += 1;
        return true;
      } else if (character === '\n' && delimiter !== '\n') return false;
    }
    return false;
  }

  #command(): boolean {
    const command = this.#text[this.#at] ?? '';
    this.#at += 1;
    if (command === '' || command === '}' || command === '{') return true;
    if (NO_WORDS.has(command)) return true;
    if (command === 's') return this.#substitute();
    if (command === 'y') return this.#pattern(this.#text[this.#at] ?? '', 1) && this.#pattern(this.#text[this.#at - 1] ?? '', 0);
    if (command === '#') return this.#line() !== null;
    if ('aic'.includes(command)) return this.#lines();
    if ('btT:'.includes(command)) return this.#label();
    if ('qQlL'.includes(command)) return this.#flags(/[ \d]/);
    if ('rR'.includes(command)) return this.#file('content');
    if ('wW'.includes(command)) return this.#file('replace');
    if (command === 'e') {
      this.effects.push(effect('starts', 'a command of sed'));
      const command = this.#line();
      if (command !== null && command.trim() !== '') this.#call.classifyScript(command);
      return command !== null;
    }
    return false;
  }

  #substitute(): boolean {
    const delimiter = this.#text[this.#at] ?? '';
    if (!this.#pattern(delimiter, 1) || !this.#pattern(delimiter, 0)) return false;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const flag = this.#text[this.#at] ?? '';
      if (flag === 'w') {
        this.#at += 1;
        return this.#file('replace');
      }
      if (flag === 'e') this.effects.push(effect('starts', 'a command of sed'));
      else if (!/[gpiImM\d]/.test(flag)) return /[\s;}]/.test(flag);
    }
    return true;
  }

  #line(): string | null {
    const end = this.#text.indexOf('\n', this.#at);
    const line = this.#text.slice(this.#at, end < 0 ? undefined : end);
    this.#at = end < 0 ? this.#text.length : end + 1;
    return line;
  }

  /** The text of `a`, `i` and `c` continues on the next line after a backslash. */
  #lines(): boolean {
    let line = this.#line();
    while (line?.endsWith('\\') && this.#at < this.#text.length) line = this.#line();
    return true;
  }

  #label(): boolean {
    this.#skip(/[ \t]/);
    this.#skip(/[^\s;}]/);
    return true;
  }

  #file(use: 'content' | 'replace'): boolean {
    const path = this.#line()?.trim() ?? '';
    if (path === '') return false;
    const found = usePath(literal(path), use, this.#call.scope);
    if (use === 'replace' && found.length > 0) this.effects.push(effect('changes', { because: 'sed-script', path, detail: path }));
    this.effects.push(...found);
    return true;
  }
}
