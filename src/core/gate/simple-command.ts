import type { Assignment, Command, SyntaxNode } from '../shell-syntax/syntax.ts';
import type { Argument } from './argument.ts';
import { judgeAssignment } from './assignments.ts';
import { inputOf } from './constant-output.ts';
import { expandSingle, expandWord } from './expand.ts';
import { find } from './findings.ts';
import { isProgram, judgeProgram } from './judge-program.ts';
import type { Call, Input } from './program.ts';
import { hasFiles, judgeEmptied, judgeReadBack, judgeRedirects, printsNothing } from './redirects.ts';
import { type FunctionBody, innerScope, mergeBranch, type Scope } from './scope.ts';
import { protectSelf } from './self-protection.ts';
import { judgeLook } from './text-check.ts';
import type { Finding, Part } from './verdict.ts';

const CONNECTS = /: ["']?\/dev\/(tcp|udp)\//;
const FETCHED = /^<\(.*\b(curl|wget|fetch|aria2c|nc|ncat)\b/s;
const PRINTS_SECRETS = find('secrets').reason;

/** These look at what they are given and print nothing. */
const TESTS = /^(test|\[|:|true|false)$/;

/** What a simple command asks of the walk it is found on. */
export interface Walking {
  readonly parts: Part[];
  note(...findings: readonly Finding[]): void;
  within(node: SyntaxNode, scope: Scope, isShown?: boolean): void;
  text(text: string, scope: Scope, input?: Input): void;
  body(node: FunctionBody, scope: Scope, input: Input): void;
}

/** Where a simple command stands. */
export interface Standing {
  readonly walk: Walking;
  readonly scope: Scope;
  readonly input: Input;
  readonly isBackground: boolean;
}

/** Judges a simple command: its redirections, its assignments, and the program with its words. */
export function judgeSimple(command: Command, standing: Standing): void {
  const { walk, scope } = standing;
  const redirected = judgeRedirects(command.redirects, walk, scope);
  const assignments = command.prefix.filter((part) => part.type === 'Assignment');
  const isCall = command.name !== undefined;
  const assigned = assignments.flatMap((one) =>
    judgeAssignment(one, isCall, walk, scope, command.name?.text === 'read'),
  );
  if (command.name === undefined) {
    const emptied = assignments.length === 0 ? judgeEmptied(command.redirects, scope) : [];
    walk.parts.push({ words: [], plain: false, findings: [...redirected, ...assigned, ...emptied] });
    return;
  }
  walk.within(command.name, scope);
  const isShown = !TESTS.test(command.name.value);
  for (const argument of command.args) walk.within(argument, scope, isShown);
  const words = [...expandWord(command.name, scope), ...command.args.flatMap((one) => expandArgument(one, scope))];
  const isPlain = !standing.isBackground && assigned.length === 0 && !hasFiles(command.redirects, scope);
  const given = inputOf(command.redirects, scope);
  const isGiven =
    standing.input.isGiven || command.redirects.some((one) => one.type !== 'Redirect' || one.operator === '<');
  const isRemote =
    redirected.some((one) => CONNECTS.test(one.reason)) ||
    command.redirects.some(
      (one) => one.type === 'Redirect' && one.operator === '<' && FETCHED.test(one.target?.text ?? ''),
    );
  const isSecret = standing.input.isSecret || redirected.some((one) => one.reason.startsWith(PRINTS_SECRETS));
  const input =
    given === null
      ? { ...standing.input, isGiven, isSecret, isRemote }
      : { ...standing.input, isGiven: true, isSecret, text: given };
  const emptied = printsNothing(words.map(({ value }) => value)) ? judgeEmptied(command.redirects, scope) : [];
  const readBack = judgeReadBack(words, command.redirects, scope);
  judgeWords(
    words,
    { ...standing, input },
    { isPlain, findings: [...redirected, ...assigned, ...emptied, ...readBack] },
  );
}

function expandArgument(argument: Command['args'][number], scope: Scope): readonly Argument[] {
  if (argument.type === 'Word') return expandWord(argument, scope);
  return [assignmentWord(argument, scope)];
}

/** `export A=1` has an assignment for a word. */
function assignmentWord(assignment: Assignment, scope: Scope): Argument {
  const name = `${assignment.name}${assignment.append ? '+' : ''}=`;
  if (assignment.value.type === 'ArrayValue') return { ...emptyOf(assignment.text), start: name };
  const value = expandSingle(assignment.value, scope);
  return {
    ...value,
    text: assignment.text,
    start: name + value.start,
    value: value.value === null ? null : name + value.value,
  };
}

function emptyOf(text: string): Argument {
  return {
    text,
    value: null,
    start: '',
    isNumber: false,
    isSplit: false,
    isGlob: false,
    isDisguised: false,
    hasOutput: false,
    isSecret: false,
  };
}

interface Around {
  readonly isPlain: boolean;
  readonly findings: readonly Finding[];
}

/** Judges a program called with words, and keeps it as a part of the line. */
export function judgeWords(words: readonly Argument[], standing: Standing, around: Around): void {
  const { walk, scope } = standing;
  const [program, ...rest] = words;
  const findings: Finding[] = [...around.findings];
  const part: Part = { words: words.map((word) => word.value), plain: around.isPlain, findings };
  walk.parts.push(part);
  if (program === undefined) return;
  const extended = words.find((word) => word.isExtended);
  if (extended !== undefined)
    findings.push(find('unclear', `the pattern ${extended.text}, which bash does not have on`));
  if (program.value === null || program.value === '') {
    const unclear = hollowName(program.text) ?? find('unclear', `the command ${program.text}`);
    findings.push(unclear, ...protectSelf({ name: '', words: rest, input: standing.input, scope }, [unclear]));
    return;
  }
  if (scope.functions.has(program.value) || scope.calling.includes(program.value)) {
    callFunction(program.value, rest, standing);
    return;
  }
  const call: Call = {
    name: program.value,
    words: rest,
    input: standing.input,
    scope,
    judgeScript: (text, change) => walk.text(text, innerScope(scope, change), standing.input),
    judgeCommand: (inner, change) =>
      judgeWords(
        inner,
        { ...standing, scope: innerScope(scope), input: change?.input ?? standing.input },
        { isPlain: around.isPlain, findings: [] },
      ),
  };
  scope.watcher?.called(call);
  const found = judgeProgram(call, program);
  scope.watcher?.judged(call, found);
  findings.push(...judgeLook(words), ...disguise(found, program, words, scope));
}

/** `rm$@` is `rm` where nothing was given: a name that is hollowed out so is hidden. */
function hollowName(text: string): Finding | null {
  const given = /^\$\{\w+:?[-=+](rm|shred|dd|mkfs|wipefs|unlink|rmdir|shutdown|reboot)\}$/.exec(text)?.[1];
  if (given !== undefined) return find('hides', `${given} in ${text}`);
  const bare = text.replace(/\$\(\s*\)|``|\$[@*]|\$\{\w+\}|\$\w+/g, '');
  if (bare === '' || bare === text || !/^\w+$/.test(bare)) return null;
  return isProgram(bare) ? find('hides', `${bare} in ${text}`) : null;
}

/** A function of the line is judged again with what it is given. */
function callFunction(name: string, words: readonly Argument[], { walk, scope, input }: Standing): void {
  const body = scope.functions.get(name);
  if (body === undefined || scope.calling.includes(name)) return;
  const inner = innerScope(scope, { positional: words.map((word) => word.value), calling: [...scope.calling, name] });
  walk.body(body, inner, input);
  mergeBranch(scope, inner);
}

/** A program's name that is put together from pieces; a path from a variable is none. */
function isPutTogether(program: Argument): boolean {
  return program.isAssembled === true && program.value !== null && !program.value.includes('/');
}

/** What is written so that nobody sees it is refused where it names a program, or destroys, and asked where it is only a word. */
function disguise(
  found: readonly Finding[],
  program: Argument,
  words: readonly Argument[],
  scope: Scope,
): readonly Finding[] {
  const detail = 'a word that is written to look like another';
  if (program.isDisguised || program.isBraced || isPutTogether(program)) return [...found, find('hides', detail)];
  const isIndirect = /[$`*?[]/.test(program.text) || program.isValue === true;
  if (!scope.isDisguised && !isIndirect && !words.some((word) => word.isDisguised)) return found;
  const isGrave = found.some((one) => one.class === 'destructive' || one.class === 'privileged');
  if (isIndirect && !isGrave) return found;
  return [...found, isGrave ? find('hides', detail) : { ...find('reads'), decision: 'ask', reason: detail }];
}
