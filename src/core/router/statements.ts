import { isRedirection, type Lexed, type Token, type WordToken } from './lexer.ts';

/** One command with its operands, as the shell would start it. */
export interface SimpleCommand {
  readonly assignments: readonly WordToken[];
  readonly words: readonly WordToken[];
  readonly redirections: readonly WordToken[];
  /** The operator before it: empty for the first of the input. */
  readonly after: string;
}

/** A line as the shell's grammar sees it. */
export interface Statements {
  readonly commands: readonly SimpleCommand[];
  /** False where the shell would answer with a syntax error. */
  readonly valid: boolean;
  /** The shell would ask for more. */
  readonly open: boolean;
  /** Loops, conditionals, groups, functions, tests: what stands without a command's name. */
  readonly compound: boolean;
}

type Frame = 'if' | 'loop' | 'head' | 'case' | 'group' | 'subshell';

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*(\[[^\]]*\])?\+?=/;

const COMPOUND = /^(for|while|until|if|case|select|\{)$/;

/** Walks the tokens by the shell's grammar, loosely: enough to tell a loop from a sentence that begins with `for`. */
export function parseStatements(lexed: Lexed): Statements {
  return new Walk(lexed).run();
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
  /** The last operator wants a command after it. */
  #wants = false;

  constructor(lexed: Lexed) {
    this.#tokens = lexed.tokens;
    this.#openText = lexed.open;
  }

  run(): Statements {
    while (this.#valid && this.#at < this.#tokens.length) this.#step();
    const open = this.#openText || this.#frames.length > 0 || this.#wants;
    return { commands: this.#commands, valid: this.#valid, open, compound: this.#compound };
  }

  #step(): void {
    const token = this.#tokens[this.#at];
    if (token === undefined) return;
    if (token.type === 'operator') this.#operator(token.text);
    else if (this.#closed) this.#valid = false;
    else if (token.type === 'test') this.#close();
    else if (!this.#keyword(token)) this.#simple();
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
        return this.#closes('group');
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
    if (next?.type === 'operator' && next.text === '(' && token.quoting === 'none') return this.#definition(token);
    return false;
  }

  /** `time` before a compound is a keyword; before anything else it is judged as a command that runs another. */
  #time(): boolean {
    const next = this.#tokens[this.#at + 1];
    const compound =
      next?.type === 'test' || operatorText(next) === '(' || (next?.type === 'word' && COMPOUND.test(next.raw));
    if (compound) this.#at++;
    return compound;
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
    if (this.#frames.pop() !== 'head') this.#valid = false;
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
    this.#frames.push('head');
    this.#begin();
    const name = this.#tokens[this.#at];
    if (name?.type === 'test' && name.raw.startsWith('((')) this.#at++;
    else if (name?.type === 'word' && /^[A-Za-z_]\w*$/.test(name.raw)) {
      this.#at++;
      this.#forWords();
    } else this.#valid = false;
    this.#closed = this.#frames.at(-1) === 'head';
    return true;
  }

  #forWords(): undefined {
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
    let proof = false;
    for (let token = this.#tokens[this.#at]; token?.type === 'word'; token = this.#tokens[this.#at]) {
      proof ||= token.expands || token.quoting !== 'none' || /[*?[\]{}/\d._-]/.test(token.raw);
      this.#at++;
    }
    if (!proof && this.#at >= this.#tokens.length) this.#valid = false;
  }

  /** The short form of zsh: `for f (*.txt) command`. */
  #forList(): undefined {
    this.#at++;
    let proof = false;
    for (let token = this.#tokens[this.#at]; token?.type === 'word'; token = this.#tokens[this.#at]) {
      proof ||= token.expands || /[*?[\]{}/\d._-]/.test(token.raw);
      this.#at++;
    }
    if (!proof || operatorText(this.#tokens[this.#at]) !== ')') this.#valid = false;
    this.#at++;
    this.#frames.pop();
    this.#begin();
  }

  #case(): true {
    const [subject, keyword] = [this.#tokens[this.#at + 1], this.#tokens[this.#at + 2]];
    this.#at += 3;
    this.#frames.push('case');
    this.#begin();
    const known =
      subject?.type === 'word' && (subject.expands || this.#tokens.some((token) => operatorText(token) === ')'));
    if (!known) this.#valid = false;
    const complete = subject?.type === 'word' && keyword?.type === 'word' && keyword.raw === 'in';
    if (!complete || (this.#at >= this.#tokens.length && !subject.expands)) this.#valid = false;
    this.#pattern();
    return true;
  }

  /** Reads a pattern of `case` up to its parenthesis, or the end of the construct. */
  #pattern(): undefined {
    while (this.#tokens[this.#at]?.type === 'operator' && operatorText(this.#tokens[this.#at]) === '\n') this.#at++;
    const first = this.#tokens[this.#at];
    if (first === undefined || (first.type === 'word' && first.raw === 'esac')) return;
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
    const name = this.#tokens[this.#at + 1];
    this.#at += 2;
    this.#begin();
    if (name?.type !== 'word') this.#valid = false;
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
    const opens = body?.type === 'test' || operatorText(body) === '(' || (body?.type === 'word' && body.raw === '{');
    if (!opens) this.#valid = false;
  }

  #simple(): undefined {
    const assignments: WordToken[] = [];
    const words: WordToken[] = [];
    const redirections: WordToken[] = [];
    for (let token = this.#tokens[this.#at]; token !== undefined; token = this.#tokens[this.#at]) {
      if (token.type === 'test') this.#valid = false;
      if (token.type === 'word') {
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
    this.#simpleEnd({ assignments, words, redirections, after: this.#after });
  }

  #simpleEnd(command: SimpleCommand): void {
    this.#commands.push(command);
    this.#wants = false;
    this.#after = ' ';
  }
}

function operatorText(token: Token | undefined): string | null {
  return token?.type === 'operator' ? token.text : null;
}
