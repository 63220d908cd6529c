import { type Argument, type Feed, type Input, unknown, wider } from '../commands/argument.ts';
import { classifyAssignment, classifySubscripts, isHijackingName } from '../commands/assignments.ts';
import { expandSingle, expandWord } from '../commands/expand.ts';
import { usePath } from '../commands/path-use.ts';
import { locate } from '../commands/place.ts';
import { classifyProgram } from '../commands/programs/classify-program.ts';
import { findProgram, findSpec } from '../commands/programs/find-program.ts';
import { protectSelf } from '../commands/programs/self-protection.ts';
import { type FunctionBody, innerScope, isTooDeep, mergeBranch, type Scope, TOO_DEEP } from '../commands/scope.ts';
import type { Call } from '../commands/spec.ts';
import type { Assignment, Command, Redirection, SyntaxNode } from '../commands/syntax.ts';
import { classifyLook } from '../commands/text-check.ts';
import { type Effect, effect, type Part, type TraceEntry } from '../commands/verdict.ts';
import { inputOf } from './test-expression.ts';

interface Walking {
  readonly parts: Part[];
  note(...effects: readonly Effect[]): void;
  within(node: SyntaxNode, scope: Scope, isShown?: boolean): void;
  text(text: string, scope: Scope, input?: Input): void;
  body(node: FunctionBody, scope: Scope, input: Input): void;
}

/** The surroundings of a simple command. */
interface Standing {
  readonly walk: Walking;
  readonly scope: Scope;
  readonly input: Input;
  readonly isBackground: boolean;
}

/** Classifies a simple command: its redirections, its assignments, and the program with its words. */
export function classifySimple(command: Command, standing: Standing): void {
  const { walk, scope } = standing;
  const redirected = classifyRedirects(command.redirects, walk, scope);
  const assignments = command.prefix.filter((part) => part.type === 'Assignment');
  const isCall = command.name !== undefined;
  const assigned = assignments.flatMap((one) => classifyAssignment(one, isCall, walk, scope, command.name?.text === 'read'));
  if (command.name === undefined) {
    const emptied = assignments.length === 0 ? classifyEmptied(command.redirects, scope) : [];
    walk.parts.push({ words: [], plain: false, effects: [...redirected, ...assigned, ...emptied] });
    return;
  }
  walk.within(command.name, scope);
  // A program that only tests its operands does not print them.
  const isShown = findSpec(command.name.value)?.prints !== 'status';
  const isMap = command.args.some(({ text }) => /^-\w*A\w*$/.test(text));
  for (const argument of command.args) {
    walk.within(argument, scope, isShown);
    if (argument.type === 'Assignment' && !isMap) walk.note(...classifySubscripts(argument, scope, walk));
  }
  const words = [...expandWord(command.name, scope), ...command.args.flatMap((one) => expandArgument(one, scope))];
  const isPlain = !standing.isBackground && assigned.length === 0 && !hasFiles(command.redirects, scope);
  // With another IFS the text does not show how words are split.
  const isParted = assignments.some(({ name }) => name === 'IFS');
  const isWhole = assignments.every(({ name, text }) => name !== 'IFS' || text === 'IFS=');
  const given = isParted ? null : inputOf(command.redirects, scope);
  const isGiven =
    standing.input.isGiven || command.redirects.some((one) => one.type !== 'Redirect' || one.operator === '<' || one.operator === '<&');
  const isRemote =
    standing.input.isRemote === true ||
    redirected.some(({ because }) => because === 'device-connection') ||
    command.redirects.some((one) => one.type === 'Redirect' && one.operator === '<' && scope.remote.has(one.target?.text ?? ''));
  const feed = feedOfRedirects(command.redirects, scope) ?? standing.input.feed;
  const isSecret = standing.input.isSecret || redirected.some(({ kind }) => kind === 'secrets');
  // Without a command, the redirections of `exec` apply to the shell.
  if (command.args.length === 0 && command.redirects.length > 0 && findSpec(command.name.value)?.inner?.isPlain === false)
    scope.readsElsewhere = true;
  const isPiped = isWhole && command.redirects.length === 0 && !scope.readsElsewhere;
  const input =
    given === null
      ? {
          ...standing.input,
          ...(isParted || scope.readsElsewhere ? { text: null } : {}),
          kind: isPiped ? standing.input.kind : null,
          isGiven,
          isSecret,
          isRemote,
          feed,
          path: pathOf(command, scope) ?? standing.input.path,
        }
      : { ...standing.input, isGiven: true, isSecret, feed, text: given, kind: null };
  const emptied = printsNothing(words.map(({ value }) => value)) ? classifyEmptied(command.redirects, scope) : [];
  const readBack = classifyReadBack(words, command.redirects, scope);
  classifyWords(words, { ...standing, input }, { isPlain, effects: [...redirected, ...assigned, ...emptied, ...readBack] });
}

