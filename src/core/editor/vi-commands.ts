import { nextBoundary, previousBoundary, snapToBoundary, toGraphemes } from '../terminal/graphemes.ts';
import { counterpartOf, cutTo, type EditState, insertText, isWordCharacter, lineEnd, lineMove, lineStart, replaceBetween } from './edit.ts';
import type { Span } from './keys.ts';

/* The commands of vi: motions and text objects, the keys that spell a command, and the changes that are neither of an operator. */

/** The target of a motion. */
export interface Reach {
  readonly to: number;
  /** An operator takes the character there too. */
  readonly isInclusive: boolean;
  /** An operator takes whole lines. */
  readonly isLinewise?: boolean;
}

/** A search for a character in the line: with `t` it stops before it, large letters go back. */
export interface Find {
  readonly way: 'f' | 'F' | 't' | 'T';
  readonly character: string;
}

/** The search that keys such as `fx` begin; null for others. */
export function parseFind(keys: string): Find | null {
  const [way] = keys;
  const isFind = keys.length > 1 && (way === 'f' || way === 'F' || way === 't' || way === 'T');
  return isFind ? { way, character: keys.slice(1) } : null;
}

const exclusive = (to: number): Reach => ({ to, isInclusive: false });

/** Motions of one key, done once. */
const MOTIONS: Readonly<Record<string, (state: EditState) => Reach | null>> = {
  h: ({ text, cursor }) => (cursor === lineStart({ text, cursor }) ? null : exclusive(previousBoundary(text, cursor))),
  l: ({ text, cursor }) => (cursor === lineEnd({ text, cursor }) ? null : exclusive(nextBoundary(text, cursor))),
  ' ': ({ text, cursor }) => (cursor === text.length ? null : exclusive(nextBoundary(text, cursor))),
  '0': (state) => exclusive(lineStart(state)),
  '^': (state) => exclusive(firstInLine(state)),
  _: (state) => exclusive(firstInLine(state)),
  $: (state) => exclusive(lineEnd(state)),
  w: (state) => exclusive(wordStart(state, smallClass)),
  W: (state) => exclusive(wordStart(state, bigClass)),
  b: (state) => exclusive(wordBefore(state, smallClass)),
  B: (state) => exclusive(wordBefore(state, bigClass)),
  e: (state) => ({ to: wordEnd(state, smallClass), isInclusive: true }),
  E: (state) => ({ to: wordEnd(state, bigClass), isInclusive: true }),
  '%': toBracket,
  j: (state) => toLine(state, 'down'),
  k: (state) => toLine(state, 'up'),
  G: ({ text }) => ({ to: text.lastIndexOf('\n') + 1, isInclusive: false, isLinewise: true }),
  gg: () => ({ to: 0, isInclusive: false, isLinewise: true }),
};

/** Keys of motions that need no second one. */
const MOTION_KEYS = [...Object.keys(MOTIONS).filter((key) => key.length === 1), ';', ','].join('');

/** The destination of a motion repeated so often; null if it cannot be done at all. */
export function reachOf(state: EditState, motion: string, times: number): Reach | null {
  let reach: Reach | null = null;
  for (let at = 0; at < times; at++) {
    const next: Reach | null = MOTIONS[motion]?.(reach === null ? state : { ...state, cursor: reach.to }) ?? null;
    if (next === null) return reach;
    reach = next;
  }
  return reach;
}

/** The destination of the search for a character, within the line. */
export function reachOfFind(state: EditState, { way, character }: Find, times: number): Reach | null {
  const isForward = way === 'f' || way === 't';
  const [start, end] = [lineStart(state), lineEnd(state)];
  let at = state.cursor;
  for (let time = 0; time < times; time++) {
    at = isForward ? state.text.indexOf(character, at + 1) : at === 0 ? -1 : state.text.lastIndexOf(character, at - 1);
    if (at < start || at >= end) return null;
  }
  if (way === 't') return { to: previousBoundary(state.text, at), isInclusive: true };
  if (way === 'T') return exclusive(nextBoundary(state.text, at));
  return { to: at, isInclusive: isForward };
}

/** The first character of the line that is no blank. */
export function firstInLine(state: EditState): number {
  const start = lineStart(state);
  return start + (/^[ \t]*/.exec(state.text.slice(start, lineEnd(state)))?.[0].length ?? 0);
}

/** The whole lines that two places stand in, without the line break behind them. */
export function linesBetween(text: string, one: number, other: number): Span {
  const [first, last] = one < other ? [one, other] : [other, one];
  return { start: lineStart({ text, cursor: first }), end: lineEnd({ text, cursor: last }) };
}

/** So many whole lines from the cursor's on, or as many as there are. */
export function linesFrom({ text, cursor }: EditState, times: number): Span {
  let end = lineEnd({ text, cursor });
  for (let at = 1; at < times && end < text.length; at++) end = lineEnd({ text, cursor: end + 1 });
  return { start: lineStart({ text, cursor }), end };
}

