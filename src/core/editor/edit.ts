import { nextBoundary, previousBoundary, snapToBoundary, textWidth } from '../terminal/graphemes.ts';

/** A text being edited and the place of the cursor, an offset that always stands between two characters. */
export interface EditState {
  readonly text: string;
  readonly cursor: number;
}

/** A state and what was cut out of it. */
export interface Cut {
  readonly state: EditState;
  readonly cut: string;
}

export const EMPTY: EditState = { text: '', cursor: 0 };

/** Text with the cursor at its end. */
export function atEnd(text: string): EditState {
  return { text, cursor: text.length };
}

/** Puts a piece in the place of what stands between two offsets; the cursor goes behind it, if to no other offset. */
export function replaceBetween(
  text: string,
  [from, to]: readonly [number, number],
  added: string,
  cursor = from + added.length,
): EditState {
  const whole = text.slice(0, from) + added + text.slice(to);
  return { text: whole, cursor: snapToBoundary(whole, cursor) };
}

export function insertText({ text, cursor }: EditState, added: string): EditState {
  return replaceBetween(text, [cursor, cursor], added);
}

/** Cuts between the cursor and another offset. */
export function cutTo({ text, cursor }: EditState, offset: number): Cut {
  const [from, to] = offset < cursor ? [offset, cursor] : [cursor, offset];
  return { state: replaceBetween(text, [from, to], ''), cut: text.slice(from, to) };
}

/** Deletes before the cursor; inside an accented letter typed as two, only the accent would go, so the whole one does. */
export function deleteBackward(state: EditState): EditState {
  return cutTo(state, leftOf(state)).state;
}

export function deleteForward(state: EditState): EditState {
  return cutTo(state, rightOf(state)).state;
}

export function leftOf({ text, cursor }: EditState): number {
  return previousBoundary(text, cursor);
}

export function rightOf({ text, cursor }: EditState): number {
  return nextBoundary(text, cursor);
}

export function lineStart({ text, cursor }: EditState): number {
  return text.lastIndexOf('\n', cursor - 1) + 1;
}

export function lineEnd({ text, cursor }: EditState): number {
  const end = text.indexOf('\n', cursor);
  return end < 0 ? text.length : end;
}

/** The beginning of the word before the cursor. Words are letters and digits of any script; folded text is a word of its own. */
export function wordLeft({ text, cursor }: EditState): number {
  let at = cursor;
  while (at > 0 && !isWordCharacter(text.charCodeAt(at - 1)) && !isFolded(text.charCodeAt(at - 1))) at--;
  if (at > 0 && isFolded(text.charCodeAt(at - 1))) return at - 1;
  while (at > 0 && isWordCharacter(text.charCodeAt(at - 1))) at--;
  return boundaryBefore(text, at);
}

/** The end of the word after the cursor. */
export function wordRight({ text, cursor }: EditState): number {
  let at = cursor;
  while (at < text.length && !isWordCharacter(text.charCodeAt(at)) && !isFolded(text.charCodeAt(at))) at++;
  if (isFolded(text.charCodeAt(at))) return at + 1;
  while (at < text.length && isWordCharacter(text.charCodeAt(at))) at++;
  return snapToBoundary(text, at);
}

/** The beginning of the shell word before the cursor: everything up to a blank. */
export function blankLeft({ text, cursor }: EditState): number {
  let at = cursor;
  while (at > 0 && isBlank(text[at - 1])) at--;
  while (at > 0 && !isBlank(text[at - 1])) at--;
  return boundaryBefore(text, at);
}

/** Changes the letters from the cursor to the end of the word, and steps behind it. */
export function changeWord(state: EditState, change: (word: string) => string): EditState {
  const { text, cursor } = state;
  const end = wordRight(state);
  return replaceBetween(text, [cursor, end], change(text.slice(cursor, end)));
}

/** The first letter large, the others small. */
export function capitalize(word: string): string {
  return word.toLowerCase().replace(/[\p{L}\p{N}]/u, (letter) => letter.toUpperCase());
}

/** Takes the blanks around the cursor away. */
export function deleteBlanks({ text, cursor }: EditState): EditState {
  const from = text.slice(0, cursor).replace(/(?<![ \t])[ \t]+$/, '').length;
  return replaceBetween(text, [from, text.length], text.slice(cursor).replace(/^[ \t]+/, ''), from);
}