/** The file that a redirection gives a command to read. */
function pathOf(command: Command, scope: Scope): string | undefined {
  const from = command.redirects.findLast((one) => one.type === 'Redirect' && one.operator === '<');
  if (from?.type !== 'Redirect' || from.target === undefined) return undefined;
  return expandSingle(from.target, scope).value ?? undefined;
}

function expandArgument(argument: Command['args'][number], scope: Scope): readonly Argument[] {
  if (argument.type === 'Word') return expandWord(argument, scope);
  return [assignmentWord(argument, scope)];
}

/** In `export A=1` the assignment is a word. */
function assignmentWord(assignment: Assignment, scope: Scope): Argument {
  const name = `${assignment.name}${assignment.append ? '+' : ''}=`;
  if (assignment.value.type === 'ArrayValue') return { ...unknown(assignment.text), start: name, isSplit: false };
  const value = expandSingle(assignment.value, scope);
  return { ...value, text: assignment.text, start: name + value.start, value: value.value === null ? null : name + value.value };
}

interface Around {
  readonly isPlain: boolean;
  readonly effects: readonly Effect[];
}

/** Classifies a program called with words, and adds it to the parts of the line. */
function classifyWords(words: readonly Argument[], standing: Standing, around: Around): void {
  const { walk, scope } = standing;
  const [program, ...rest] = words;
  const effects: Effect[] = [...around.effects];
  const part = { words: words.map((word) => word.value), cwd: scope.cwd, plain: around.isPlain, effects };
  const at = walk.parts.push(part) - 1;
  if (program === undefined) return;
  if (isTooDeep(scope)) {
    effects.push(TOO_DEEP);
    return;
  }
  const extended = words.find((word) => word.isExtended);
  if (extended !== undefined) effects.push(effect('unclear', `the pattern ${extended.text} uses extglob, which is off by default`));
  if (program.value === null || program.value === '') {
    const unclear =
      hollowName(program.text) ??
      effect('unclear', { because: program.hasOutput ? 'printed-script' : 'unknown-command', detail: program.text });
    effects.push(unclear, ...protectSelf({ name: '', words: rest, input: standing.input, scope }, [unclear]));
    return;
  }
  if (scope.functions.has(program.value) || scope.calling.includes(program.value)) {
    effects.push(...classifyLook(words), ...rest.flatMap((word) => classifyMatches(word, scope)));
    callFunction(program.value, rest, standing);
    return;
  }
  const call: Call = {
    name: program.value,
    words: rest,
    input: standing.input,
    scope,
    classifyScript: (text, change) => {
      for (const { value, text: written } of rest)
        if (!scope.claims.has(written) && value !== null && (value.includes(text) || text.includes(value))) scope.claims.add(written);
      const inner = innerScope(scope, { shell: {}, ...change });
      keepFed(rest, inner);
      walk.text(text, inner, standing.input);
    },
    classifyCommand: (inner, change) => {
      for (const word of inner) scope.claims.add(word.text);
      classifyWords(
        inner,
        { ...standing, scope: innerScope(scope, { shell: {} }), input: change?.input ?? standing.input },
        { isPlain: around.isPlain, effects: [] },
      );
    },
  };
  scope.claims = new Set();
  const found = traced(call, () => classifyProgram(call, program));
  effects.push(...classifyLook(words), ...disguise(found, program, words, scope));
  if (isWrapper(part, program.value) && walk.parts.length > at + 1) walk.parts[at] = { ...part, isWrapper: true };
}

/** Whether a program only runs another command here, unchanged, without an effect that needs an approval. */
function isWrapper({ words, plain, effects }: Part, name: string): boolean {
  const { inner, elsewhere } = findSpec(name) ?? {};
  if (inner === undefined || inner.isPlain === false || inner.feeds || elsewhere !== undefined) return false;
  return plain && effects.length === 0 && !words.includes(null);
}

