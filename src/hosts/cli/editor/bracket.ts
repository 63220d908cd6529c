import type { EditState } from './edit.ts';

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
