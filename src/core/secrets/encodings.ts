import { toUtf8 } from '../text/sha256.ts';
import { type Secret, SHORTEST_SECRET } from './secret.ts';

/*
 * A secret is looked for in every encoding in which programs print it. Only letters and figures count, so one literal stands for every way
 * of breaking, quoting and separating the encoding, and base64 and base64url are the same.
 */

/** An encoding of a secret, or of a part of it, as the letters and figures to look for. */
export interface Literal {
  readonly of: Encoded;
  readonly letters: string;
  readonly lower: string;
  /** Letters are the same in either case. */
  readonly anyCase: boolean;
  /** The value, when it is not encoded: the signs between its letters may count, and those around them belong to it. */
  readonly value: string | null;
  /** Signs in front and behind that also hold bits of the secret, and with them those that may fill up the encoding. */
  readonly before: number;
  readonly after: number;
  readonly padded: number;
}

/** A value of few letters, or one of its usual quotings, which is looked for as it is. */
interface Verbatim {
  readonly text: string;
  /** It is so short that it is only meant where no letter or figure touches it. */
  readonly isAlone: boolean;
}

/** A secret with all that is looked for because of it. */
export interface Encoded {
  readonly name: string;
  readonly literals: Literal[];
  readonly verbatim: readonly Verbatim[];
  /** It is looked for in several parts, so what is found of it may lie close together. */
  readonly inParts: boolean;
}

/** What was encoded before; it is the same in every index. */
export type EncodingCache = WeakMap<Secret, Encoded>;

/** All that is looked for, by the keys of its first letter and of its first five. */
export interface EncodingIndex {
  readonly secrets: readonly Encoded[];
  readonly byKey: ReadonlyMap<number, readonly Literal[]>;
  /** One for each hash of first letters that some literal has. */
  readonly filter: Uint8Array;
}

/** As many first letters tell literals apart. */
export const ANCHOR = 5;

/** Fewer letters stand in any text. */
const FEWEST_LETTERS = 8;

/** The most signs that fill up the last group of base64 or base32. */
const PADDING = 6;

/** Values that are longer, or of several lines, are looked for in parts. */
const LONGEST_WHOLE = 512;
const PART = 256;
const FEWEST_IN_PART = 16;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** The key of first letters with one more; only the last five count, and their case does not. */
export function anchorKey(key: number, code: number): number {
  return ((key << 5) | (code & 31)) & 0x1ffffff;
}

/** Where the first letters of this key stand in the filter. */
export function anchorHash(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 14;
}

/** The index of all encodings of these secrets. */
export function createEncodingIndex(secrets: readonly Secret[], cache: EncodingCache): EncodingIndex {
  for (const _ of prepareEncodings(secrets, cache));
  const encoded = secrets.flatMap((secret) => cache.get(secret) ?? []);
  const filter = new Uint8Array(1 << 18);
  const byKey = new Map<number, Literal[]>();
  for (const literal of encoded.flatMap(({ literals }) => literals)) {
    const codes = Array.from({ length: ANCHOR }, (_, at) => literal.lower.charCodeAt(at));
    const anchor = codes.reduce(anchorKey, 0);
    filter[anchorHash(anchor)] = 1;
    for (const key of [anchor, anchorKey(0, codes[0] ?? 0)]) {
      const same = byKey.get(key);
      if (same === undefined) byKey.set(key, [literal]);
      else same.push(literal);
    }
  }
  return { secrets: encoded, byKey, filter };
}

/** Encodes secrets step by step: a key takes longer than anybody should wait for a key press. */
export function* prepareEncodings(secrets: readonly Secret[], cache: EncodingCache): Generator<void> {
  for (const secret of secrets) {
    if (cache.has(secret)) continue;
    const parts = partsOf(secret.value);
    const few = parts.length > 1 || (parts[0]?.length ?? 0) < secret.value.length;
    const verbatim = parts
      .filter((part) => lettersOnly(part).length < FEWEST_LETTERS)
      .flatMap((part) => quotings(part).map((text) => ({ text, isAlone: part.length < SHORTEST_SECRET })));
    const encoded: Encoded = { name: secret.name, literals: [], verbatim, inParts: parts.length > 1 };
    for (const part of parts) {
      encoded.literals.push(...toLiterals(encoded, draftsOf(part, few)));
      yield;
    }
    cache.set(secret, encoded);
  }
}

