import { escapeCode, escapeLength, NO_ESCAPE, OPEN_ESCAPE, readEscape, sequenceEnd } from './escapes.ts';
import type { Wanted } from './index-of-forms.ts';
import { KIND, letterOf, OPENS } from './letters.ts';

/** The form does not stand here. */
export const MISSED = -1;

/** The text ends before it can be told. */
export const UNDECIDED = -2;

/** How escapes are read: as the characters they stand for, or as they are written. */
export type Reading = 'written' | 'decoded';

/** More signs between two letters part them. */
const WIDEST_GAP = 64;

const ESCAPE = 0x1b;

/** Where a form ends that begins at a letter of the text, whatever signs stand between its letters. */
export function follow(text: string, from: number, form: Wanted, reading: Reading): number {
  const { codes, letters, anyCase } = form;
  const farthest = from + 512 + codes.length * 32;
  let at = from;
  let gap = 0;
  for (let next = 0; next < codes.length; ) {
    if (at >= text.length) return UNDECIDED;
    let code = text.charCodeAt(at);
    let width = 1;
    if (code < 128 && KIND[code] === OPENS) {
      if (code === ESCAPE) {
        at = sequenceEnd(text, at + 1);
        if (at === OPEN_ESCAPE) return UNDECIDED;
        continue;
      }
      const sign = reading === 'decoded' ? readEscape(text, at) : NO_ESCAPE;
      if (sign === OPEN_ESCAPE) return UNDECIDED;
      if (sign !== NO_ESCAPE) {
        code = escapeCode(sign);
        width = escapeLength(sign);
      }
    }
    const letter = letterOf(code);
    at += width;
    if (letter === 0) {
      if (code === ESCAPE) at = skipWrittenSequence(text, at);
      if (at === OPEN_ESCAPE) return UNDECIDED;
      gap += 1;
      if (gap > WIDEST_GAP || at > farthest) return MISSED;
    } else if (letter === codes[next] && (anyCase || code === letters.charCodeAt(next))) {
      next += 1;
      gap = 0;
    } else return MISSED;
  }
  return at;
}

/** The text between two places as it was meant: without sequences and broken lines, escapes read. */
export function toMeant(text: string, reading: Reading): string {
  let meant = '';
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at);
    if (code === ESCAPE) {
      const end = sequenceEnd(text, at + 1);
      at = end === OPEN_ESCAPE ? text.length : end;
      continue;
    }
    const sign = reading === 'decoded' ? readEscape(text, at) : NO_ESCAPE;
    if (sign < 0) {
      meant += text[at];
      at += 1;
      continue;
    }
    at += escapeLength(sign);
    if (escapeCode(sign) === ESCAPE) at = Math.max(at, skipWrittenSequence(text, at));
    else meant += String.fromCodePoint(escapeCode(sign));
  }
  return meant.replace(/[\r\n]/g, '');
}

/** Where a sequence ends whose ESC was itself written as an escape, such as `\x1b[31m`; `at` is after that escape. */
export function skipWrittenSequence(text: string, at: number): number {
  return at < text.length && text.charCodeAt(at) !== 0x5b ? at : sequenceEnd(text, at);
}
