import { nextBoundary, previousBoundary, toGraphemes } from '../terminal/graphemes.ts';
import { cutTo, type EditState, insertText, lineEnd, lineStart, replaceBetween } from './edit.ts';
import { isObject, MOTION_KEYS, parseFind, reachOf } from './vi-motions.ts';

/** A parsed command of normal mode. The target is a motion, a search such as `fx`, a text object such as `iw`, or `lines`. */
export type ViCommand =
  | { readonly type: 'move'; readonly target: string; readonly times: number; readonly hasTimes: boolean }
  | { readonly type: 'operate'; readonly operator: string; readonly target: string; readonly times: number }
  | { readonly type: 'simple'; readonly key: string; readonly argument: string; readonly times: number };

const SIMPLE = 'pPR~u.iIaAoOvVJ/?nN#';
/** The same as an operator and what it works on. */
const SHORT: Readonly<Record<string, string>> = { x: 'dl', X: 'dh', D: 'd$', C: 'c$', Y: 'yy', S: 'cc', s: 'cl' };

/** Parses keys of normal mode; null for an incomplete command, `unknown` for keys without a meaning. */
export function parseVi(keys: string): ViCommand | 'unknown' | null {
  const [, count, whole = ''] = /^([1-9]\d*)?(.*)$/s.exec(keys) ?? [];
  const [, operator, inner, target = ''] = /^(?:(d|c|y|g[uU~])([1-9]\d*)?)?(.*)$/s.exec(SHORT[whole] ?? whole) ?? [];
  const times = Number(count ?? 1) * Number(inner ?? 1);
  if (operator !== undefined) {
    if (target === operator || target === operator.slice(-1)) return { type: 'operate', operator, target: 'lines', times };
    if (/^[giafFtT]?$/.test(target)) return null;
    return isTarget(target) ? { type: 'operate', operator, target, times } : 'unknown';
  }
  if (/^[gfFtTr]?$/.test(target)) return null;
  if (isTarget(target) && !isObject(target)) return { type: 'move', target, times, hasTimes: count !== undefined };
  if (target.startsWith('r')) return { type: 'simple', key: 'r', argument: target.slice(1), times };
  return SIMPLE.includes(target) ? { type: 'simple', key: target, argument: '', times } : 'unknown';
}

/** Parses keys of visual mode: motions, and text objects that extend the selection. */
export function parseVisual(keys: string): ViCommand | 'unknown' | null {
  if (keys === 'i' || keys === 'a') return null;
  return isObject(keys) ? { type: 'move', target: keys, times: 1, hasTimes: false } : parseVi(keys);
}

function isTarget(keys: string): boolean {
  return keys === 'gg' || parseFind(keys) !== null || isObject(keys) || (keys.length === 1 && MOTION_KEYS.includes(keys));
}

/** The operators, and the keys that they are on a selection; large letters take its lines whole. */
const VISUAL = { d: 'dxDX', c: 'csCSR', y: 'yY', gu: 'u', gU: 'U', 'g~': '~' };

/** The operator that a key is to a selection; undefined for none. */
export function findVisualOperator(key: string): string | undefined {
  return Object.entries(VISUAL).find(([, keys]) => key.length === 1 && keys.includes(key))?.[0];
}

/** Keys that have names, and the letters that they are in normal mode. */
export const LETTERS_OF_KEYS: Readonly<Record<string, string>> = {
  backspace: 'h',
  left: 'h',
  right: 'l',
  home: '0',
  end: '$',
  up: 'k',
  down: 'j',
};

/** `R`: what is typed takes the place of what stands there, up to the end of the line. */
export function overwrite(state: EditState, text: string): EditState {
  let result = state;
  for (const letter of toGraphemes(text)) {
    const { cursor } = result;
    const rest = cursor === lineEnd(result) ? result : cutTo(result, nextBoundary(result.text, cursor)).state;
    result = insertText(rest, letter);
  }
  return result;
}

/** `o` and `O`: an empty line below or above. */
export function openLine(state: EditState, key: 'o' | 'O'): EditState {
  const at = key === 'o' ? lineEnd(state) : lineStart(state);
  return replaceBetween(state.text, [at, at], '\n', key === 'o' ? at + 1 : at);
}

/** `r`: so many characters become another one; nothing where there are not so many. */
export function replaceCharacters(state: EditState, character: string, times: number): EditState {
  const { text, cursor } = state;
  const reach = reachOf(state, 'l', times);
  if (reach === null || toGraphemes(text.slice(cursor, reach.to)).length < times) return state;
  return replaceBetween(text, [cursor, reach.to], character.repeat(times), cursor + character.length * (times - 1));
}

/** `~`: small letters become large and large ones small, and the cursor goes on. */
export function switchCase(state: EditState, times: number): EditState {
  const { text, cursor } = state;
  const reach = reachOf(state, 'l', times);
  if (reach === null) return state;
  return replaceBetween(text, [cursor, reach.to], changeCase('g~', text.slice(cursor, reach.to)), reach.to);
}

/** `J`: the next line comes behind this one. */
export function joinLines(state: EditState): EditState {
  const { text } = state;
  const end = lineEnd(state);
  if (end === text.length) return state;
  return { text: `${text.slice(0, end)} ${text.slice(end + 1).replace(/^[ \t]+/, '')}`, cursor: end };
}

/** The letters after `gu`, `gU` and `g~`. */
export function changeCase(operator: string, piece: string): string {
  if (operator === 'gu') return piece.toLowerCase();
  if (operator === 'gU') return piece.toUpperCase();
  const switched = (letter: string): string => (letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase());
  return Array.from(piece, switched).join('');
}

/** `r` on a selection: every character becomes another one, line breaks stay. */
export function replaceEach(piece: string, character: string): string {
  return toGraphemes(piece)
    .map((one) => (one === '\n' ? one : character))
    .join('');
}

/** The text that `p` and `P` put in. */
interface PutPiece {
  readonly added: string;
  /** Whole lines go below or above, not within. */
  readonly isLines: boolean;
  readonly times: number;
  /** Folds what is too long to be shown. */
  readonly fold: (text: string) => string;
}

/** `p` and `P`: what was killed goes in behind the cursor or before it, and the cursor on its last character; of lines, on the first. */
export function put(state: EditState, key: 'p' | 'P', { added, isLines, times, fold }: PutPiece): EditState {
  const { text, cursor } = state;
  const below = lineEnd(state);
  if (isLines) {
    const at = key === 'p' ? below : lineStart(state);
    const lines = fold((key === 'p' ? `\n${added}` : `${added}\n`).repeat(times));
    return replaceBetween(text, [at, at], lines, key === 'p' ? at + 1 : at);
  }
  const at = key === 'P' || cursor === below ? cursor : nextBoundary(text, cursor);
  const whole = insertText({ text, cursor: at }, fold(added.repeat(times)));
  return { text: whole.text, cursor: previousBoundary(whole.text, whole.cursor) };
}