/** A text with one character for each byte that it has in UTF-8. */
export function toByteText(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : toUtf8(text).map(sign).join('');
}

/** A text without all that is neither letter nor figure. */
export function lettersOnly(text: string): string {
  return text.replace(/[^0-9A-Za-z]+/g, '');
}

function partsOf(value: string): string[] {
  const whole = value.length <= LONGEST_WHOLE;
  const isKey = value.startsWith('-----BEGIN ');
  if (whole && !isKey && !value.includes('\n')) return [value];
  // In variables and JSON the line ends of a key are often written out.
  const lines = value.split(isKey ? /\r?\n|(?:\\r)?\\n/ : /\r?\n/).map((line) => line.trim());
  const parts = lines
    .filter((line) => !/^-----[A-Z ]+-----$/.test(line))
    .flatMap((line) => (line.length <= LONGEST_WHOLE ? [line] : (line.match(new RegExp(`.{1,${PART}}`, 'gsu')) ?? [])))
    .filter((part) => lettersOnly(part).length >= FEWEST_IN_PART);
  return parts.length === 0 && whole ? [value] : parts;
}

interface Draft {
  readonly text: string;
  readonly anyCase: boolean;
  readonly value?: string;
  readonly before?: number;
  readonly after?: number;
}

function toLiterals(of: Encoded, drafts: readonly Draft[]): Literal[] {
  const byLetters = new Map<string, Literal>();
  for (const { text, value = null, anyCase, before = 0, after = 0 } of drafts) {
    const letters = lettersOnly(text);
    if (letters.length < FEWEST_LETTERS || byLetters.has(letters)) continue;
    const padded = value !== null || after === 0 ? after : after + PADDING;
    byLetters.set(letters, { of, letters, lower: letters.toLowerCase(), anyCase, value, before, after, padded });
  }
  return [...byLetters.values()];
}

/** The encodings of a value; `few` leaves out the rare ones, for a value of many lines. */
function draftsOf(value: string, few: boolean): Draft[] {
  const bytes = toUtf8(value);
  const anyCase = isDistinct(value);
  const common = [plain(value, anyCase), ...(anyCase ? [{ text: reverse(value), anyCase }] : [])];
  common.push(...packed(bytes, BASE64), numbers(bytes, 16, 2));
  if (few) return common;
  const octal = [numbers(bytes, 10, 0), numbers(bytes, 8, 3), numbers(bytes, 8, 0)];
  // `0x4b`, and `\\x4b` where a text with escapes was escaped once more.
  const marked = [numbers(bytes, 16, 2, '0x'), numbers(bytes, 16, 2, 'x')];
  const rare = [...packed(bytes, BASE32), ...octal, ...marked, ...ofSixteenBits(value)];
  return [...common, ...rare, ...(anyCase ? [...encodedTwice(bytes), ...backwards(bytes)] : [])];
}

/** True when the letters of a value alone tell that it is meant, whatever stands between them. */
function isDistinct(value: string): boolean {
  const letters = lettersOnly(value);
  return letters.length >= 16 || (letters.length >= 12 && /[0-9]/.test(letters) && /[A-Za-z]/.test(letters));
}

function plain(value: string, anyCase: boolean): Draft {
  return { text: value, value, anyCase, before: signsBefore(value), after: signsBehind(value) };
}

/**
 * What of an encoding is the same whatever stands before and after: one text for each place in a group of bytes at which
 * the value may begin. Signs that hold bits of a neighbour as well are counted in `before` and `after`.
 */
function packed(bytes: readonly number[], alphabet: string): Draft[] {
  const size = Math.log2(alphabet.length);
  return Array.from({ length: size === 6 ? 3 : 5 }, (_, shift) => {
    const text = signsOf(bytes, alphabet, shift);
    const before = ((shift * 8) % size > 0 ? 1 : 0) + signsBefore(text);
    const after = (((shift + bytes.length) * 8) % size > 0 ? 1 : 0) + signsBehind(text);
    return { text, anyCase: size === 5, before, after };
  });
}

