import {
  type CommandNode,
  eachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  parseShell,
  type Statement,
  type SyntaxNode,
  type Word,
} from '../shell-syntax/syntax.ts';
import type { Argument } from './argument.ts';
import { judgeArithmetic } from './arithmetic.ts';
import { isHijackingName } from './assignments.ts';
import { commandOutput } from './constant-output.ts';
import { expandWord } from './expand.ts';
import { find } from './findings.ts';
import { isProgram } from './judge-program.ts';
import { hidesValue } from './parameter.ts';
import { locate } from './place.ts';
import type { Input } from './program.ts';
import { judgeRedirects } from './redirects.ts';
import { innerScope, isSecretName, mergeBranch, type Scope, variableOf } from './scope.ts';
import { judgeSimple } from './simple-command.ts';
import { judgeTest } from './test-expression.ts';
import type { Finding, Part } from './verdict.ts';

/** Bash runs whole lines before it notices what stands below them. */
const TORN: Finding = {
  ...find('unclear', 'commands above a syntax error'),
  decision: 'deny',
  floor: 'D5',
};

const MOST_PARTS = 20_000;
const DEEPEST = 50;
/** How often bodies of loops are judged again for another value. */
const MOST_ROUNDS = 64;
/** The same where a pattern stands for its matches. */
const MOST_WATCHED_ROUNDS = 256;

/** What a command reads when nothing is given to it. */
export const NO_INPUT: Input = { isGiven: false, text: null, programs: [], isEscaped: false, isSecret: false };

/** `${!name}` shows the variable that another one names. */
function namesSecret({ parameter, prefix }: ParameterExpansionPart, scope: Scope): boolean {
  return isSecretName(parameter) || (prefix === '!' && isSecretName(variableOf(scope, parameter) ?? ''));
}

