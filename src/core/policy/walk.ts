import type { Input, WordKind } from '../commands/argument.ts';
import { classifyArithmetic, isHijackingName } from '../commands/assignments.ts';
import { expandWord, isPlainText } from '../commands/expand.ts';
import { fetchedBy, findSpec } from '../commands/programs/find-program.ts';
import { feedOf, feedOfWords, searchedBy } from '../commands/programs/listing.ts';
import { type DefinedFunction, innerScope, isSecretName, isTooDeep, mergeBranch, type Scope, TOO_DEEP } from '../commands/scope.ts';
import {
  type CommandNode,
  eachChild,
  type ParsedScript,
  parseShell,
  type Statement,
  type SyntaxNode,
  type Word,
} from '../commands/syntax.ts';
import { type Effect, effect, type Part } from '../commands/verdict.ts';
import { classifyMatches, classifyRedirects, classifySimple, feedOfRedirects } from './simple-command.ts';
import { classifyExpansion, classifyTest, commandOutput, kindPrinted, withNumbers } from './test-expression.ts';
import { isEndless, surpassedBy, textsSpelled } from './whole-line.ts';

/** Bash runs complete lines before it finds an error further down. */
const TORN: Effect = effect('torn', 'commands before a syntax error');

const MOST_PARTS = 20_000;
const MOST_PARTS_OF_ROUNDS = 1000;
/** The maximum number of repeated classifications of loop bodies for different values. */
const MOST_ROUNDS = 64;

/** The input of a command without redirection or pipe. */
const NO_INPUT: Input = { isGiven: false, text: null, programs: [], isEscaped: false, isSecret: false };

/** Whether a command prints only lines from its input or operands, or the output of the command it wraps. */
function printsLines({ words: [name], effects }: Part): boolean {
  if (name === undefined || name === null) return name === undefined;
  const { passesOn, inner } = findSpec(name) ?? {};
  return passesOn === 'lines' || (inner?.after === 0 && effects.length === 0);
}

/** Whether a command prints data from another machine. */
function printsRemote({ words }: Part): boolean {
  return fetchedBy(words) === 'output';
}

type Branching = Extract<CommandNode, { type: 'If' | 'While' | 'For' | 'Select' | 'ArithmeticFor' | 'Case' }>;

/** Walks through every part of a line in execution order, and collects its effects. Unknown parts need an approval. */
export class Walk {
  readonly parts: Part[] = [];
  /** Variables whose value the line reads. */
  readonly variables = new Set<string>();
  /** Texts that the line assigns to variables, or prints for a program that reads values. */
  readonly spelled = new Set<string>();
  /** Functions that the line defines, one entry per definition. */
  readonly #defined: DefinedFunction[] = [];
  /** The kind of all words that the last pipeline prints. */
  #kind: WordKind | null = null;
  #rounds = 0;
  #source = '';

