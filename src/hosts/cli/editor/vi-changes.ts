import { cutTo, type EditState, lineEnd, lineStart } from './edit.ts';
import { nextBoundary, previousBoundary, snapToBoundary, toGraphemes } from './graphemes.ts';
import { reachOf } from './vi-motions.ts';

/** `R`: what is typed takes the place of what stands there, up to the end of the line. */
export function overwrite(state: EditState, text: string): EditState {
  let result = state;
  for (const letter of toGraphemes(text)) {
    const { cursor } = result;
    const rest = cursor === lineEnd(result) ? result : cutTo(result, nextBoundary(result.text, cursor)).state;
    const whole = rest.text.slice(0, rest.cursor) + letter + rest.text.slice(rest.cursor);
    result = { text: whole, cursor: snapToBoundary(whole, rest.cursor + letter.length) };
  }
  return result;
}

/** `o` and `O`: an empty line below or above. */
export function openLine(state: EditState, key: 'o' | 'O'): EditState {
  const at = key === 'o' ? lineEnd(state) : lineStart(state);
  const text = `${state.text.slice(0, at)}\n${state.text.slice(at)}`;
  return { text, cursor: key === 'o' ? at + 1 : at };
}

/** `r`: so many characters become another one; nothing where there are not so many. */
export function replaceCharacters(state: EditState, character: string, times: number): EditState {
  const { text, cursor } = state;
  const reach = reachOf(state, 'l', times);
  if (reach === null || toGraphemes(text.slice(cursor, reach.to)).length < times) return state;
  const whole = text.slice(0, cursor) + character.repeat(times) + text.slice(reach.to);
  return { text: whole, cursor: snapToBoundary(whole, cursor + character.length * (times - 1)) };
}

/** `~`: small letters become large and large ones small, and the cursor goes on. */
export function switchCase(state: EditState, times: number): EditState {
  const { text, cursor } = state;
  const reach = reachOf(state, 'l', times);
  if (reach === null) return state;
  const whole = text.slice(0, cursor) + changeCase('g~', text.slice(cursor, reach.to)) + text.slice(reach.to);
  return { text: whole, cursor: snapToBoundary(whole, reach.to) };
}

/** `J`: the next line comes behind this one. */
export function joinLines(state: EditState): EditState {
  const { text } = state;
  const end = lineEnd(state);
  if (end === text.length) return state;
  return { text: `${text.slice(0, end)} ${text.slice(end + 1).replace(/^[ \t]+/, '')}`, cursor: end };
}

/** What `gu`, `gU` and `g~` make of letters. */
export function changeCase(operator: string, piece: string): string {
  if (operator === 'gu') return piece.toLowerCase();
  if (operator === 'gU') return piece.toUpperCase();
  const switched = (letter: string): string =>
    letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase();
  return Array.from(piece, switched).join('');
}

/** `r` on a selection: every character becomes another one, line breaks stay. */
export function replaceEach(piece: string, character: string): string {
  return toGraphemes(piece)
    .map((one) => (one === '\n' ? one : character))
    .join('');
}

/** What `p` and `P` put in. */
export interface PutPiece {
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
    return { text: text.slice(0, at) + lines + text.slice(at), cursor: key === 'p' ? at + 1 : at };
  }
  const at = key === 'P' || cursor === below ? cursor : nextBoundary(text, cursor);
  const piece = fold(added.repeat(times));
  const whole = text.slice(0, at) + piece + text.slice(at);
  return { text: whole, cursor: previousBoundary(whole, snapToBoundary(whole, at + piece.length)) };
}