/** The same column one line up or down; null on the first or last line. */
export function lineMove(state: EditState, direction: 'up' | 'down'): number | null {
  const { text } = state;
  const start = lineStart(state);
  const end = lineEnd(state);
  if (direction === 'up' ? start === 0 : end === text.length) return null;
  const column = textWidth(text.slice(start, state.cursor));
  let at = direction === 'up' ? lineStart({ text, cursor: start - 1 }) : end + 1;
  const stop = direction === 'up' ? start - 1 : lineEnd({ text, cursor: end + 1 });
  const first = at;
  while (at < stop && textWidth(text.slice(first, nextBoundary(text, at))) <= column) at = nextBoundary(text, at);
  return at;
}

/** Swaps the characters around the cursor, at the end of a line the last two, and steps over them. */
export function transposeCharacters(state: EditState): EditState {
  const { text } = state;
  const middle = state.cursor === lineEnd(state) ? leftOf(state) : state.cursor;
  const left = previousBoundary(text, middle);
  const right = nextBoundary(text, middle);
  if (left < lineStart(state) || middle <= lineStart(state) || right === middle) return state;
  return replaceBetween(text, [left, right], text.slice(middle, right) + text.slice(left, middle));
}

/** Swaps the word before the cursor with the one at or after it. */
export function transposeWords(state: EditState): EditState {
  const { text } = state;
  const secondEnd = wordRight(state) === text.length && !/\w/.test(text.slice(state.cursor)) ? lastWordEnd(state) : wordRight(state);
  const second = wordLeft({ text, cursor: secondEnd });
  const first = wordLeft({ text, cursor: second });
  const firstEnd = wordRight({ text, cursor: first });
  if (first === second || firstEnd > second) return state;
  const swapped = text.slice(second, secondEnd) + text.slice(firstEnd, second) + text.slice(first, firstEnd);
  return replaceBetween(text, [first, secondEnd], swapped);
}

function lastWordEnd({ text, cursor }: EditState): number {
  let at = cursor;
  while (at > 0 && !isWordCharacter(text.charCodeAt(at - 1))) at--;
  return boundaryBefore(text, at);
}

/** The last boundary at or before the offset: a mark may belong to a sign that is no letter. */
function boundaryBefore(text: string, offset: number): number {
  const after = snapToBoundary(text, offset);
  return after === offset ? offset : previousBoundary(text, after);
}

function isFolded(code: number): boolean {
  return code >= 0xfdd0 && code <= 0xfdef;
}

/** Letters, digits and the underscore, by code unit. */
export function isWordCharacter(code: number): boolean {
  if (isFolded(code)) return false;
  if (code >= 0x80) return code === 0x200d || !((code >= 0x3000 && code <= 0x303f) || (code >= 0x2000 && code <= 0x206f));
  return (code >= 0x30 && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x5f;
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n';
}

const OPENING = '([{';
const CLOSING = ')]}';
/** So far a counterpart is looked for: further away it is not on the screen. */
const REACH = 4000;

/** Offset of the bracket that belongs to the one at the cursor, or just before it; null where there is none. */
export function findCounterpart({ text, cursor }: EditState): number | null {
  for (const at of [cursor, cursor - 1]) {
    if (isEscaped(text, at)) continue;
    const bracket = text[at] ?? '';
    if (bracket !== '' && OPENING.includes(bracket)) return search(text, at, 1);
    if (bracket !== '' && CLOSING.includes(bracket)) return search(text, at, -1);
  }
  return null;
}

/** Offset of the bracket that belongs to the one at the offset. */
export function counterpartOf(text: string, at: number): number | null {
  const bracket = text[at] ?? '';
  if (bracket === '' || !(OPENING + CLOSING).includes(bracket)) return null;
  return search(text, at, OPENING.includes(bracket) ? 1 : -1);
}

function search(text: string, from: number, step: 1 | -1): number | null {
  const open = text[from] ?? '';
  const close = step > 0 ? CLOSING[OPENING.indexOf(open)] : OPENING[CLOSING.indexOf(open)];
  let depth = 0;
  for (let at = from; at >= 0 && at < text.length && Math.abs(at - from) <= REACH; at += step) {
    const character = text[at];
    if ((character !== open && character !== close) || isEscaped(text, at)) continue;
    depth += character === open ? 1 : -1;
    if (depth === 0) return at;
  }
  return null;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === '\\') slashes++;
  return slashes % 2 === 1;
}