/** Adds a call to the trace; entries made during its classification belong to it. */
function traced({ name, words, input, scope }: Call, classify: () => readonly Effect[]): readonly Effect[] {
  const outer = scope.trace;
  if (outer === null) return classify();
  const inner: TraceEntry[] = [];
  const effects: Effect[] = [];
  outer.push({ type: 'call', name, words, input, cwd: scope.cwd, isMaybe: scope.isMaybe, inner, effects });
  scope.trace = inner;
  effects.push(...classify());
  scope.trace = outer;
  return effects;
}

/** `rm$@` is `rm` without parameters: a program name extended by an empty expansion is hidden. */
function hollowName(text: string): Effect | null {
  const given = /^\$\{\w+:?[-=+](\w+)\}$/.exec(text)?.[1];
  if (given !== undefined && findProgram(given)?.destroys !== undefined) return effect('hides', `${given} in ${text}`);
  const bare = text.replace(/\$\(\s*\)|``|\$[@*]|\$\{\w+\}|\$\w+/g, '');
  if (bare === '' || bare === text || !/^\w+$/.test(bare)) return null;
  return findSpec(bare) !== undefined ? effect('hides', `${bare} in ${text}`) : null;
}

/** The parameters of a script have the kind of text of their words. */
function keepFed(words: readonly Argument[], inner: Scope): void {
  const feed = words.reduce<Feed | undefined>((one, word) => wider(one, word.feed), undefined);
  if (feed !== undefined) inner.fed.set('@', feed);
}

/** So many parts need an approval anyway, and a function's body was classified at its definition, so further calls are not followed. */
const MOST_PARTS_OF_CALLS = 1000;

/** A pattern represents all its matches, so it counts as a secret if it may match one. */
export function classifyMatches({ isGlob, value, text }: Argument, { cwd, context }: Scope): readonly Effect[] {
  return isGlob && value !== null && locate(value, cwd, context, true).isSecret ? [effect('secrets', text)] : [];
}

/** Classifies a function of the line again with its arguments. */
function callFunction(name: string, words: readonly Argument[], { walk, scope, input }: Standing): void {
  const defined = scope.functions.get(name);
  if (defined === undefined) return;
  const isKnown = defined.shell === scope.shell;
  if (!isKnown) walk.note(effect('runs', `the started program does not know ${name}`));
  const isFollowed = isKnown && !scope.calling.includes(name);
  defined.calls = isFollowed && defined.calls !== 'hidden' ? 'followed' : 'hidden';
  if (scope.calling.includes(name)) return;
  if (walk.parts.length > MOST_PARTS_OF_CALLS) {
    scope.cwd = null;
    walk.note(effect('unclear', `${name} is called too often to follow`));
    return;
  }
  const inner = innerScope(scope, { positional: words, calling: [...scope.calling, name] });
  keepFed(words, inner);
  walk.body(defined.body, inner, input);
  mergeBranch(scope, inner);
}

/** Whether a program's name is assembled from pieces; a path from a variable does not count. */
function isPutTogether(program: Argument): boolean {
  return program.isAssembled === true && program.value !== null && !program.value.includes('/');
}