/** Where `find` searches, as one path for what it finds: for xargs behind it. */
function searchedBy([name, ...words]: readonly (string | null)[]): string | null {
  if (name !== 'find') return null;
  const end = words.findIndex((word) => word === null || /^[-(!]/.test(word));
  const [start = '.'] = words.slice(0, end < 0 ? undefined : end);
  if (start === null) return null;
  const isNarrow = words.some(
    (word) => word !== null && /^-(i?name|i?path|i?regex|empty|size|[acm](time|min)|newer|perm|user)/.test(word),
  );
  return isNarrow ? `${start.replace(/\/$/, '')}/x` : start;
}

/** A loop whose condition always holds, and whose body neither leaves it nor waits. */
function isEndless(node: Extract<CommandNode, { type: 'While' | 'ArithmeticFor' }>, source: string): boolean {
  if (leaves(node.body)) return false;
  if (node.type === 'ArithmeticFor') return node.test === undefined;
  const condition = source.slice(node.clause.pos, node.clause.end).replace(/[\s;]+$/, '');
  const holds = /^(true|:|\[ 1 \]|\[ 1 (=|==|-eq) 1 \]|\[\[ 1 \]\]|\(\(\s*1\s*\)\)|! false|! \[ 0 -eq 1 \])$/;
  return node.kind === 'while' ? holds.test(condition) : /^(false|! (true|:)|\(\(\s*0\s*\)\))$/.test(condition);
}

function leaves(node: SyntaxNode): boolean {
  if (node.type === 'Command' && /^(break|exit|return|sleep|read|wait|kill)$/.test(node.name?.value ?? '')) return true;
  let found = false;
  eachChild(node, (child) => {
    found ||= leaves(child);
  });
  return found;
}

type Branching = Extract<CommandNode, { type: 'If' | 'While' | 'For' | 'Select' | 'ArithmeticFor' | 'Case' }>;

/** Goes through every part of a line in the order the shell would, and keeps what it finds. What it does not know is asked. */
export class Walk {
  readonly parts: Part[] = [];
  #rounds = 0;
  #source = '';

  /** Judges a script; bash has run the lines above an error before it sees it. */
  script(script: ParsedScript, scope: Scope, input: Input = NO_INPUT): void {
    if (scope.depth > DEEPEST) {
      this.note(find('unclear', 'too deep to be judged'));
      return;
    }
    const error = script.errors?.[0];
    if (error !== undefined) this.note(this.#runsAbove(script, error.pos) ? TORN : find('unclear', error.message));
    for (const statement of script.commands) this.#statement(statement, scope, input);
  }

  /** Judges text as a script of its own. */
  text(text: string, scope: Scope, input: Input = NO_INPUT): void {
    const outer = this.#source;
    this.#source = text;
    this.script(parseShell(text), scope, input);
    this.#source = outer;
  }

  /** Keeps a finding that belongs to no command. */
  note(...findings: readonly Finding[]): void {
    if (findings.length > 0) this.parts.push({ words: [], plain: false, findings });
  }

  /** Judges what the words of a command, a list or a pattern hold within them. */
  within(node: SyntaxNode, scope: Scope, isShown = true): void {
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        if (node.script === undefined) this.note(find('unclear', node.text));
        else
          this.script(
            node.script,
            innerScope(scope),
            node.text.startsWith('>(') ? { ...NO_INPUT, isGiven: true } : NO_INPUT,
          );
        return;
      case 'SimpleExpansion':
        if (isShown && isSecretName(node.text.slice(1))) this.note(find('secrets', node.text));
        return;
      case 'ParameterExpansion':
        if (node.operation?.type === 'Transform' && node.operation.operand.text === 'P')
          this.note(find('hides', node.text));
        if (isShown && namesSecret(node, scope) && !hidesValue(node)) this.note(find('secrets', node.text));
        if (node.index !== undefined) this.note(...judgeArithmetic(node.index.text, scope, this));
        break;
      case 'ArithmeticExpansion':
        this.note(...judgeArithmetic(node.text.slice(3, -2), scope, this));
        break;
      default:
        break;
    }
    eachChild(node, (child) => this.within(child, scope, isShown));
  }

  /** Whether a whole line stands above the place of an error: bash has run it by then. */
  #runsAbove(script: ParsedScript, error: number): boolean {
    const source = script.source ?? this.#source;
    return script.commands.some((statement) => {
      const lineEnd = source.indexOf('\n', statement.end);
      return lineEnd >= 0 && lineEnd < error && /^[\s;&]*(#.*)?$/.test(source.slice(statement.end, lineEnd));
    });
  }

  #statement(statement: Statement, scope: Scope, input: Input): void {
    if (this.parts.length > MOST_PARTS) {
      if (this.parts.at(-1)?.findings[0]?.class !== 'unparseable')
        this.note(find('unclear', 'more parts than can be judged'));
      return;
    }
    const isBackground = statement.background === true;
    const inner = isBackground ? innerScope(scope) : scope;
    const command = statement.command;
    if (command.type === 'AndOr') this.#andOr(command, inner, input, isBackground);
    else this.#pipeline(command, inner, input, isBackground);
    if (isBackground) scope.hasWritten ||= inner.hasWritten;
  }

  #andOr(
    node: Extract<Statement['command'], { type: 'AndOr' }>,
    scope: Scope,
    input: Input,
    isBackground: boolean,
  ): void {
    node.commands.forEach((command, at) => {
      if (node.operators[at - 1] !== '||') {
        this.#pipeline(command, scope, input, isBackground);
        return;
      }
      const branch = innerScope(scope, { depth: scope.depth, isMaybe: true });
      this.#pipeline(command, branch, input, isBackground);
      mergeBranch(scope, branch);
    });
  }

  #pipeline(
    node: Exclude<Statement['command'], { type: 'AndOr' }>,
    scope: Scope,
    input: Input,
    isBackground: boolean,
  ): void {
    if (node.type !== 'Pipeline') {
      this.command(node, scope, input, isBackground);
      return;
    }
    if (node.commands.length === 1 && node.commands[0] !== undefined) {
      this.command(node.commands[0], scope, input, isBackground);
      return;
    }
    let piped = input;
    for (const command of node.commands) {
      const before = this.parts.length;
      const inner = innerScope(scope);
      this.command(command, inner, piped, isBackground);
      scope.hasWritten ||= inner.hasWritten;
      piped = this.#pipeFrom(command, piped, inner, this.parts.slice(before));
    }
  }

  #pipeFrom(command: CommandNode, input: Input, scope: Scope, parts: readonly Part[]): Input {
    const text = command.type === 'Command' ? commandOutput(command, input.text, scope) : null;
    const names = parts.flatMap((part) => part.words[0] ?? []);
    const isSecret =
      input.isSecret ||
      parts.some((part) => part.findings.some((finding) => finding.reason.startsWith('prints credentials')));
    const isEscaped =
      input.isEscaped ||
      (text !== null && parts.some((part) => part.words.some((word) => /\\(x[0-9a-fA-F]|[0-7]{3})/.test(word ?? ''))));
    const found = parts.flatMap(({ words }) => searchedBy(words) ?? [])[0] ?? input.found;
    return { isGiven: true, text, programs: [...input.programs, ...names], isEscaped, isSecret, found };
  }

  /** Judges one command, simple or compound. */
  command(node: CommandNode, scope: Scope, input: Input, isBackground = false): void {
    switch (node.type) {
      case 'Command':
        judgeSimple(node, { walk: this, scope, input, isBackground });
        return;
      case 'Redirected':
        this.note(...judgeRedirects(node.redirects, this, scope));
        this.command(node.command, scope, { ...input, isGiven: true, text: null }, isBackground);
        return;
      case 'Subshell':
        this.#list(node.body, innerScope(scope), input);
        return;
      case 'BraceGroup':
        this.#list(node.body, scope, input);
        return;
      case 'ArithmeticCommand':
        this.note(...judgeArithmetic(node.body, scope, this));
        if (node.expression !== undefined) this.within(node.expression, scope);
        return;
      case 'TestCommand':
        this.note(...judgeTest(node.expression, this, scope));
        return;
      case 'Function':
        this.#define(node, scope, input);
        return;
      case 'Coproc':
        this.note(find('runs', 'a coprocess'));
        this.body(node.body, innerScope(scope), input);
        return;
      default:
        this.#compound(node, scope, input);
    }
  }

  /** Judges loops and branches. */
  #compound(node: Branching, scope: Scope, input: Input): void {
    switch (node.type) {
      case 'If':
        this.#if(node, scope, input);
        return;
      case 'While':
        this.#loop([node.clause, node.body], scope, input, 1);
        if (isEndless(node, this.#source)) this.note(find('destroys', 'a loop without an end'));
        return;
      case 'For':
      case 'Select':
        this.#for(node, scope, input);
        return;
      case 'ArithmeticFor':
        for (const part of [node.initialize, node.test, node.update]) if (part !== undefined) this.within(part, scope);
        this.#loop([node.body], scope, input);
        if (isEndless(node, this.#source)) this.note(find('destroys', 'a loop without an end'));
        return;
      case 'Case':
        this.within(node.word, scope, false);
        for (const item of node.items)
          for (const pattern of item.pattern) {
            this.within(pattern, scope, false);
            if (pattern.parts?.some((part) => part.type === 'ExtendedGlob')) this.note(find('unclear', pattern.text));
          }
        this.#branches(
          node.items.map((item) => item.body),
          scope,
          input,
        );
        return;
      default:
        node satisfies never;
        this.note(find('unclear', 'a construct that the gate does not know'));
    }
  }

  #if(node: Extract<CommandNode, { type: 'If' }>, scope: Scope, input: Input): void {
    const others = node.elif.flatMap((one) => [one.clause, one.then]);
    const last = node.else === undefined ? [] : [node.else];
    this.#branches([node.clause, node.then, ...others, ...last], scope, input, 1);
  }

  /** Judges the body of a function. */
  body(node: Extract<CommandNode, { type: 'Function' | 'Coproc' }>['body'], scope: Scope, input: Input): void {
    if (node.type === 'CompoundList') this.#list(node, scope, input);
    else this.command(node, scope, input);
  }

  #list(list: { readonly commands: readonly Statement[] }, scope: Scope, input: Input): void {
    for (const statement of list.commands) this.#statement(statement, scope, input);
  }

  /** Parts of which only the first few are sure to run: what they change is not certain afterwards. */
  #branches(lists: readonly { readonly commands: readonly Statement[] }[], scope: Scope, input: Input, sure = 0): void {
    for (const [at, list] of lists.entries()) {
      const branch = innerScope(scope, at < sure ? {} : { isMaybe: true });
      this.#list(list, branch, input);
      mergeBranch(scope, branch);
    }
  }

  /** What runs again finds what it has changed itself: where that is something that was known, it is judged once more without it. */
  #loop(lists: readonly { readonly commands: readonly Statement[] }[], scope: Scope, input: Input, sure = 0): void {
    const { cwd, positional } = scope;
    const known = [...scope.variables].filter(([, value]) => value !== null);
    this.#branches(lists, scope, input, sure);
    const isKept =
      scope.cwd === cwd &&
      scope.positional === positional &&
      known.every(([name, value]) => scope.variables.get(name) === value);
    if (!isKept) this.#branches(lists, scope, input);
  }

  #for(node: Extract<CommandNode, { type: 'For' | 'Select' }>, scope: Scope, input: Input): void {
    for (const word of node.wordlist ?? []) this.within(word, scope);
    const values = this.#values(node.wordlist ?? [], scope);
    const name = node.name.text;
    if (isHijackingName(name)) this.note(find('hides', `sets ${name}`));
    if (values === null || values.length === 0) {
      scope.variables.set(name, null);
      this.#loop([node.body], scope, input);
      return;
    }
    for (const value of values) {
      scope.variables.set(name, value);
      this.#branches([node.body], scope, input, 1);
    }
  }

  /** What a loop goes through, when it is few and known. A pattern stands for its matches, if none of them can be a secret. */
  #values(words: readonly Word[], scope: Scope): readonly string[] | null {
    const all = words.flatMap((word) => expandWord(word, scope));
    this.note(...all.flatMap((one) => this.#secretMatch(one, scope)));
    for (const one of all) if (one.isExtended) this.note(find('unclear', `the pattern ${one.text}`));
    if (all.some(({ value }) => value === null)) return null;
    const { watcher } = scope;
    const values = all.flatMap((one) => (one.isGlob && watcher?.matches(one, scope)) || [one.value ?? '']);
    this.#rounds += values.length;
    return this.#rounds <= (watcher === undefined ? MOST_ROUNDS : MOST_WATCHED_ROUNDS) ? values : null;
  }

  #secretMatch(word: Argument, scope: Scope): readonly Finding[] {
    if (!word.isGlob || word.value === null) return [];
    return locate(word.value, scope.cwd, scope.ground, true).isSecret ? [find('secrets', word.text)] : [];
  }

  /** A function is judged where it stands; one that starts itself in the background fills the machine. */
  #define(node: Extract<CommandNode, { type: 'Function' }>, scope: Scope, input: Input): void {
    const name = node.name.text;
    const before = this.parts.length;
    const inner = innerScope(scope, { positional: null, calling: [...scope.calling, name], watcher: undefined });
    inner.functions.set(name, node.body);
    this.body(node.body, inner, input);
    scope.functions.set(name, node.body);
    if (isProgram(name)) this.note(find('hides', `gives ${name} another meaning`));
    const calls = this.parts.slice(before).filter((part) => part.words[0] === name);
    if (calls.some((part) => !part.plain)) this.note(find('wrecks', `${name} starts itself without end`));
    this.parts.push({ words: [], plain: false, findings: [find('changes', `defines ${name}`)] });
  }
}