  /** Classifies a script. bash runs the lines above a syntax error before it reads the error. */
  script(script: ParsedScript, scope: Scope, input: Input = NO_INPUT): void {
    if (isTooDeep(scope)) {
      this.note(TOO_DEEP);
      return;
    }
    const outer = this.#source;
    this.#source = script.source ?? outer;
    const error = script.errors?.[0];
    if (error !== undefined) this.note(this.#runsAbove(script, error.pos) ? TORN : effect('unclear', error.message));
    for (const statement of script.commands) this.#statement(statement, scope, input);
    this.#source = outer;
  }

  /** Classifies text as a separate script. */
  text(text: string, scope: Scope, input: Input = NO_INPUT): void {
    const outer = this.#source;
    this.#source = text;
    this.script(parseShell(text), scope, input);
    this.#source = outer;
  }

  /** Records an effect that belongs to no command. */
  note(...effects: readonly Effect[]): void {
    if (effects.length > 0) this.parts.push({ words: [], plain: false, effects });
  }

  /** Classifies the contents of the words in a command, a list or a pattern. */
  within(node: SyntaxNode, scope: Scope, isShown = true): void {
    for (const text of textsSpelled(node)) this.spelled.add(text);
    if ((node.type === 'Word' || node.type === 'Assignment') && isPlainText(node.text)) return;
    switch (node.type) {
      case 'CommandExpansion':
      case 'ProcessSubstitution':
      case 'ArithmeticCommandExpansion':
        this.#substituted(node, scope);
        return;
      case 'SimpleExpansion':
        this.variables.add(node.text.slice(1));
        if (isShown && isSecretName(node.text.slice(1))) this.note(effect('secrets', node.text));
        return;
      case 'ParameterExpansion':
        this.variables.add(node.parameter);
        this.note(...classifyExpansion(node, scope, this, isShown));
        break;
      case 'ArithmeticExpansion': {
        eachChild(node, (child) => this.within(child, scope, isShown));
        // `$[…]` is the older form of `$((…))`.
        const written = node.text.startsWith('$[') ? node.text.slice(2, -1) : node.text.slice(3, -2);
        this.note(...classifyArithmetic(withNumbers(node, written, scope), scope, this));
        return;
      }
      default:
        break;
    }
    eachChild(node, (child) => this.within(child, scope, isShown));
  }

  #substituted({ script, text }: Extract<SyntaxNode, { readonly script?: unknown }>, scope: Scope): void {
    if (script === undefined) {
      this.note(effect('unclear', text));
      return;
    }
    const before = this.parts.length;
    this.script(script, innerScope(scope), text.startsWith('>(') ? { ...NO_INPUT, isGiven: true } : NO_INPUT);
    const isFile = /^(?:\$\(|`)\s*</.test(text);
    if (this.parts.slice(before).some(printsRemote)) scope.remote.add(text);
    const isOne = script.commands.length === 1 && script.commands[0]?.command.type !== 'AndOr';
    const kind = isOne ? this.#kind : null;
    if (kind === null) scope.kinds.delete(script);
    else scope.kinds.set(script, kind);
    const feed = isFile ? 'text' : kind !== null ? 'names' : feedOf(this.parts.slice(before), scope.context);
    scope.feeds.set(script, feed ?? 'names');
  }

  /** Whether a complete line precedes an error, because bash has run it by then. */
  #runsAbove(script: ParsedScript, error: number): boolean {
    const source = script.source ?? this.#source;
    return script.commands.some((statement) => {
      const lineEnd = source.indexOf('\n', statement.end);
      return lineEnd >= 0 && lineEnd < error && /^[\s;&]*(#.*)?$/.test(source.slice(statement.end, lineEnd));
    });
  }

  #statement(statement: Statement, scope: Scope, input: Input): void {
    if (this.parts.length > MOST_PARTS) {
      if (this.parts.at(-1)?.effects[0]?.class !== 'unparseable')
        this.note(effect('unclear', 'the command has too many parts to classify'));
      return;
    }
    const isBackground = statement.background === true;
    const inner = isBackground ? innerScope(scope) : scope;
    const command = statement.command;
    if (command.type === 'AndOr') this.#andOr(command, inner, input, isBackground);
    else this.#pipeline(command, inner, input, isBackground);
    if (isBackground) scope.hasWritten ||= inner.hasWritten;
  }

  #andOr(node: Extract<Statement['command'], { type: 'AndOr' }>, scope: Scope, input: Input, isBackground: boolean): void {
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

  #pipeline(node: Exclude<Statement['command'], { type: 'AndOr' }>, scope: Scope, input: Input, isBackground: boolean): void {
    const { commands, operators } = node.type === 'Pipeline' ? node : { commands: [node], operators: [] };
    const [only] = commands;
    if (only !== undefined && commands.length === 1) {
      this.command(only, scope, input, isBackground);
      this.#kind = kindPrinted(only, this.parts.at(-1), input.kind);
      return;
    }
    let piped = input;
    for (const [at, command] of commands.entries()) {
      const before = this.parts.length;
      const inner = innerScope(scope);
      this.command(command, inner, piped, isBackground);
      scope.hasWritten ||= inner.hasWritten;
      this.#kind = kindPrinted(command, this.parts.at(-1), piped.kind);
      // The kind of an error output is unknown.
      const kind = operators[at] === '|&' ? null : this.#kind;
      piped = { ...this.#pipeFrom(command, piped, inner, this.parts.slice(before)), kind };
    }
  }

  #pipeFrom(command: CommandNode, input: Input, scope: Scope, parts: readonly Part[]): Input {
    const text = command.type === 'Command' ? commandOutput(command, input.text, scope) : null;
    const names = parts.flatMap((part) => part.words[0] ?? []).filter((name) => !input.programs.includes(name));
    const isSecret = input.isSecret || parts.some((part) => part.effects.some((effect) => effect.kind === 'secrets'));
    const isEscaped =
      input.isEscaped || (text !== null && parts.some((part) => part.words.some((word) => /\\(x[0-9a-fA-F]|[0-7]{3})/.test(word ?? ''))));
    const found = parts.flatMap(({ words }) => searchedBy(words) ?? [])[0] ?? input.found;
    const listed = feedOf(parts, scope.context, input.feed);
    // Words visible in the line are examined themselves.
    const feed = text !== null && listed === 'text' ? 'names' : listed;
    // A long pipe of a few programs does not grow with each of them.
    const programs = names.length === 0 ? input.programs : [...input.programs, ...names];
    const isRemote = input.isRemote === true || parts.some(printsRemote);
    const isList = input.isList !== false && parts.every(printsLines);
    return { isGiven: true, text, programs, isEscaped, isList, isRemote, isSecret, found, feed };
  }

  /** Classifies one command, simple or compound. */
  command(node: CommandNode, scope: Scope, input: Input, isBackground = false): void {
    switch (node.type) {
      case 'Command':
        classifySimple(node, { walk: this, scope, input, isBackground });
        return;
      case 'Redirected':
        this.#redirected(node, scope, input, isBackground);
        return;
      case 'Subshell':
        this.#list(node.body, innerScope(scope), input);
        return;
      case 'BraceGroup':
        this.#list(node.body, scope, input);
        return;
      case 'ArithmeticCommand':
        this.#evaluated(node.expression, node.body, scope);
        return;
      case 'TestCommand':
        this.note(...classifyTest(node.expression, this, scope));
        return;
      case 'Function':
        this.#define(node, scope, input);
        return;
      case 'Coproc':
        this.note(effect('runs', 'a coprocess'));
        this.body(node.body, innerScope(scope), input);
        return;
      default:
        this.#compound(node, scope, input);
    }
  }

  /** The file contains the output only after the commands have run. */
  #redirected(node: Extract<CommandNode, { type: 'Redirected' }>, scope: Scope, input: Input, isBackground: boolean): void {
    const found = classifyRedirects(node.redirects, this, scope);
    const feed = feedOfRedirects(node.redirects, scope) ?? input.feed;
    this.command(node.command, scope, { ...input, isGiven: true, text: null, feed, kind: null }, isBackground);
    this.note(...found);
  }

  /** Classifies loops and branches. */
  #compound(node: Branching, scope: Scope, input: Input): void {
    switch (node.type) {
      case 'If':
        this.#if(node, scope, input);
        return;
      case 'While':
        this.#loop([node.clause, node.body], scope, input, 1);
        if (isEndless(node, this.#source)) this.note(effect('destroys', 'an endless loop'));
        return;
      case 'For':
      case 'Select':
        this.#for(node, scope, input);
        return;
      case 'ArithmeticFor':
        this.#counts(node, scope);
        this.#loop([node.body], scope, input);
        if (isEndless(node, this.#source)) this.note(effect('destroys', 'an endless loop'));
        return;
      case 'Case':
        this.within(node.word, scope, false);
        for (const item of node.items)
          for (const pattern of item.pattern) {
            this.within(pattern, scope, false);
            if (pattern.parts?.some((part) => part.type === 'ExtendedGlob')) this.note(effect('unclear', pattern.text));
          }
        this.#branches(
          node.items.map((item) => item.body),
          scope,
          input,
        );
        return;
      default:
        node satisfies never;
        this.note(effect('unclear', 'a construct that aish does not know'));
    }
  }

  /** The three expressions of `for ((…))`: the first is evaluated before the others are read. */
  #counts(node: Extract<CommandNode, { type: 'ArithmeticFor' }>, scope: Scope): void {
    const head = this.#source.slice(node.pos, node.body.pos);
    const expressions = head.slice(head.indexOf('((') + 2, head.lastIndexOf('))')).split(';');
    const parts = [node.initialize, node.test, node.update];
    for (const [at, text] of expressions.entries()) this.#evaluated(parts[at], text, scope);
  }

  /** Evaluates an expression in which substitutions that print digits count as digits. */
  #evaluated(expression: SyntaxNode | undefined, text: string, scope: Scope): void {
    if (expression !== undefined) this.within(expression, scope);
    this.note(...classifyArithmetic(expression === undefined ? text : withNumbers(expression, text, scope), scope, this));
  }

  #if(node: Extract<CommandNode, { type: 'If' }>, scope: Scope, input: Input): void {
    const others = node.elif.flatMap((one) => [one.clause, one.then]);
    const last = node.else === undefined ? [] : [node.else];
    this.#branches([node.clause, node.then, ...others, ...last], scope, input, 1);
  }

  body(node: Extract<CommandNode, { type: 'Function' | 'Coproc' }>['body'], scope: Scope, input: Input): void {
    if (node.type === 'CompoundList') this.#list(node, scope, input);
    else this.command(node, scope, input);
  }

  #list(list: { readonly commands: readonly Statement[] }, scope: Scope, input: Input): void {
    for (const statement of list.commands) this.#statement(statement, scope, input);
  }

  /** Classifies lists of which only the first `sure` certainly run. Returns whether all known values are still known. */
  #branches(lists: readonly { readonly commands: readonly Statement[] }[], scope: Scope, input: Input, sure = 0): boolean {
    if (isTooDeep(scope)) {
      this.note(TOO_DEEP);
      return true;
    }
    let isKept = true;
    for (const [at, list] of lists.entries()) {
      const branch = innerScope(scope, at < sure ? {} : { isMaybe: true });
      this.#list(list, branch, input);
      isKept = mergeBranch(scope, branch, at < sure) && isKept;
    }
    return isKept;
  }

  /** Classifies a loop body again if it changes values that were known before its first run. */
  #loop(lists: readonly { readonly commands: readonly Statement[] }[], scope: Scope, input: Input, sure = 0): void {
    if (!this.#branches(lists, scope, input, sure)) this.#branches(lists, scope, input);
  }

  #for(node: Extract<CommandNode, { type: 'For' | 'Select' }>, scope: Scope, input: Input): void {
    for (const word of node.wordlist ?? []) this.within(word, scope);
    const words = (node.wordlist ?? []).flatMap((word) => expandWord(word, scope));
    const listed = feedOfWords(words, scope);
    const values = this.#values(node.wordlist ?? [], scope);
    const name = node.name.text;
    if (isHijackingName(name)) this.note(effect('hides', { because: 'assignment', detail: name }));
    if (listed === undefined) scope.fed.delete(name);
    else scope.fed.set(name, listed);
    if (values === null || values.length === 0) {
      scope.variables.set(name, null);
      if (words.length > 0 && words.every(({ isNumber, isHash }) => isNumber || isHash))
        scope.variables.setKind(name, words.every(({ isNumber }) => isNumber) ? 'number' : 'hash');
      this.#loop([node.body], scope, input);
      return;
    }
    for (const value of values) {
      // So many parts need an approval anyway: the remaining values are classified at once as one unknown value.
      const isOver = this.parts.length > MOST_PARTS_OF_ROUNDS;
      scope.variables.set(name, isOver ? null : value);
      this.#branches([node.body], scope, input, 1);
      if (isOver) return;
    }
  }

  /** The values of a loop, if they are few and known. A pattern represents itself if none of its matches can be a secret. */
  #values(words: readonly Word[], scope: Scope): readonly string[] | null {
    const all = words.flatMap((word) => expandWord(word, scope));
    this.note(...all.flatMap((one) => classifyMatches(one, scope)));
    for (const one of all) if (one.isExtended) this.note(effect('unclear', `the pattern ${one.text}`));
    if (all.some(({ value }) => value === null)) return null;
    for (const word of all) if (word.isGlob) scope.trace?.push({ type: 'loop', word, cwd: scope.cwd, isMaybe: scope.isMaybe });
    const values = all.flatMap(({ value }) => value ?? []);
    this.#rounds += values.length;
    return this.#rounds <= MOST_ROUNDS ? values : null;
  }

  /** Classifies a function at its definition; a function that starts itself in the background would fill the machine. */
  #define(node: Extract<CommandNode, { type: 'Function' }>, scope: Scope, input: Input): void {
    const name = node.name.text;
    const before = this.parts.length;
    const inner = innerScope(scope, { positional: null, calling: [...scope.calling, name], trace: null });
    const defined: DefinedFunction = { name, body: node.body, shell: scope.shell, found: [], calls: 'none' };
    this.#defined.push(defined);
    inner.functions.set(name, defined);
    this.body(node.body, inner, input);
    scope.functions.set(name, defined);
    if (findSpec(name) !== undefined) this.note(effect('hides', `redefines ${name}`));
    const calls = this.parts.slice(before).filter((part) => part.words[0] === name);
    if (calls.some((part) => !part.plain)) this.note(effect('wrecks', `${name} calls itself endlessly`));
    this.note(effect('changes', `defines ${name}`));
    defined.found = this.parts.slice(before);
  }

  /** All parts, without those that calls of functions have made more precise. */
  sum(): readonly Part[] {
    const surpassed = surpassedBy(this.#defined);
    return surpassed.size === 0 ? this.parts : this.parts.filter((part) => !surpassed.has(part));
  }
}