type Class = 'blank' | 'word' | 'sign' | 'end';
type Classify = (text: string, at: number) => Class;

/** The class of a character for `w`, `b` and `e`. */
function smallClass(text: string, at: number): Class {
  const big = bigClass(text, at);
  return big === 'word' && !isWordCharacter(text.charCodeAt(at)) ? 'sign' : big;
}

/** The class of a character for `W`, `B` and `E`. */
function bigClass(text: string, at: number): Class {
  const character = text[at];
  if (character === undefined) return 'end';
  return /\s/.test(character) ? 'blank' : 'word';
}

function wordStart({ text, cursor }: EditState, classify: Classify): number {
  const here = classify(text, cursor);
  let at = cursor;
  while (here !== 'blank' && at < text.length && classify(text, at) === here) at++;
  while (classify(text, at) === 'blank') at++;
  return snapToBoundary(text, at);
}

function wordEnd({ text, cursor }: EditState, classify: Classify): number {
  let at = nextBoundary(text, cursor);
  while (classify(text, at) === 'blank') at++;
  const here = classify(text, at);
  while (at < text.length && classify(text, at) === here) at++;
  return previousBoundary(text, snapToBoundary(text, at));
}

function wordBefore({ text, cursor }: EditState, classify: Classify): number {
  let at = cursor;
  while (at > 0 && classify(text, at - 1) === 'blank') at--;
  const here = classify(text, at - 1);
  while (at > 0 && classify(text, at - 1) === here) at--;
  const after = snapToBoundary(text, at);
  return after === at ? at : previousBoundary(text, after);
}

function toLine(state: EditState, direction: 'up' | 'down'): Reach | null {
  const to = lineMove(state, direction);
  return to === null ? null : { to, isInclusive: false, isLinewise: true };
}

function toBracket(state: EditState): Reach | null {
  const end = lineEnd(state);
  for (let at = state.cursor; at < end; at++) {
    if (!'()[]{}'.includes(state.text[at] ?? '')) continue;
    const other = counterpartOf(state.text, at);
    return other === null ? null : { to: other, isInclusive: true };
  }
  return null;
}

const PAIRS: Readonly<Record<string, string>> = {
  '(': '()',
  ')': '()',
  b: '()',
  '[': '[]',
  ']': '[]',
  '{': '{}',
  '}': '{}',
  B: '{}',
};

/** Whether keys name a piece of text: `i` or `a`, and its kind. */
export function isObject(keys: string): boolean {
  return /^[ia][wW"'`()b[\]{}B]$/.test(keys);
}

/** The piece of text at the cursor that such keys name; null where there is none. */
export function findObject(state: EditState, keys: string): Span | null {
  const isWhole = keys.startsWith('a');
  const key = keys.slice(1);
  if (key === 'w' || key === 'W') return findWord(state, key === 'w' ? smallClass : bigClass, isWhole);
  const pair = PAIRS[key];
  return pair === undefined ? findQuoted(state, key, isWhole) : findPair(state, pair, isWhole);
}

function findWord({ text, cursor }: EditState, classify: typeof smallClass, isWhole: boolean): Span {
  const spread = (from: number): Span => {
    let [start, end] = [from, from];
    const here = classify(text, from);
    while (start > 0 && classify(text, start - 1) === here) start--;
    while (end < text.length && classify(text, end) === here) end++;
    return { start, end };
  };
  const word = spread(cursor);
  if (!isWhole || word.end === word.start) return word;
  // The blanks behind it, or else before it; on blanks, the word behind them.
  if (classify(text, word.end) !== 'end' && (classify(text, cursor) === 'blank' || classify(text, word.end) === 'blank'))
    return { start: word.start, end: spread(word.end).end };
  const before = word.start > 0 && classify(text, word.start - 1) === 'blank' ? spread(word.start - 1).start : word.start;
  return { start: before, end: word.end };
}

function findQuoted(state: EditState, quote: string, isWhole: boolean): Span | null {
  const line = state.text.slice(0, lineEnd(state));
  let open = line.indexOf(quote, lineStart(state));
  while (open >= 0) {
    const close = findClosing(line, quote, open);
    if (close < 0) return null;
    if (close >= state.cursor) return isWhole ? { start: open, end: close + 1 } : { start: open + 1, end: close };
    open = line.indexOf(quote, close + 1);
  }
  return null;
}

function findClosing(line: string, quote: string, open: number): number {
  for (let at = open + 1; at < line.length; at++) {
    if (line[at] === '\\' && quote !== "'") at++;
    else if (line[at] === quote) return at;
  }
  return -1;
}

function findPair({ text, cursor }: EditState, pair: string, isWhole: boolean): Span | null {
  for (let at = cursor; at >= 0; at--) {
    if (text[at] !== pair[0]) continue;
    const close = counterpartOf(text, at);
    if (close !== null && close >= cursor) return isWhole ? { start: at, end: close + 1 } : { start: at + 1, end: close };
  }
  return null;
}

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
