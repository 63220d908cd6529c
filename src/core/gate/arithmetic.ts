import { find } from './findings.ts';
import { isNumeric, type Scope } from './scope.ts';
import type { Finding } from './verdict.ts';

/**
 * Judges an arithmetic expression given as text. A subscript or a string that becomes a number is evaluated again, and what
 * it holds runs: only numbers, operators and variables that hold numbers are understood.
 */
export function judgeArithmetic(text: string, scope: Scope): readonly Finding[] {
  if (text === '@' || text === '*') return [];
  if (/[[\]'"`\\]|\$\(/.test(text)) return [find('unclear', `a subscript or a command in ${text.trim()}`)];
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  const strange = names.find((name) => !/^(0x)?[0-9a-fA-F]+$/.test(name) && !isNumber(name, scope));
  return strange === undefined ? [] : [find('unclear', `${strange} is evaluated, and what it holds is not known`)];
}

function isNumber(name: string, scope: Scope): boolean {
  if (isNumeric(name)) return true;
  const value = scope.variables.get(name);
  return value === undefined ? false : value !== null && /^-?\d*$/.test(value);
}
