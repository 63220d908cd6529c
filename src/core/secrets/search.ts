import { ANCHOR, anchorHash, anchorKey, type Encoded, type EncodingIndex, type Literal, lettersOnly, toByteText } from './encodings.ts';

/*
 * A text is read once as written, and again with its escapes decoded if it contains any. Each reading is a row of letters and digits with
 * their positions. One pass builds the row and records where the first letters of a literal occur; literals are compared only there. So the
 * time is linear in the length of the text.
 */

/** A range of a text that contains a secret. */
export interface Region {
  readonly from: number;
  readonly to: number;
  readonly of: Encoded;
}

/** A position from which later text may change the result, with the number of characters there that may belong to a secret. */
export interface Opening {
  readonly at: number;
  readonly signs: number;
}

/** Secrets found in a text, and possible beginnings at its end. */
export interface Found {
  readonly regions: Region[];
  readonly openings: Opening[];
}

/** How a text is searched. */
export interface SearchOptions {
  /** The text is complete, so no match stays open. */
  readonly final: boolean;
  /** The text has one character per byte. */
  readonly bytes?: boolean;
}

/** A longer gap between two letters separates them. */
const WIDEST_GAP = 64;

/** The maximum number of bytes in a character. */
const LONGEST_CHARACTER = 4;

/** Marks such a gap in a row of letters. */
const BREAK = 0x0a;

/** Kinds of ASCII characters: `LETTER` for letters and digits, `OPENS` for the beginning of an escape or a terminal sequence. */
const LETTER = 1;
const OPENS = 2;
const KINDS = new Uint8Array(128).fill(LETTER, 0x30, 0x3a).fill(LETTER, 0x41, 0x5b).fill(LETTER, 0x61, 0x7b);
for (const opening of '%\\&\x1b') KINDS[opening.charCodeAt(0)] = OPENS;

/** Finds the encodings of all secrets in a text. */
export function searchEncodings(index: EncodingIndex, text: string, options: SearchOptions): Found {
  const found: Found = { regions: [], openings: [] };
  const { escapes } = searchReading({ index, text, options, marks: '', found });
  const readings = escapes.length > 1 ? [escapes, ...escapes] : [...escapes];
  for (const marks of readings) searchReading({ index, text, options, marks, found });
  return found;
}

interface Search {
  readonly index: EncodingIndex;
  readonly text: string;
  readonly options: SearchOptions;
  /** Escape characters that are decoded. */
  readonly marks: string;
  readonly found: Found;
}

/** The letters and digits of a text with their positions, and possible starts of literals. */
interface Row {
  readonly letters: string;
  readonly lower: string;
  readonly places: Int32Array;
  readonly anchors: readonly { readonly at: number; readonly key: number }[];
  /** Escape characters that occur in the text. */
  readonly escapes: string;
}

function searchReading(search: Search): Row {
  const { index, options } = search;
  const row = readRow(search);
  const { lower, anchors } = row;
  const compareAt = (at: number, key: number): void => {
    for (const literal of index.byKey.get(key) ?? []) compare(literal, at, row, search);
  };
  for (const { at, key } of anchors) compareAt(at, key);
  for (let at = Math.max(0, lower.length - ANCHOR + 1); at < lower.length && !options.final; at += 1)
    compareAt(at, anchorKey(0, lower.charCodeAt(at)));
  return row;
}

function readRow({ index, text, options: { final }, marks, found }: Search): Row {
  const codes = new Uint8Array(text.length);
  const places = new Int32Array(text.length);
  const anchors: { at: number; key: number }[] = [];
  const { byKey, filter } = index;
  const wanted = marks === '' ? ESCAPE_MARKS : marks;
  let [count, gap, run, key] = [0, 0, 0, 0];
  let escapes = marks;
  for (let at = 0, end = 0; at < text.length; at = end) {
    end = at + 1;
    let code = text.charCodeAt(at);
    let kind = kindOf(code);
    if (kind === OPENS && (code === ESC || (marks === '') !== escapes.includes(text.charAt(at)))) {
      const sign = readSign(text, at, { marks: wanted, final });
      if (marks === '' && code !== ESC) {
        if (sign === null || sign.end > end) escapes += text.charAt(at);
      } else if (sign === null) {
        found.openings.push({ at, signs: 0 });
        break;
      } else {
        ({ code, end } = sign);
        kind = kindOf(code);
      }
    }
    if (kind === LETTER) {
      gap = 0;
      run += 1;
      places[count] = at;
      codes[count] = code;
      count += 1;
      key = anchorKey(key, code);
      if (filter[anchorHash(key)] === 1 && run >= ANCHOR && byKey.has(key)) anchors.push({ at: count - ANCHOR, key });
    } else if (code === SEQUENCE_CODE) continue;
    else if (gap < WIDEST_GAP) gap += 1;
    else if (run > 0) {
      run = 0;
      codes[count] = BREAK;
      count += 1;
    }
  }
  // Few texts contain the first letters of a literal; of the others only the end may begin one.
  const from = anchors.length > 0 ? 0 : Math.max(0, count - ANCHOR + 1);
  const letters = toText(codes.subarray(from, count));
  return { letters, lower: letters.toLowerCase(), places: places.subarray(from), anchors, escapes };
}

