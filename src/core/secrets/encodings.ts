import { toUtf8 } from '../text/sha256.ts';
import { type Secret, SHORTEST_SECRET } from './secret.ts';

/*
 * aish searches for a secret in every encoding that programs print. Only letters and digits count, so one literal covers all ways to wrap,
 * quote and separate the encoded text, and base64 equals base64url.
 */

/** An encoding of a secret, or of a part of it, reduced to letters and digits. */
export interface Literal {
  readonly of: Encoded;
  readonly letters: string;
  readonly lower: string;
  /** Letter case does not matter. */
  readonly anyCase: boolean;
  /** The value itself, if it is not encoded: punctuation inside it may count, and punctuation around it belongs to it. */
  readonly value: string | null;
  /** Characters before and after the literal that also contain bits of the secret, including padding. */
  readonly before: number;
  readonly after: number;
  readonly padded: number;
}

/** A value with few letters, or one of its usual quotings, which must match exactly. */
interface Verbatim {
  readonly text: string;
  /** The value is so short that it counts only between non-word characters. */
  readonly isAlone: boolean;
}

/** A secret with all its literals. */
export interface Encoded {
  readonly name: string;
  readonly literals: Literal[];
  readonly verbatim: readonly Verbatim[];
  /** The secret is searched for in several parts, so its matches may lie close together. */
  readonly inParts: boolean;
}

/** Encodings computed earlier, shared by all indexes. */
export type EncodingCache = WeakMap<Secret, Encoded>;

/** All literals, by the keys of their first letter and of their first five letters. */
export interface EncodingIndex {
  readonly secrets: readonly Encoded[];
  readonly byKey: ReadonlyMap<number, readonly Literal[]>;
  /** A bit for each hash of first letters of any literal. */
  readonly filter: Uint8Array;
}

/** Number of first letters that distinguish literals. */
export const ANCHOR = 5;

/** Fewer letters occur in any text. */
const FEWEST_LETTERS = 8;

/** The maximum padding of the last group in base64 or base32. */
const PADDING = 6;

/** Longer values, and values of several lines, are searched for in parts. */
const LONGEST_WHOLE = 512;
const PART = 256;
const FEWEST_IN_PART = 16;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const BASE32HEX = '0123456789ABCDEFGHIJKLMNOPQRSTUV';

/** Extends the key of the first letters by one; only the last five letters count, without case. */
export function anchorKey(key: number, code: number): number {
  return ((key << 5) | (code & 31)) & 0x1ffffff;
}

/** The index of a key in the filter. */
export function anchorHash(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 14;
}

/** Builds the index of all encodings of these secrets. */
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

/** Encodes secrets step by step, because a private key takes longer than a key press may wait. */
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

/** A text with one character per UTF-8 byte. */
export function toByteText(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? text : toUtf8(text).map(sign).join('');
}

/** A text reduced to letters and digits. */
export function lettersOnly(text: string): string {
  return text.replace(/[^0-9A-Za-z]+/g, '');
}

function partsOf(value: string): string[] {
  const whole = value.length <= LONGEST_WHOLE;
  const isKey = value.startsWith('-----BEGIN ');
  if (whole && !isKey && !value.includes('\n')) return [value];
  // Variables and JSON often contain the line ends of a private key as escapes.
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

/** The encodings of a value; `few` omits the rare ones, for a value of many lines. */
function draftsOf(value: string, few: boolean): Draft[] {
  const bytes = toUtf8(value);
  const anyCase = isDistinct(value);
  const common = [plain(value, anyCase), ...(anyCase ? [{ text: reverse(value), anyCase }] : [])];
  common.push(...packed(bytes, BASE64), numbers(bytes, 16, 2));
  if (few) return common;
  const octal = [numbers(bytes, 10, 0), numbers(bytes, 8, 3), numbers(bytes, 8, 0)];
  // `0x4b`, and `\\x4b` for a text with escapes that was escaped again.
  const marked = [numbers(bytes, 16, 2, '0x'), numbers(bytes, 16, 2, 'x')];
  const rare = [...packed(bytes, BASE32), ...packed(bytes, BASE32HEX), ...octal, ...marked, ...ofSixteenBits(value)];
  return [...common, ...rare, ...(anyCase ? [...encodedTwice(bytes), ...backwards(bytes)] : [])];
}

/** Whether the letters of a value identify it, whatever stands between them. */
function isDistinct(value: string): boolean {
  const letters = lettersOnly(value);
  return letters.length >= 16 || (letters.length >= 12 && /[0-9]/.test(letters) && /[A-Za-z]/.test(letters));
}

function plain(value: string, anyCase: boolean): Draft {
  return { text: value, value, anyCase, before: signsBefore(value), after: signsBehind(value) };
}

/**
 * The part of an encoding that does not depend on the neighbouring text: one literal per position within a group of bytes. `before` and
 * `after` count characters that share bits with neighbours.
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

/** The characters that contain only bits of the value, if it starts `shift` bytes into a group. */
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

/** Base64 of base64 and of hexadecimal, and hexadecimal of base64, as clusters and build servers print secrets. */
function encodedTwice(bytes: readonly number[]): Draft[] {
  const inner = [0, 1, 2].map((shift) => toUtf8(signsOf(bytes, BASE64, shift)));
  const figures = toUtf8(numbers(bytes, 16, 2).text);
  // Encoding again adds two characters at each end that share bits with neighbours.
  const wider = (one: Draft): Draft => ({ ...one, before: (one.before ?? 0) + 2, after: (one.after ?? 0) + 2 });
  const twice = inner.flatMap((text) => [...packed(text, BASE64), numbers(text, 16, 2)]).map(wider);
  return [...twice, ...packed(figures, BASE64), numbers(figures, 16, 2)];
}

/** UTF-16 in both byte orders, and code points as `U+004B` and `\\u004b`. */
function ofSixteenBits(value: string): Draft[] {
  const units = Array.from({ length: value.length }, (_, at) => value.charCodeAt(at));
  const orders = [units.flatMap((unit) => [unit & 0xff, unit >> 8]), units.flatMap((unit) => [unit >> 8, unit & 0xff])];
  const encoded = orders.flatMap((bytes) => [...packed(bytes, BASE64), numbers(bytes, 16, 2)]);
  return [...encoded, numbers(units, 16, 4, 'u')];
}

/** Base64 and hexadecimal of the reversed value, and both reversed. */
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

/** The bytes as consecutive numbers, each with its radix prefix. */
function numbers(all: readonly number[], base: number, width: number, mark = ''): Draft {
  return { text: all.map((one) => mark + one.toString(base).padStart(width, '0')).join(''), anyCase: true };
}

/** A value as shells, JSON, URLs and HTML quote it. */
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
    // `encodeURIComponent` and `encodeURI` leave some characters unchanged.
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
