import { isBlock, isRedirection, type Lexed, operatorText, type Token, type WordToken } from './lexer.ts';
import type { ShellFacts } from './shell-facts.ts';
import type { SimpleCommand, Statements } from './statement.ts';
import { isLoopOver } from './words.ts';

type Frame = 'if' | 'loop' | 'head' | 'for' | 'each' | 'case' | 'group' | 'subshell';

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=/;

const COMPOUND = /^(for|while|until|if|case|select|\{)$/;

/** Walks the tokens by the shell's grammar, loosely: enough to tell a loop from a sentence that begins with `for`. */
export function parseStatements(lexed: Lexed, shell: ShellFacts['shell'] = 'bash'): Statements {
  return new Walk(lexed, shell === 'zsh').run();
}

class Walk {
  readonly #tokens: readonly Token[];
  readonly #openText: boolean;
  readonly #commands: SimpleCommand[] = [];
  readonly #frames: Frame[] = [];
  #at = 0;
  #valid = true;
  #compound = false;
  #after = '';
  /** A command just ended with a closing keyword: only an operator or a redirection may follow. */
  #closed = false;
  #isAnonymous = false;
  /** The last operator wants a command after it. */
  #wants = false;
  /** The short forms of zsh count. */
  readonly #isZsh: boolean;

  constructor(lexed: Lexed, isZsh: boolean) {
    this.#isZsh = isZsh;
    this.#tokens = lexed.tokens;
    this.#openText = lexed.open;
  }

  run(): Statements {
    while (this.#valid && this.#at < this.#tokens.length) this.#step();
    const open = this.#openText || this.#frames.length > 0 || this.#wants;
    const trailing = /^&[|!]?$/.test(operatorText(this.#tokens.at(-1)) ?? '');
    return { commands: this.#commands, valid: this.#valid, open, compound: this.#compound, trailing };
  }

  #step(): void {
    const token = this.#tokens[this.#at];
    if (token === undefined) return;
    if (token.type === 'operator') this.#operator(token.text);
    else if (this.#closed) this.#valid = this.#shortForm(token);
    else if (token.type === 'test') this.#close();
    else if (this.#frames.at(-1) === 'for' && token.raw !== 'do') this.#valid = this.#shortForm(token);
    else if (!this.#keyword(token)) this.#simple();
  }

  /** The short form that zsh takes right behind the head of a loop or of a condition, or behind a block; false if this is no such form. */
  #shortForm(token: Token): boolean {
    const word = token.type === 'word' ? token.raw : '';
    const top = this.#frames.at(-1);
    if (!this.#isZsh) return false;
    this.#closed = false;
    if (word === 'else' || word === 'elif') {
      if (word === 'elif') this.#frames.push('if');
      this.#at++;
      this.#begin();
    } else if (word === 'always') this.#at++;
    else if (this.#isAnonymous && top === undefined) this.#takeWords(true);
    else if (top === 'if' || top === 'head' || top === 'for') return this.#shortBody(token, word);
    else return top === 'each' && word === 'end' && this.#closes('each');
    return true;
  }

  /** The body of a loop or a condition without `do` or `then`. */
  #shortBody(token: Token, word: string): boolean {
    if (word !== 'do' && word !== 'then') this.#frames.pop();
    if (token.type === 'test') this.#close();
    else if (token.type === 'word' && !this.#keyword(token)) this.#simple();
    return true;
  }

  #close(): void {
    this.#at++;
    this.#compound = true;
    this.#closed = true;
    this.#wants = false;
  }

  #operator(text: string): undefined {
    if (isRedirection(text) && this.#closed) {
      this.#at += 2;
      return;
    }
    if (isRedirection(text)) return this.#simple();
    this.#at++;
    if (text === '(' && this.#isZsh && operatorText(this.#tokens[this.#at]) === ')') return this.#anonymous();
    if (text === '(') return this.#openSubshell();
    if (text === ')') return this.#closeSubshell();
    if (text === '\n') {
      this.#closed = false;
      this.#after = this.#wants ? this.#after : text;
      return;
    }
    const caseEnd = /^;;|^;&/.test(text);
    if (caseEnd) {
      if (this.#frames.at(-1) !== 'case') this.#valid = false;
      this.#closed = false;
      return this.#pattern();
    }
    if (this.#wants || (!this.#closed && !this.#ended())) this.#valid = false;
    this.#closed = false;
    this.#after = text;
    this.#wants = text === '|' || text === '||' || text === '&&' || text === '|&';
  }

  /** Whether a command stands right before this operator. */
  #ended(): boolean {
    const before = this.#tokens[this.#at - 2];
    return before !== undefined && (before.type !== 'operator' || before.text === ')');
  }

  /** `() { … } words`: a function of zsh without a name. */
  #anonymous(): undefined {
    this.#at++;
    this.#isAnonymous = true;
    this.#begin();
    this.#body();
  }

  #openSubshell(): undefined {
    if (this.#closed) this.#valid = false;
    this.#frames.push('subshell');
    this.#begin();
  }

  #closeSubshell(): undefined {
    if (this.#frames.pop() !== 'subshell') this.#valid = false;
    this.#closed = true;
    this.#wants = false;
  }

  #begin(): undefined {
    this.#compound = true;
    this.#closed = false;
    this.#wants = false;
    this.#after = '';
  }

  /** Takes a keyword at the place of a command; false where the word is none. */
  #keyword(token: WordToken): boolean {
    const next = this.#tokens[this.#at + 1];
    switch (token.raw) {
      case 'if':
      case 'while':
      case 'until':
        return this.#opens(token.raw === 'if' ? 'if' : 'head');
      case 'then':
      case 'elif':
      case 'else':
        return this.#within('if');
      case 'do':
        return this.#do();
      case 'fi':
        return this.#closes('if');
      case 'done':
        return this.#closes('loop');
      case 'esac':
        return this.#closes('case');
      case '}':
        return this.#closes(this.#isZsh && this.#frames.at(-1) === 'case' ? 'case' : 'group');
      case '{':
        return this.#opens('group');
      case '!':
        this.#at++;
        return true;
      case 'time':
        return this.#time();
      case 'for':
      case 'select':
        return this.#for();
      case 'case':
        return this.#case();
      case 'function':
        return this.#function();
    }
    if (this.#isZsh && this.#loopOfZsh(token.raw, next)) return true;
    if (next?.type === 'operator' && next.text === '(' && token.quoting === 'none') return this.#definition(token);
    return false;
  }

  /** `time` before a compound is a keyword; before anything else it is classified as a command that runs another. */
  #time(): boolean {
    const next = this.#tokens[this.#at + 1];
    const compound = next?.type === 'test' || operatorText(next) === '(' || (next?.type === 'word' && COMPOUND.test(next.raw));
    if (compound) this.#at++;
    return compound;
  }

  /** `repeat 3 …`, `foreach x (…) … end`. */
  #loopOfZsh(word: string, next: Token | undefined): boolean {
    if (word === 'end' && this.#frames.at(-1) === 'each') return this.#closes('each');
    if (word === 'repeat' && next?.type === 'word' && (next.expands || /^\d+$/.test(next.raw))) {
      this.#at += 2;
      this.#frames.push('for');
      this.#begin();
      this.#closed = true;
      return true;
    }
    if (word !== 'foreach' || operatorText(this.#tokens[this.#at + 2]) !== '(') return false;
    this.#at += 2;
    this.#frames.push('for');
    this.#forList();
    this.#frames.push('each');
    return true;
  }

  #opens(frame: Frame): true {
    this.#at++;
    this.#frames.push(frame);
    this.#begin();
    return true;
  }

  #within(frame: Frame): true {
    this.#at++;
    if (this.#frames.at(-1) !== frame) this.#valid = false;
    this.#begin();
    return true;
  }

  #do(): true {
    this.#at++;
    if (!/^(head|for)$/.test(this.#frames.pop() ?? '')) this.#valid = false;
    this.#frames.push('loop');
    this.#begin();
    return true;
  }

  #closes(frame: Frame): true {
    if (this.#frames.pop() !== frame) this.#valid = false;
    this.#close();
    return true;
  }

  #for(): true {
    this.#at++;
    this.#frames.push('for');
    this.#begin();
    const name = this.#tokens[this.#at];
    if (name?.type === 'test' && name.raw.startsWith('((')) this.#at++;
    else if (name?.type === 'word' && /^[A-Za-z_]\w*$/.test(name.raw)) {
      this.#at++;
      if (this.#isZsh) this.#forNames();
      this.#forWords(name.raw);
    } else this.#valid = false;
    this.#closed = this.#frames.at(-1) === 'for';
    return true;
  }

  /** `for key value (…)`, `for key value in …`: two words at a time. */
  #forNames(): void {
    const end = this.#tokens.findIndex(
      (token, at) => at >= this.#at && !(token.type === 'word' && /^(?!in$)[A-Za-z_]\w*$/.test(token.raw)),
    );
    const next = this.#tokens[end];
    if (operatorText(next) === '(' || (end > this.#at && next?.type === 'word' && next.raw === 'in')) this.#at = end;
  }

  #forWords(name: string): undefined {
    const next = this.#tokens[this.#at];
    if (next === undefined) this.#valid = false;
    if (operatorText(next) === '(') return this.#forList();
    if (next?.type !== 'word') return;
    if (next.raw === 'do') {
      this.#at++;
      this.#frames.splice(-1, 1, 'loop');
      return;
    }
    if (next.raw !== 'in') this.#valid = false;
    this.#at++;
    const from = this.#at;
    const proof = this.#takeWords() || isLoopOver(name, this.#tokens.slice(from, this.#at));
    if (!proof && this.#at >= this.#tokens.length) this.#valid = false;
  }

  /** Takes the words of a list; false where they may all be those of a sentence. */
  #takeWords(closes = false): boolean {
    let proof = false;
    for (let token = this.#tokens[this.#at]; token?.type === 'word'; token = this.#tokens[this.#at]) {
      proof ||= token.expands || token.quoting !== 'none' || /[*?[\]{}/\d._-]/.test(token.raw);
      this.#at++;
    }
    this.#closed ||= closes;
    return proof;
  }

  /** The short form of zsh: `for f (*.txt) command`. */
  #forList(): undefined {
    this.#at++;
    const proof = this.#takeWords();
    if (!(proof || this.#isZsh) || operatorText(this.#tokens[this.#at]) !== ')') this.#valid = false;
    this.#at++;
    this.#frames.pop();
    this.#begin();
  }

  #case(): true {
    const [subject, keyword] = [this.#tokens[this.#at + 1], this.#tokens[this.#at + 2]];
    this.#at += 3;
    this.#frames.push('case');
    this.#begin();
    const begins = (keyword?.type === 'word' && keyword.raw === 'in') || (this.#isZsh && isBlock(keyword));
    const complete = subject?.type === 'word' && begins;
    const isLast = this.#at >= this.#tokens.length;
    const known = complete && (isLast || subject.expands || this.#tokens.some((token) => operatorText(token) === ')'));
    if (!known) this.#valid = false;
    this.#pattern();
    return true;
  }

  /** Reads a pattern of `case` up to its parenthesis, or the end of the construct. */
  #pattern(): undefined {
    while (this.#tokens[this.#at]?.type === 'operator' && operatorText(this.#tokens[this.#at]) === '\n') this.#at++;
    const first = this.#tokens[this.#at];
    if (first === undefined || (first.type === 'word' && (first.raw === 'esac' || first.raw === '}'))) return;
    if (operatorText(first) === '(') this.#at++;
    while (this.#at < this.#tokens.length) {
      const text = operatorText(this.#tokens[this.#at]);
      this.#at++;
      if (text === ')') return this.#begin();
      if (text !== null && text !== '|') break;
    }
    this.#valid = this.#at >= this.#tokens.length && this.#valid;
  }

  #function(): true {
    if (this.#tokens[this.#at + 1]?.type !== 'word') this.#valid = false;
    this.#at += 2;
    this.#begin();
    const body = this.#tokens.findIndex((token, at) => at >= this.#at && !(token.type === 'word' && /^[\w-]+$/.test(token.raw)));
    // zsh gives one block to several names.
    if (this.#isZsh && isBlock(this.#tokens[body])) this.#at = body;
    if (operatorText(this.#tokens[this.#at]) === '(') {
      if (operatorText(this.#tokens[this.#at + 1]) !== ')') this.#valid = false;
      this.#at += 2;
    }
    this.#body();
    return true;
  }

  #definition(token: WordToken): true {
    if (operatorText(this.#tokens[this.#at + 2]) !== ')' || !/^[^$"'`=]+$/.test(token.raw)) this.#valid = false;
    this.#at += 3;
    this.#begin();
    this.#body();
    return true;
  }

  #body(): void {
    while (operatorText(this.#tokens[this.#at]) === '\n') this.#at++;
    const body = this.#tokens[this.#at];
    const opens = body?.type === 'test' || operatorText(body) === '(' || isBlock(body);
    // In zsh a function may be one command without braces.
    if (!opens && !(this.#isZsh && body?.type === 'word')) this.#valid = false;
  }

  #simple(): undefined {
    const assignments: WordToken[] = [];
    const words: WordToken[] = [];
    const redirections: WordToken[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token.type === 'test') this.#valid = false;
      if (token.type === 'word') {
        if (token.raw === '}' && words.length > 0 && this.#endsHere()) break;
        this.#at++;
        if (words.length === 0 && ASSIGNMENT.test(token.raw)) assignments.push(token);
        else words.push(token);
      } else if (token.type === 'operator' && isRedirection(token.text)) {
        const target = this.#tokens[this.#at + 1];
        this.#at += 2;
        if (target?.type === 'word') redirections.push(target);
        else this.#valid = false;
      } else break;
    }
    if (operatorText(this.#tokens[this.#at]) === '(') this.#valid = false;
    this.#commands.push({ assignments, words, redirections, after: this.#after });
    this.#wants = false;
    this.#after = ' ';
  }

  /** In zsh a closing brace ends the block wherever it stands; in bash it is a word like any, and prose goes on behind it. */
  #endsHere(): boolean {
    const frame = this.#frames.at(-1);
    if (frame !== 'group' && !(this.#isZsh && frame === 'case')) return false;
    if (!this.#isZsh && this.#tokens[this.#at + 1]?.type === 'word') this.#valid = false;
    return this.#isZsh;
  }
}