function kindOf(code: number): number {
  return code >= 0 && code < 128 ? (KINDS[code] ?? 0) : 0;
}

function toText(codes: Uint8Array): string {
  let text = '';
  for (let at = 0; at < codes.length; at += 8192) text += Reflect.apply(String.fromCharCode, null, codes.subarray(at, at + 8192));
  return text;
}

/** Records whether a literal occurs at a position of a row, or begins there at its end. */
function compare(literal: Literal, at: number, { letters, lower, places }: Row, { text, options, marks, found }: Search): void {
  const [row, wanted] = literal.anyCase ? [lower, literal.lower] : [letters, literal.letters];
  const from = places[at] ?? 0;
  if (at + wanted.length > row.length) {
    if (!options.final && wanted.startsWith(row.slice(at)))
      found.openings.push(toOpening(literal, from, { letters: row.length - at, text, bytes: options.bytes ?? false }));
    return;
  }
  if (!row.startsWith(wanted, at)) return;
  const last = places[at + wanted.length - 1] ?? 0;
  const end = readSign(text, last, { marks, final: true })?.end ?? last + 1;
  if (!literal.anyCase && literal.value !== null && decodeText(text.slice(from, end), marks) !== coreOf(literal)) return;
  const region = widen(literal, { from, to: end }, text, options);
  if (region.to >= text.length && region.to < end + literal.padded) found.openings.push({ at: region.from, signs: wanted.length });
  found.regions.push(region);
}

/** The value from its first letter to its last. */
function coreOf({ value, before, after }: Literal): string {
  return value === null ? '' : withoutQuotes(value.slice(before, value.length - after));
}

/** The region of a literal, widened by adjacent characters of the value or with bits of it. */
function widen(literal: Literal, { from, to }: Omit<Region, 'of'>, text: string, { bytes = false }: SearchOptions): Region {
  const { of, value, before, after, padded } = literal;
  const write = (signs: string): string => (bytes ? toByteText(signs) : signs);
  const lead = value === null ? null : write(value.slice(0, before));
  const trail = value === null ? null : write(value.slice(value.length - after));
  const isPart = (sign: string | undefined, wanted: string | undefined): boolean =>
    sign !== undefined && (wanted === undefined ? /[0-9A-Za-z+/_-]/.test(sign) : sign === wanted);
  let [start, end] = [from, to];
  while (from - start < (lead?.length ?? before) && isPart(text[start - 1], lead?.at(start - from - 1))) start -= 1;
  while (end - to < (trail?.length ?? after) && isPart(text[end], trail?.[end - to])) end += 1;
  while (value === null && end < to + padded && text[end] === '=') end += 1;
  return { from: start, to: end, of };
}

/** The start of a possible literal, with preceding characters that may belong to it. */
function toOpening(
  { value, before }: Literal,
  from: number,
  { letters, text, bytes }: { letters: number; text: string; bytes: boolean },
): Opening {
  const farthest = Math.max(0, from - before * (bytes ? LONGEST_CHARACTER : 1));
  let at = from;
  while (at > farthest && text.charCodeAt(at - 1) > 0x20) at -= 1;
  const there = text.slice(at);
  // Punctuation of the value reveals it as its letters do, and so do the letters of an escape.
  const isAsItIs = value?.startsWith(there) ?? false;
  return { at, signs: isAsItIs ? there.length : Math.max(letters, lettersOnly(there).length) };
}

/*
 * A secret may contain escapes (`%2F`, `\x2f`, `&#47;`), and terminal sequences such as colours between its letters. These functions decode
 * one character at a time, and return its length.
 */

const ESCAPE_MARKS = '%\\&';

/** The code of ESC, which starts a terminal sequence. */
const ESC = 0x1b;

interface ReadOptions {
  /** Escape characters that are decoded. */
  readonly marks: string;
  /** The text is complete, so a cut escape at its end is plain text. */
  readonly final: boolean;
}

/** The code for a terminal sequence, which represents no character. */
const SEQUENCE_CODE = -1;

/** A character of a text: its code, and its end. */
interface Sign {
  readonly code: number;
  readonly end: number;
}

