/** No escape begins here. */
export const NO_ESCAPE = -1;

/** The text ends before it can be told whether an escape begins here. */
export const OPEN_ESCAPE = -2;

/** How a character is written: its code and the length of its escape in one number. */
const LENGTH_BITS = 5;

/** The longest escape that is read. */
const LONGEST_ESCAPE = 12;

/** A sequence for the terminal that has not ended by then is none. */
const LONGEST_SEQUENCE = 4096;

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' };
const CONTROLS: Readonly<Record<string, number>> = { n: 10, r: 13, t: 9, b: 8, f: 12, v: 11, a: 7, e: 27, E: 27 };

/** The escape at a place as `code << 5 | length`, or `NO_ESCAPE`, or `OPEN_ESCAPE`. */
export function readEscape(text: string, at: number): number {
  switch (text.charCodeAt(at)) {
    case 0x25:
      return digits(text, { from: at + 1, least: 2, most: 2, base: 16 }, at);
    case 0x5c:
      return readBackslash(text, at);
    case 0x26:
      return readEntity(text, at);
    default:
      return NO_ESCAPE;
  }
}

/** The code of an escape. */
export function escapeCode(packed: number): number {
  return packed >> LENGTH_BITS;
}

/** The length of an escape. */
export function escapeLength(packed: number): number {
  return packed & ((1 << LENGTH_BITS) - 1);
}

/** Where the sequence for the terminal ends whose first character after ESC is at `at`; `OPEN_ESCAPE` when it does not. */
export function sequenceEnd(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (Number.isNaN(first)) return OPEN_ESCAPE;
  if (first === 0x5b) return controlSequenceEnd(text, at + 1);
  if (first === 0x5d || first === 0x50 || first === 0x58 || first === 0x5e || first === 0x5f)
    return stringEnd(text, at + 1);
  let end = at;
  while (isBetween(text.charCodeAt(end), 0x20, 0x2f)) end += 1;
  return end < text.length ? end + 1 : OPEN_ESCAPE;
}

function controlSequenceEnd(text: string, from: number): number {
  let at = from;
  while (isBetween(text.charCodeAt(at), 0x20, 0x3f)) at += 1;
  if (at - from > LONGEST_SEQUENCE) return from;
  if (at >= text.length) return OPEN_ESCAPE;
  return isBetween(text.charCodeAt(at), 0x40, 0x7e) ? at + 1 : at;
}

/** Ends after BEL or the string terminator; one that goes on for too long is taken for none. */
function stringEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + LONGEST_SEQUENCE);
  for (let at = from; at < limit; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x07 || code === 0x9c) return at + 1;
    if (code === 0x1b) return text.charCodeAt(at + 1) === 0x5c ? at + 2 : at;
  }
  return limit < text.length ? from : OPEN_ESCAPE;
}

function readBackslash(text: string, at: number): number {
  const next = text[at + 1];
  if (next === undefined) return OPEN_ESCAPE;
  if (next === 'x' || next === 'X') return digits(text, { from: at + 2, least: 2, most: 2, base: 16 }, at);
  if (next === 'u') return readUnicode(text, at);
  if (next >= '0' && next <= '7') return digits(text, { from: at + 1, least: 1, most: 3, base: 8 }, at);
  const control = CONTROLS[next];
  if (control !== undefined) return pack(control, 2);
  return next === '\\' || next === '\n' ? pack(0x20, 2) : NO_ESCAPE;
}

function readUnicode(text: string, at: number): number {
  if (text[at + 2] !== '{') return digits(text, { from: at + 2, least: 4, most: 4, base: 16 }, at);
  const end = indexNear(text, '}', at);
  if (end < 0) return text.length - at < LONGEST_ESCAPE ? OPEN_ESCAPE : NO_ESCAPE;
  const code = Number.parseInt(text.slice(at + 3, end), 16);
  return code <= 0x10ffff ? pack(code, end + 1 - at) : NO_ESCAPE;
}

function readEntity(text: string, at: number): number {
  const end = indexNear(text, ';', at);
  if (end < 0)
    return text.length - at < LONGEST_ESCAPE && /^&#?[0-9A-Za-z]*$/.test(text.slice(at)) ? OPEN_ESCAPE : NO_ESCAPE;
  const name = text.slice(at + 1, end);
  const code = /^#[xX][0-9a-fA-F]+$/.test(name)
    ? Number.parseInt(name.slice(2), 16)
    : /^#[0-9]+$/.test(name)
      ? Number.parseInt(name.slice(1), 10)
      : NAMED[name]?.charCodeAt(0);
  return code === undefined || code > 0x10ffff ? NO_ESCAPE : pack(code, end + 1 - at);
}

/** Where a sign stands within the length of an escape; -1 when it does not. */
function indexNear(text: string, sign: string, from: number): number {
  const limit = Math.min(text.length, from + LONGEST_ESCAPE);
  for (let at = from; at < limit; at += 1) if (text[at] === sign) return at;
  return -1;
}

/** The escape at `at` whose figures begin at `from`. */
function digits(
  text: string,
  { from, least, most, base }: { from: number; least: number; most: number; base: 8 | 16 },
  at: number,
): number {
  let code = 0;
  let count = 0;
  while (count < most) {
    if (from + count >= text.length) return OPEN_ESCAPE;
    const digit = digitOf(text.charCodeAt(from + count));
    if (digit >= base) break;
    code = code * base + digit;
    count += 1;
  }
  return count < least ? NO_ESCAPE : pack(code, from + count - at);
}

function digitOf(code: number): number {
  if (isBetween(code, 0x30, 0x39)) return code - 0x30;
  const lower = code | 0x20;
  return isBetween(lower, 0x61, 0x66) ? lower - 0x57 : 99;
}

function pack(code: number, length: number): number {
  return (code << LENGTH_BITS) | length;
}

function isBetween(code: number, low: number, high: number): boolean {
  return code >= low && code <= high;
}