/** Hidden text is denied if it names a program or destroys data, and needs an approval if it is only an operand. */
function disguise(found: readonly Effect[], program: Argument, words: readonly Argument[], scope: Scope): readonly Effect[] {
  const detail = 'a word that is written to look like another';
  if (program.isDisguised || program.isBraced || isPutTogether(program)) return [...found, effect('hides', detail)];
  const isIndirect = /[$`*?[]/.test(program.text) || program.isValue === true;
  if (!scope.isDisguised && !isIndirect && !words.some((word) => word.isDisguised)) return found;
  const isGrave = found.some((one) => one.class === 'destructive' || one.class === 'privileged');
  if (isIndirect && !isGrave) return found;
  return [...found, isGrave ? effect('hides', detail) : effect('disguised')];
}

interface Visitor {
  within(node: SyntaxNode, scope: Scope): void;
}

/** Classifies the redirections of a command: written and read files, connections, here-documents. */
export function classifyRedirects(redirects: readonly Redirection[], visitor: Visitor, scope: Scope): readonly Effect[] {
  return redirects.flatMap((redirect) => {
    visitor.within(redirect, scope);
    if (redirect.type !== 'Redirect') return [];
    if (redirect.descriptor?.type === 'FileDescriptorVariable') {
      const { name } = redirect.descriptor;
      if (isHijackingName(name)) return [effect('hides', { because: 'assignment', detail: name })];
      scope.variables.set(name, null);
    }
    if (redirect.target === undefined) return [effect('unclear', 'a redirection without a target')];
    const target = expandSingle(redirect.target, scope);
    if (locate(target.value ?? target.start, scope.cwd, scope.context, target.isGlob).isSecret) scope.opened.add(target.text);
    const outer = scope.trace;
    scope.trace = null;
    const effects = classifyTarget(redirect.operator, target, scope);
    scope.trace = outer;
    const { cwd, isMaybe } = scope;
    outer?.push({ type: 'redirection', operator: redirect.operator, target, cwd, isMaybe, effects });
    return effects;
  });
}

function classifyTarget(operator: string, target: Argument, scope: Scope): readonly Effect[] {
  switch (operator) {
    case '<':
      return usePath(target, 'content', scope);
    case '>>':
    case '&>>':
      return usePath(target, 'add', scope);
    case '<>':
      return usePath(target, 'replace', scope);
    case '>':
    case '>|':
    case '&>':
      return usePath(target, 'replace', scope);
    case '>&':
    case '<&':
      if (target.isNumber || (target.value !== null && /^(\d+-?|-)$/.test(target.value))) return [];
      return usePath(target, operator === '>&' ? 'replace' : 'content', scope);
    default:
      return [effect('unclear', `the redirection ${operator}`)];
  }
}

/** The kind of text that a command reads from a redirected file, as file names; undefined if it reads none. */
export function feedOfRedirects(redirects: readonly Redirection[], scope: Scope): Feed | undefined {
  return redirects.reduce<Feed | undefined>((feed, redirect) => wider(feed, feedOfRedirect(redirect, scope)), undefined);
}

function feedOfRedirect(redirect: Redirection, scope: Scope): Feed | undefined {
  if (redirect.type === 'HereDoc') return 'names';
  if (redirect.target === undefined) return undefined;
  if (redirect.type === 'HereString') return expandSingle(redirect.target, scope).feed ?? 'names';
  if (!redirect.operator.startsWith('<')) return undefined;
  const [part] = redirect.target.parts ?? [];
  if (part?.type !== 'ProcessSubstitution') return 'text';
  return (part.script && scope.feeds.get(part.script)) ?? 'names';
}

const OPEN_FILES = /^\/(?:dev\/(?:fd|std|[\w]*[*?[])|proc\/)/;

/** An open file with credentials that is read through its descriptor. */
function classifyReadBack(words: readonly Argument[], redirects: readonly Redirection[], scope: Scope): readonly Effect[] {
  const [opened] = scope.opened;
  if (opened === undefined) return [];
  const inputs = redirects.flatMap((redirect) =>
    redirect.type === 'Redirect' && redirect.operator === '<' && redirect.target !== undefined
      ? [expandSingle(redirect.target, scope)]
      : [],
  );
  const isRead = [...words, ...inputs].some(({ value, start }) =>
    OPEN_FILES.test(locate(value ?? start, scope.cwd, scope.context).path ?? start),
  );
  return isRead ? [effect('secrets', opened)] : [];
}

/** Whether a command writes or reads files by redirection, which no rule covers. Copies of descriptors and `/dev/null` do not count. */
function hasFiles(redirects: readonly Redirection[], scope: Scope): boolean {
  return redirects.some((redirect) => {
    if (redirect.type !== 'Redirect') return false;
    const target = redirect.target === undefined ? null : expandSingle(redirect.target, scope).value;
    if (target === null) return true;
    return !(/^(\d+-?|-)$/.test(target) && redirect.operator.endsWith('&')) && target !== '/dev/null';
  });
}

/** Whether a command prints nothing, so that its output file becomes empty. */
function printsNothing([name, ...words]: readonly (string | null)[]): boolean {
  const { prints, passesOn, output } = findSpec(name ?? '') ?? {};
  if (words.length === 0 && prints === 'status') return true;
  if (passesOn === 'lines' && words.length > 0 && words.every((word) => word === '/dev/null')) return true;
  const known = words.flatMap((word) => word ?? []);
  return known.length === words.length && output?.(known, null) === '';
}

/** Files that a redirection without input empties. */
function classifyEmptied(redirects: readonly Redirection[], scope: Scope): readonly Effect[] {
  return redirects.flatMap((redirect) => {
    if (redirect.type !== 'Redirect' || redirect.target === undefined) return [];
    if (redirect.operator !== '>' && redirect.operator !== '>|' && redirect.operator !== '&>') return [];
    const target = expandSingle(redirect.target, scope);
    const { zone } = locate(target.value ?? target.start, scope.cwd, scope.context);
    return zone === 'null' || zone === 'stream' || zone === 'connection' ? [] : [effect('destroys', `empties ${target.text}`)];
  });
}