const ESCAPE = new RegExp(
  String.raw`(?:%|\\[xX])([\da-fA-F]{2})|\\u([\da-fA-F]{4})|\\u\{([\da-fA-F]{1,8})\}|&#[xX]([\da-fA-F]{1,7});|` +
    String.raw`\\([0-7]{1,3})|&#(\d{1,8});|\\([nrtbfvaeE\\\n])|&(amp|lt|gt|quot|apos|nbsp);`,
  'y',
);
/** An escape cut off by the end of the text. */
const CUT_ESCAPE = /(?:%[\da-fA-F]?|\\(?:[xX][\da-fA-F]?|u(?:[\da-fA-F]{0,3}|\{[\da-fA-F]{0,8})|[0-7]{1,2})?|&#?[\dA-Za-z]{0,9})$/y;
const LONGEST_ESCAPE = 12;

/** A terminal sequence after its ESC; a sequence without end is read as plain text. */
const SEQUENCE = /\[(?:[ -?]{0,4096}(?![ -?])[@-~]?)?|[\]PX^_](?:[^\x07\x1b\x9c]{0,4096}(?:[\x07\x9c]|\x1b\\|(?=\x1b)))?|[ -/]*[\s\S]/y;
const LONGEST_SEQUENCE = 4100;
const CUT_SEQUENCE = /(?:\[[ -?]{0,4096}|[\]PX^_][^\x07\x1b\x9c]{0,4096}\x1b?|[ -/]*)$/y;

/** Codes of named escapes. */
const NAMED: Readonly<Record<string, number>> = {
  ...{ amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27, nbsp: 0x20 },
  ...{ n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: ESC, E: ESC, '\\': 0x5c, '\n': 10 },
};

/** Decodes the character at an ESC or an escape character; null if the end of the text cuts it off. */
function readSign(text: string, at: number, options: ReadOptions): Sign | null {
  const code = text.charCodeAt(at);
  if (code === ESC) return readSequence(text, at + 1, options);
  const plain = { code, end: at + 1 };
  if (!options.marks.includes(text.charAt(at))) return plain;
  if (!options.final && text.length - at < LONGEST_ESCAPE && endOf(CUT_ESCAPE, text, at) !== null) return null;
  ESCAPE.lastIndex = at;
  const [whole = '', two, four, braces, entity, octal, decimal, control, name] = ESCAPE.exec(text) ?? [];
  if (whole === '') return plain;
  const end = at + whole.length;
  const hex = two ?? four ?? braces ?? entity;
  const base = hex !== undefined ? 16 : octal !== undefined ? 8 : 10;
  const meant = NAMED[control ?? name ?? ''] ?? Number.parseInt(hex ?? octal ?? decimal ?? '', base);
  if (meant > 0x10ffff) return plain;
  // The ESC of a colour may be written as an escape: `\x1b[31m`.
  const isSequence = meant === ESC && (end >= text.length || text[end] === '[');
  return isSequence ? readSequence(text, end, options) : { code: meant === ESC ? SEQUENCE_CODE : meant, end };
}

function readSequence(text: string, at: number, { final }: ReadOptions): Sign | null {
  const isNearEnd = text.length - at <= LONGEST_SEQUENCE;
  if (!final && isNearEnd && endOf(CUT_SEQUENCE, text, at) !== null) return null;
  return { code: SEQUENCE_CODE, end: endOf(SEQUENCE, text, at) ?? at };
}

function endOf(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** Decodes a text: without escapes, terminal sequences, quotes and line breaks. */
function decodeText(text: string, marks: string): string {
  let meant = '';
  for (let at = 0; at < text.length; ) {
    const isPlain = text.charCodeAt(at) !== ESC && !marks.includes(text[at] ?? '');
    const sign = isPlain ? null : readSign(text, at, { marks, final: true });
    if (sign === null) meant += text[at];
    else if (sign.code !== SEQUENCE_CODE) meant += String.fromCodePoint(sign.code);
    at = sign?.end ?? at + 1;
  }
  return withoutQuotes(meant);
}

/** Removes quoting and wrapping between characters, and decodes UTF-8 bytes. */
function withoutQuotes(text: string): string {
  return text.replace(/[\\'"\r\n]/g, '').replace(UTF8, fromUtf8);
}

const UTF8 = /[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}/g;

function fromUtf8(bytes: string): string {
  const first = bytes.charCodeAt(0) & (0xff >> (bytes.length + 1));
  const code = [...bytes.slice(1)].reduce((sum, byte) => (sum << 6) | (byte.charCodeAt(0) & 0x3f), first);
  return code <= 0x10ffff ? String.fromCodePoint(code) : bytes;
}
