import type { Find } from './vi-motions.ts';
import { MOTION_KEYS } from './vi-motions.ts';
import { OBJECT_KEYS } from './vi-objects.ts';

/** What an operator works on. */
export type ViTarget =
  | { readonly type: 'motion'; readonly motion: string }
  | { readonly type: 'find'; readonly find: Find }
  | { readonly type: 'object'; readonly kind: string; readonly key: string }
  | { readonly type: 'lines' };

/** Keys of normal mode, understood. */
export type ViCommand =
  | { readonly type: 'move'; readonly target: ViTarget; readonly times: number; readonly hasTimes: boolean }
  | { readonly type: 'operate'; readonly operator: string; readonly target: ViTarget; readonly times: number }
  | { readonly type: 'simple'; readonly key: string; readonly argument: string; readonly times: number };

const OPERATORS = ['d', 'c', 'y', 'gu', 'gU', 'g~'];
const SIMPLE = 'pPR~u.iIaAoOvVJ/?nN#';
/** The same as an operator and what it works on. */
const SHORT: Readonly<Record<string, string>> = { x: 'dl', X: 'dh', D: 'd$', C: 'c$', Y: 'yy', S: 'cc', s: 'cl' };

/** Understands keys typed in normal mode; null while more are to come, `unknown` when they mean nothing. */
export function parseVi(keys: string): ViCommand | 'unknown' | null {
  const found = /^([1-9]\d*)?(.*)$/s.exec(keys);
  const times = Number(found?.[1] ?? 1);
  const rest = found?.[2] ?? '';
  if (rest === '') return null;
  const short = SHORT[rest];
  if (short !== undefined) return parseOperation(short, times);
  const operation = parseOperation(rest, times);
  if (operation !== 'unknown') return operation;
  const target = parseTarget(rest);
  if (target === null) return null;
  if (target !== 'unknown' && target.type !== 'object')
    return { type: 'move', target, times, hasTimes: found?.[1] !== undefined };
  if (rest === 'r') return null;
  if (rest.startsWith('r')) return { type: 'simple', key: 'r', argument: rest.slice(1), times };
  return SIMPLE.includes(rest) ? { type: 'simple', key: rest, argument: '', times } : 'unknown';
}

/** Understands the keys of visual mode: motions, and what a selection widens to. */
export function parseVisual(keys: string): ViCommand | 'unknown' | null {
  if (keys === 'i' || keys === 'a') return null;
  const target = parseTarget(keys);
  const isObject = target !== null && target !== 'unknown' && target.type === 'object';
  return isObject ? { type: 'move', target, times: 1, hasTimes: false } : parseVi(keys);
}

function parseOperation(keys: string, times: number): ViCommand | 'unknown' | null {
  if (keys === 'g') return null;
  const operator = OPERATORS.find((one) => keys.startsWith(one));
  if (operator === undefined) return 'unknown';
  const found = /^([1-9]\d*)?(.*)$/s.exec(keys.slice(operator.length));
  const rest = found?.[2] ?? '';
  const all = times * Number(found?.[1] ?? 1);
  if (rest === '') return null;
  if (rest === operator || rest === operator.slice(-1))
    return { type: 'operate', operator, target: { type: 'lines' }, times: all };
  if (rest === 'i' || rest === 'a') return null;
  const target = parseTarget(rest);
  return target === null || target === 'unknown' ? target : { type: 'operate', operator, target, times: all };
}

function parseTarget(keys: string): ViTarget | 'unknown' | null {
  const [first = ''] = keys;
  const second = keys.slice(first.length);
  if (first === 'g') return second === '' ? null : second === 'g' ? { type: 'motion', motion: 'gg' } : 'unknown';
  if (first === 'f' || first === 'F' || first === 't' || first === 'T')
    return second === '' ? null : { type: 'find', find: { way: first, character: second } };
  if ((first === 'i' || first === 'a') && second !== '')
    return OBJECT_KEYS.includes(second) ? { type: 'object', kind: first, key: second } : 'unknown';
  return second === '' && MOTION_KEYS.includes(first) ? { type: 'motion', motion: first } : 'unknown';
}

/** What keys do to a selection; large letters take its lines whole. */
const VISUAL: Readonly<Record<string, string>> = {
  d: 'd',
  x: 'd',
  D: 'd',
  X: 'd',
  c: 'c',
  s: 'c',
  C: 'c',
  S: 'c',
  R: 'c',
  y: 'y',
  Y: 'y',
  u: 'gu',
  U: 'gU',
  '~': 'g~',
};

/** The operator that a key is to a selection; undefined for none. */
export function findVisualOperator(key: string): string | undefined {
  return Object.hasOwn(VISUAL, key) ? VISUAL[key] : undefined;
}

/** Keys of normal mode that have names and are letters to it. */
const NAMED: Readonly<Record<string, string>> = {
  backspace: 'h',
  left: 'h',
  right: 'l',
  home: '0',
  end: '$',
  up: 'k',
  down: 'j',
};

/** The letter that a key with a name is in normal mode; undefined for none. */
export function letterOfKey(key: string): string | undefined {
  return NAMED[key];
}
