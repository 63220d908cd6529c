import {
  type LiveStream,
  type Piece,
  type PieceOptions,
  type SecretStream,
  streamPieces,
} from '../../core/secrets/live-stream.ts';
import { mayEndInShape } from '../../core/secrets/shapes.ts';
import type { Redactor } from './redactor.ts';

/** How much of a line is looked at again when more of it comes. */
const CONTEXT = 512;

/** A line is waited for no longer than this, and a key of several lines no longer than that. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_KEY = 32 * 1024;

/** Takes out of bytes in pieces what is known, and what has the shape of a secret. They are told line by line. */
export function coverBytes(redactor: Redactor): SecretStream {
  return streamPieces(cover(redactor, { bytes: true, endOf: (_before, text) => text.lastIndexOf('\n') + 1 }));
}

/** The same for a text that somebody reads while it comes: told at once, but for a word that may be a secret or the beginning of one. */
export function coverWords(redactor: Redactor): LiveStream {
  return streamPieces(cover(redactor, { bytes: false, endOf: endOfTold }), { live: true });
}

interface CoverOptions {
  /** The text has one character for each byte. */
  readonly bytes: boolean;
  /** Where a text can be cut without cutting a shape, apart from a key of several lines. */
  readonly endOf: (before: string, text: string) => number;
}

function cover(redactor: Redactor, { bytes, endOf }: CoverOptions): (text: string, how: PieceOptions) => Piece {
  let before = '';
  return (text, how) => {
    const whole = how.final ? text : text.slice(0, endOfWhole(text, endOf(before, text)));
    const { isShort } = redactor.learnShapes(before + whole);
    const piece = redactor.matcher.take(whole, { ...how, bytes });
    const told = before + whole.slice(0, piece.used);
    const context = before + whole.slice(0, Math.min(how.told ?? 0, whole.length));
    before = told.slice(Math.max(told.lastIndexOf('\n') + 1, told.length - CONTEXT));
    return isShort ? { ...piece, ...coverShapes(redactor, context, piece) } : piece;
  };
}

/** Shapes that are not looked for elsewhere, where a text told before goes on. */
function coverShapes(redactor: Redactor, before: string, { text, rest }: Piece): Pick<Piece, 'text' | 'rest'> {
  const told = before + text;
  return {
    text: redactor.coverShapes(told, { begin: before.length }),
    rest: redactor.coverShapes(told + rest, { begin: told.length }),
  };
}

/** The end of the last word, when that word may be of a secret. */
function endOfTold(before: string, text: string): number {
  const all = before + text;
  const line = Math.max(all.lastIndexOf('\n') + 1, all.length - LONGEST_LINE);
  const word = Math.max(line, all.search(/(?<!\S)\S*$/));
  return mayEndInShape(all, word, line) ? Math.max(0, word - before.length) : text.length;
}

function endOfWhole(text: string, end: number): number {
  const key = text.lastIndexOf('-----BEGIN ');
  if (key >= 0 && text.length - key < LONGEST_KEY && !text.includes('-----END ', key)) {
    if (/^-----BEGIN [A-Z0-9 ]*(?:PRIVATE KEY|$)/.test(text.slice(key))) return key;
  }
  return text.length - end > LONGEST_LINE ? text.length - CONTEXT : end;
}
