import type { SyntaxNode, TestExpression, Word } from '../shell-syntax/syntax.ts';
import { literal } from './argument.ts';
import { type Evaluator, judgeArithmetic, substitutionOf } from './arithmetic.ts';
import { expandSingle } from './expand.ts';
import { find } from './findings.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Whoever looks into words. */
interface Visitor extends Evaluator {
  within(node: SyntaxNode, scope: Scope, isShown?: boolean): void;
}

const NUMBERS: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** Judges `[[ … ]]`: it reads, but numbers are evaluated and `-v` evaluates a subscript. */
export function judgeTest(expression: TestExpression, visitor: Visitor, scope: Scope): readonly Finding[] {
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
      return expression.operands.flatMap((operand) => judgeTest(operand, visitor, scope));
    case 'TestNot':
      return judgeTest(expression.operand, visitor, scope);
    case 'TestGroup':
      return judgeTest(expression.expression, visitor, scope);
  }
}

function evaluated(word: Word, visitor: Visitor, scope: Scope, harmless: RegExp): readonly Finding[] {
  const name = /^"?\$\{?(\w+)\}?"?$/.exec(word.text)?.[1];
  const value = name === undefined ? null : scope.variables.get(name);
  // Here nothing is split.
  const argument = typeof value === 'string' ? literal(value) : expandSingle(word, scope);
  if (argument.isNumber || (argument.value !== null && harmless.test(argument.value))) return [];
  if (argument.value !== null && namesCommand(argument.value, scope))
    return [find('hides', `what ${word.text} is evaluated to`), ...judgeArithmetic(argument.value, scope, visitor)];
  return [find('unclear', `${word.text} is evaluated, and what it holds is not known`)];
}

/** A text in which a command is substituted, or the name of a variable that holds such a text. */
function namesCommand(text: string, scope: Scope): boolean {
  return substitutionOf(text) !== null || substitutionOf(scope.variables.get(text) ?? '') !== null;
}
