import { arrayOf, isNumeric, type Scope, variableOf } from './scope.ts';
import type { ParameterExpansionPart } from './syntax.ts';

/** An unknown value, of which aish may know that it is a number. */
export interface Unknown {
  readonly isNumber: boolean;
}

const UNKNOWN: Unknown = { isNumber: false };
const NUMBER: Unknown = { isNumber: true };

/** Whether an expansion hides the value: `${#x}` is a number, and `${x:+word}` shows only that a value is set. */
export function hidesValue(node: ParameterExpansionPart): boolean {
  return node.prefix === '#' || (node.operation?.type === 'Default' && node.operation.operator.endsWith('+'));
}

/** The value of `${…}`, if the text determines it. Operands with expansions of their own are not evaluated. */
export function expandParameter(part: ParameterExpansionPart, scope: Scope): string | Unknown {
  if (part.prefix === '#') return NUMBER;
  const value = part.prefix === '!' ? indirect(part, scope) : lookUp(part, scope);
  if (part.operation === undefined) return value ?? (isNumeric(part.parameter) ? NUMBER : UNKNOWN);
  return value === null ? UNKNOWN : applyOperation(value, part.operation);
}

function lookUp(part: ParameterExpansionPart, scope: Scope): string | null {
  if (part.index === undefined) return variableOf(scope, part.parameter);
  const at = Number(part.index.text);
  return Number.isInteger(at) ? (arrayOf(scope, part.parameter)?.at(at) ?? null) : null;
}

function indirect(part: ParameterExpansionPart, scope: Scope): string | null {
  const name = part.index === undefined ? variableOf(scope, part.parameter) : null;
  return name !== null && /^\w+$/.test(name) ? variableOf(scope, name) : null;
}

function applyOperation(value: string, operation: NonNullable<ParameterExpansionPart['operation']>): string | Unknown {
  switch (operation.type) {
    case 'Default':
      return operation.operator.endsWith('+') || value === '' ? UNKNOWN : value;
    case 'Slice':
      return slice(value, operation.offset.text, operation.length?.text);
    case 'CaseModification':
      return changeCase(value, operation.operator, operation.operand?.text);
    case 'Replace':
      return replace(value, operation.operator, plainText(operation.pattern), plainText(operation.replacement));
    case 'Remove':
      return remove(value, operation.operator, plainText(operation.operand));
    case 'Transform':
      return transform(value, operation.operand.text);
    case 'Names':
    case 'Unknown':
      return UNKNOWN;
  }
}

function slice(value: string, offset: string, length: string | undefined): string | Unknown {
  const from = Number(offset.trim());
  const size = length === undefined ? value.length : Number(length.trim());
  if (!Number.isInteger(from) || !Number.isInteger(size)) return UNKNOWN;
  const start = from < 0 ? value.length + from : from;
  return size < 0 ? value.slice(start, value.length + size) : value.slice(start, start + size);
}

function changeCase(value: string, operator: string, pattern: string | undefined): string | Unknown {
  if (pattern !== undefined && pattern !== '' && pattern !== '?' && pattern !== '*') return UNKNOWN;
  const change = (text: string) => (operator.startsWith('^') ? text.toUpperCase() : text.toLowerCase());
  return operator.length === 2 ? change(value) : change(value.slice(0, 1)) + value.slice(1);
}

function replace(value: string, operator: string, pattern: string | null, by: string | null): string | Unknown {
  if (pattern === null || by === null || pattern === '') return UNKNOWN;
  if (operator === '//') return value.replaceAll(pattern, () => by);
  if (operator === '/#') return value.startsWith(pattern) ? by + value.slice(pattern.length) : value;
  if (operator === '/%') return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) + by : value;
  return value.replace(pattern, () => by);
}

function remove(value: string, operator: string, pattern: string | null): string | Unknown {
  if (pattern === null) return UNKNOWN;
  if (operator.startsWith('#')) return value.startsWith(pattern) ? value.slice(pattern.length) : value;
  return value.endsWith(pattern) ? value.slice(0, value.length - pattern.length) : value;
}

function transform(value: string, operator: string): string | Unknown {
  if (operator === 'U') return value.toUpperCase();
  if (operator === 'L') return value.toLowerCase();
  if (operator === 'u') return value.slice(0, 1).toUpperCase() + value.slice(1);
  return UNKNOWN;
}

/** A pattern without expansions and stars; null for any other. */
function plainText(word: { readonly text: string; readonly value: string }): string | null {
  return /[$`*?[]/.test(word.text) ? null : word.value;
}
