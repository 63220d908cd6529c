import type { SyntaxNode, TestExpression, Word } from '../shell-syntax/syntax.ts';
import { expandSingle } from './expand.ts';
import { find } from './findings.ts';
import type { Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Whoever looks into words. */
interface Visitor {
  within(node: SyntaxNode, scope: Scope, isShown?: boolean): void;
}

const NUMBERS: ReadonlySet<string> = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/** Judges `[[ … ]]`: it reads, but numbers are evaluated and `-v` evaluates a subscript. */
export function judgeTest(expression: TestExpression, visitor: Visitor, scope: Scope): readonly Finding[] {
  switch (expression.type) {
    case 'TestUnary':
      visitor.within(expression.operand, scope, false);
      return expression.operator === '-v' ? evaluated(expression.operand, scope, /^\w+$/) : [];
    case 'TestBinary':
      visitor.within(expression.left, scope, false);
      visitor.within(expression.right, scope, false);
      if (!NUMBERS.has(expression.operator)) return [];
      return [expression.left, expression.right].flatMap((word) => evaluated(word, scope, /^-?\d+$/));
    case 'TestLogical':
      return expression.operands.flatMap((operand) => judgeTest(operand, visitor, scope));
    case 'TestNot':
      return judgeTest(expression.operand, visitor, scope);
    case 'TestGroup':
      return judgeTest(expression.expression, visitor, scope);
  }
}

function evaluated(word: Word, scope: Scope, harmless: RegExp): readonly Finding[] {
  const argument = expandSingle(word, scope);
  if (argument.isNumber || (argument.value !== null && harmless.test(argument.value))) return [];
  return [find('unclear', `${word.text} is evaluated, and what it holds is not known`)];
}