function signsBefore(text: string): number {
  return text.search(/[0-9A-Za-z]|$/);
}

function signsBehind(text: string): number {
  return text.length - text.search(/[^0-9A-Za-z]*$/);
}

/** The signs that hold nothing but bits of the value, where it begins so many bytes into a group. */
function signsOf(bytes: readonly number[], alphabet: string, shift: number): string {
  const size = Math.log2(alphabet.length);
  const first = Math.ceil((shift * 8) / size);
  const last = Math.floor(((shift + bytes.length) * 8) / size);
  let text = '';
  for (let at = first; at < last; at += 1) text += alphabet[bitsAt(bytes, at * size - shift * 8, size)] ?? '';
  return text;
}

function bitsAt(bytes: readonly number[], from: number, size: number): number {
  const at = from >> 3;
  const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (two >> (16 - (from & 7) - size)) & ((1 << size) - 1);
}

/** Base64 of base64 and of hexadecimal, and hexadecimal of base64, as secrets of clusters and of build servers are printed. */
function encodedTwice(bytes: readonly number[]): Draft[] {
  const inner = [0, 1, 2].map((shift) => toUtf8(signsOf(bytes, BASE64, shift)));
  const figures = toUtf8(numbers(bytes, 16, 2).text);
  // Signs at both ends that hold bits of neighbours as well are two more when they are encoded again.
  const wider = (one: Draft): Draft => ({ ...one, before: (one.before ?? 0) + 2, after: (one.after ?? 0) + 2 });
  const twice = inner.flatMap((text) => [...packed(text, BASE64), numbers(text, 16, 2)]).map(wider);
  return [...twice, ...packed(figures, BASE64), numbers(figures, 16, 2)];
}

/** UTF-16 in both orders of bytes, and its numbers as `U+004B` and `\\u004b`. */
function ofSixteenBits(value: string): Draft[] {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  const orders = [units.flatMap((unit) => [unit & 0xff, unit >> 8]), units.flatMap((unit) => [unit >> 8, unit & 0xff])];
  const encoded = orders.flatMap((bytes) => [...packed(bytes, BASE64), numbers(bytes, 16, 2)]);
  return [...encoded, numbers(units, 16, 4, 'u')];
}

/** Base64 and hexadecimal of what was reversed, and either reversed itself. */
function backwards(bytes: readonly number[]): Draft[] {
  const turned = bytes.toReversed();
  const turnedAfterwards = [...packed(bytes, BASE64), numbers(bytes, 16, 2)].map(({ text, anyCase, before = 0, after = 0 }) => ({
    text: reverse(text),
    anyCase,
    before: after,
    after: before,
  }));
  return [...packed(turned, BASE64), numbers(turned, 16, 2), ...turnedAfterwards];
}

/** Numbers one after the other, each with letters before it that say how it is written. */
function numbers(all: readonly number[], base: number, width: number, mark = ''): Draft {
  return { text: all.map((one) => mark + one.toString(base).padStart(width, '0')).join(''), anyCase: true };
}

/** A value as shells, JSON, URLs and HTML write it. */
function quotings(value: string): string[] {
  const percent = (text: string): string =>
    toUtf8(text)
      .map((byte) => `%${numbers([byte], 16, 2).text}`)
      .join('');
  const url = [...value].map((one) => (/[\w.~-]/.test(one) ? one : percent(one).toUpperCase())).join('');
  const html = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  const quoted = [
    value,
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("'", "'\\''"),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(/[^\w/.~+-]/gu, '\\$&'),
    html,
    html.replaceAll('"', '&quot;'),
    url,
    url.toLowerCase(),
    // `encodeURIComponent` and `encodeURI` leave some signs alone.
    ...(/\p{Cs}/u.test(value) ? [] : [encodeURIComponent(value), encodeURI(value)]),
    reverse(value),
  ];
  return [...new Set(quoted)];
}

function reverse(text: string): string {
  return [...text].toReversed().join('');
}

function sign(byte: number): string {
  return String.fromCharCode(byte);
}
