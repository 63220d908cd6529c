import { type Argument, literal, type WordKind } from '../commands/argument.ts';
import { classifyArithmetic, classifyIndirect, type Evaluator, substitutionOf } from '../commands/assignments.ts';
import { expandSingle, expandWord, knownText } from '../commands/expand.ts';
import { hidesValue } from '../commands/parameter.ts';
import { findCall, findSpec } from '../commands/programs/find-program.ts';
import { isSecretName, type Scope, variableOf } from '../commands/scope.ts';
import {
  type Command,
  type CommandNode,
  eachChild,
  type ParameterExpansionPart,
  type ParsedScript,
  type Redirection,
  type SyntaxNode,
  type TestExpression,
  type Word,
} from '../commands/syntax.ts';
import { type Effect, effect, type Part } from '../commands/verdict.ts';

interface Visitor extends Evaluator {
  within(node: SyntaxNode, scope: Scope, isShown?: boolean): void;
}

const NUMBERS: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** Classifies `[[ … ]]`: it only reads, but it evaluates numbers, and subscripts with `-v`. */
export function classifyTest(expression: TestExpression, visitor: Visitor, scope: Scope): readonly Effect[] {
  switch (expression.type) {
    case 'TestUnary':
      visitor.within(expression.operand, scope, false);
      return /^-[vR]$/.test(expression.operator) ? evaluated(expression.operand, visitor, scope, /^\w+$/) : [];
    case 'TestBinary':
      visitor.within(expression.left, scope, false);
      visitor.within(expression.right, scope, false);
      if (!NUMBERS.has(expression.operator)) return [];
      return [expression.left, expression.right].flatMap((word) => evaluated(word, visitor, scope, /^-?\d+$/));
    case 'TestLogical':
      return expression.operands.flatMap((operand) => classifyTest(operand, visitor, scope));
    case 'TestNot':
      return classifyTest(expression.operand, visitor, scope);
    case 'TestGroup':
      return classifyTest(expression.expression, visitor, scope);
  }
}

function evaluated(word: Word, visitor: Visitor, scope: Scope, harmless: RegExp): readonly Effect[] {
  const name = /^"?\$\{?(\w+)\}?"?$/.exec(word.text)?.[1];
  const value = name === undefined ? null : scope.variables.get(name);
  // No word splitting happens here.
  const argument = typeof value === 'string' ? literal(value) : expandSingle(word, scope);
  if ((argument.value === null && argument.isFigure === true) || (argument.value !== null && harmless.test(argument.value))) return [];
  if (argument.value !== null && namesCommand(argument.value, scope))
    return [effect('hides', `the value of ${word.text}`), ...classifyArithmetic(argument.value, scope, visitor)];
  return [effect('unclear', `the shell evaluates ${word.text}, whose value is unknown`)];
}

/** Whether a text contains a command substitution, or names a variable with such a text. */
function namesCommand(text: string, scope: Scope): boolean {
  return substitutionOf(text) !== null || substitutionOf(scope.variables.get(text) ?? '') !== null;
}

/** Classifies `${…}` itself: the credentials it shows, and the parts that bash evaluates besides its words. */
export function classifyExpansion(node: ParameterExpansionPart, scope: Scope, evaluator: Evaluator, isShown: boolean): readonly Effect[] {
  const { index, operation, prefix, parameter, text } = node;
  const found: Effect[] = [];
  if (operation?.type === 'Transform' && operation.operand.text === 'P') found.push(effect('hides', text));
  if (isShown && namesSecret(node, scope) && !hidesValue(node)) found.push(effect('secrets', text));
  if (prefix === '!' && operation?.type !== 'Names') found.push(...classifyIndirect(variableOf(scope, parameter), scope, evaluator));
  const subscript = scope.maps.has(parameter) ? undefined : index;
  const evaluated = operation?.type === 'Slice' ? [subscript, operation.offset, operation.length] : [subscript];
  return [...found, ...evaluated.flatMap((word) => classifyArithmetic(word?.text ?? '', scope, evaluator))];
}

