import { find } from './findings.ts';
import { innerScope, isNumeric, type Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/** Whoever judges a script that stands in an expression. */
export interface Evaluator {
  text(text: string, scope: Scope): void;
}

const DEEPEST = 5;

/**
 * Judges an arithmetic expression given as text. A subscript or a string that becomes a number is evaluated again, and what
 * it holds runs: only numbers, operators and variables that hold numbers are understood, and a command that is substituted in it.
 */
export function judgeArithmetic(text: string, scope: Scope, evaluator?: Evaluator, depth = 0): readonly Finding[] {
  if (text === '@' || text === '*') return [];
  const substituted = evaluator === undefined ? null : (substitutionOf(text) ?? substitutionOf(`[${text}]`));
  if (substituted !== null && evaluator !== undefined) {
    evaluator.text(substituted, innerScope(scope));
    return [find(depth > 0 ? 'hides' : 'changes', `evaluates a command in ${text.trim()}`)];
  }
  if (/[[\]'"`\\]|\$\(/.test(text)) return [find('unclear', `a subscript or a command in ${text.trim()}`)];
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  return names.flatMap((name) => {
    if (/^(0x)?[0-9a-fA-F]+$/.test(name) || isNumber(name, scope)) return [];
    const value = scope.variables.get(name);
    if (typeof value === 'string' && depth < DEEPEST && substitutionOf(value) !== null)
      return judgeArithmetic(value, scope, evaluator, depth + 1);
    return [find('unclear', `${name} is evaluated, and what it holds is not known`)];
  });
}

/** A script that runs what is substituted in a text that is evaluated; null where nothing is. */
export function substitutionOf(text: string): string | null {
  return /\[.*(\$\(|`)/s.test(text) && !/\$\(\(/.test(text) ? `: "${text}"` : null;
}

function isNumber(name: string, scope: Scope): boolean {
  if (isNumeric(name)) return true;
  const value = scope.variables.get(name);
  return value === undefined ? false : value !== null && /^-?\d*$/.test(value);
}
