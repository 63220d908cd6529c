import { type SecretStream, streamPieces } from '../core/secrets/matcher.ts';
import type { SecretBook } from './secret-book.ts';

/** How much of a line is looked at again when more of it comes. */
const CONTEXT = 512;

/** A line is waited for no longer than this, and a key of several lines no longer than that. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_KEY = 32 * 1024;

/** How a text that comes in pieces is covered. */
export interface PiecesOptions {
  /** The text has one character for each byte. */
  readonly bytes: boolean;
  /** What is waited for before anything is told. */
  readonly unit: 'word' | 'line';
}

/** Takes out of a text in pieces what is known, and what has the shape of a secret. */
export function coverPieces(book: SecretBook, { bytes, unit }: PiecesOptions): SecretStream {
  let before = '';
  return streamPieces((text, how) => {
    const whole = how.final ? text : text.slice(0, endOfWhole(text, unit));
    const { isShort } = book.learnShapes(before + whole);
    const piece = book.matcher.take(whole, { ...how, bytes });
    const told = before + whole.slice(0, piece.used);
    before = told.slice(Math.max(told.lastIndexOf('\n') + 1, told.length - CONTEXT));
    return isShort ? { used: piece.used, text: book.coverShapes(piece.text) } : piece;
  });
}

/** Where a text can be cut without cutting a shape. */
function endOfWhole(text: string, unit: 'word' | 'line'): number {
  const key = text.lastIndexOf('-----BEGIN ');
  if (key >= 0 && text.length - key < LONGEST_KEY && !text.includes('-----END ', key)) {
    if (/^-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|$)/.test(text.slice(key))) return key;
  }
  const line = text.lastIndexOf('\n') + 1;
  const end = unit === 'line' ? line : Math.max(line, text.lastIndexOf(' ') + 1);
  return text.length - end > LONGEST_LINE ? text.length - CONTEXT : end;
}