/** `${!name}` expands the variable that another one names. */
function namesSecret({ parameter, prefix, operation, index }: ParameterExpansionPart, scope: Scope): boolean {
  const isNamesOnly = operation?.type === 'Names' || index?.text === '@' || index?.text === '*';
  if (prefix !== '!' || isNamesOnly) return isSecretName(parameter);
  // An unknown name may be that of any variable.
  return isSecretName(parameter) || isSecretName(variableOf(scope, parameter) ?? 'SECRET');
}

/** The output of a script, if its text determines it: any careful reader can decode `$(echo cm0K | base64 -d)`. */
export function outputOf(script: ParsedScript, scope: Scope): string | null {
  if (script.errors !== undefined || script.commands.length !== 1 || scope.depth > 20) return null;
  const command = script.commands[0]?.command;
  if (command?.type === 'Command') return commandOutput(command, null, scope);
  if (command?.type !== 'Pipeline') return null;
  let text: string | null = null;
  for (const [at, one] of command.commands.entries()) {
    if (one.type !== 'Command') return null;
    text = commandOutput(one, at === 0 ? null : text, scope);
    if (text === null) return null;
  }
  return text;
}

/** The output of a command for a known standard input; null if unknown. */
export function commandOutput(command: Command, piped: string | null, scope: Scope): string | null {
  if (command.name === undefined || command.prefix.length > 0) return null;
  const words = command.args.map((word) => (word.type === 'Word' ? expandWord(word, scope) : null));
  if (words.includes(null)) return null;
  const values = words.flatMap((list) => list ?? []).map((argument: Argument) => argument.value);
  const known = values.flatMap((value) => (value === null ? [] : [value]));
  const name = expandSingle(command.name, scope).value;
  if (name === null || known.length !== values.length) return null;
  const input = command.redirects.length === 0 ? piped : inputOf(command.redirects, scope);
  return findSpec(name.slice(name.lastIndexOf('/') + 1))?.output?.(known, input) ?? null;
}

/** The text of a here-string or here-document; null if there are none or several, or if the text is unknown. */
export function inputOf(redirects: readonly Redirection[], scope: Scope): string | null {
  const [redirect, ...more] = redirects.filter((one) => one.type !== 'Redirect' || !['>&', '<&'].includes(one.operator));
  if (redirect === undefined || more.length > 0) return null;
  if (redirect.type === 'HereString') {
    const value = redirect.target === undefined ? null : expandSingle(redirect.target, scope).value;
    return value === null ? null : `${value}\n`;
  }
  if (redirect.type !== 'HereDoc') return null;
  const { delimiter, body } = redirect;
  if (delimiter?.quoted === true || body.parts === undefined) return body.text;
  return knownText(body.parts, scope);
}

/** The text of an expression, with a digit for each substitution that prints only digits. */
export function withNumbers(node: SyntaxNode, text: string, scope: Scope): string {
  let found = text;
  eachChild(node, (child) => {
    const isNumber =
      child.type === 'ArithmeticCommandExpansion' && child.script !== undefined && scope.kinds.get(child.script) === 'number';
    found = isNumber ? found.replace(child.text, '0') : withNumbers(child, found, scope);
  });
  return found;
}

/** The kind of all words that a command prints, if its spec says so. */
export function kindPrinted(command: CommandNode, last: Part | undefined, read: WordKind | null = null): WordKind | null {
  if (last === undefined || command.type !== 'Command' || command.name?.value !== last.words[0]) return null;
  const isRedirected = command.redirects.some((one) => one.type === 'Redirect' && one.operator !== '<' && one.target?.text !== '/dev/null');
  const known = last.words.flatMap((word) => (word === null ? [] : [literal(word)]));
  if (isRedirected || command.prefix.length > 0 || known.length < last.words.length) return null;
  const call = findCall(command.name?.value ?? '', known.slice(1));
  return call?.spec.yields?.(call.given, command.redirects.length > 0 ? null : read) ?? null;
}
