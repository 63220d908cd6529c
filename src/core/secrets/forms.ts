import { toUtf8 } from '../utf8.ts';
import { lettersOnly } from './letters.ts';

/**
 * What a secret looks like in a text. A form is looked for by its letters and figures alone, so one form stands for
 * every way of breaking, quoting and separating it, and base64 and base64url are the same.
 */
export interface Form {
  readonly letters: string;
  /** `plain` is the value itself, whose signs between the letters may count. */
  readonly kind: 'plain' | 'reversed' | 'encoded';
  /** Letters are the same in either case. */
  readonly anyCase: boolean;
  /** Signs of the encoding in front and behind that also hold bits of the secret. */
  readonly before: number;
  readonly after: number;
}

/** Fewer letters stand in any text. */
export const FEWEST_LETTERS = 8;

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** True when the letters of a value alone tell that it is meant, whatever stands between them. */
export function isDistinct(value: string): boolean {
  const letters = lettersOnly(value);
  return letters.length >= 16 || (letters.length >= 12 && /[0-9]/.test(letters) && /[A-Za-z]/.test(letters));
}

/** The forms of a value; `few` leaves out the rare ones, for a value of many lines. */
export function formsOf(value: string, { few }: { few: boolean }): Form[] {
  const bytes = toUtf8(value);
  const anyCase = isDistinct(value);
  const letters = lettersOnly(value);
  const forms: Form[] = [{ letters, kind: 'plain', anyCase, before: 0, after: 0 }];
  if (anyCase) forms.push({ letters: reverse(letters), kind: 'reversed', anyCase, before: 0, after: 0 });
  forms.push(...packed(bytes, BASE64), written(bytes, 16, 2));
  if (!few) {
    const wide = [...value].flatMap((character) => [character.charCodeAt(0) & 0xff, character.charCodeAt(0) >> 8]);
    forms.push(...packed(wide, BASE64), ...packed(bytes, BASE32), written(bytes, 10, 0), written(bytes, 8, 3));
    forms.push({ ...written(bytes, 16, 2), letters: bytes.map((byte) => `0x${hex(byte)}`).join('') });
    if (anyCase) forms.push(...encodedTwice(bytes));
  }
  const seen = new Set<string>();
  return forms.filter((form) => {
    const isNew = form.letters.length >= FEWEST_LETTERS && !seen.has(form.letters);
    seen.add(form.letters);
    return isNew;
  });
}

/**
 * What of an encoding is the same whatever stands before and after: one form for each place in a group of bytes at which
 * the value may begin. Signs that hold bits of a neighbour as well are counted in `before` and `after`.
 */
function packed(bytes: readonly number[], alphabet: string): Form[] {
  const size = Math.log2(alphabet.length);
  return Array.from({ length: size === 6 ? 3 : 5 }, (_, shift) => {
    const text = signsOf(bytes, alphabet, shift);
    return {
      letters: lettersOnly(text),
      kind: 'encoded',
      anyCase: size === 5,
      before: ((shift * 8) % size > 0 ? 1 : 0) + (/^[+/]*/.exec(text)?.[0].length ?? 0),
      after: (((shift + bytes.length) * 8) % size > 0 ? 1 : 0) + (/[+/]*$/.exec(text)?.[0].length ?? 0),
    };
  });
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

/** Base64 of base64 and of hexadecimal, and hexadecimal of base64, as secrets of clusters and of build servers are printed. */
function encodedTwice(bytes: readonly number[]): Form[] {
  const inner = [0, 1, 2].map((shift) => toUtf8(signsOf(bytes, BASE64, shift)));
  const figures = toUtf8(bytes.map(hex).join(''));
  // Signs at both ends that hold bits of neighbours as well are two more when they are encoded again.
  const wider = (form: Form): Form => ({ ...form, before: form.before + 2, after: form.after + 2 });
  return [
    ...inner.flatMap((text) => [...packed(text, BASE64), written(text, 16, 2)]).map(wider),
    ...packed(figures, BASE64),
    written(figures, 16, 2),
  ];
}

function bitsAt(bytes: readonly number[], from: number, size: number): number {
  const at = from >> 3;
  const two = ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
  return (two >> (16 - (from & 7) - size)) & ((1 << size) - 1);
}

/** The bytes as numbers one after the other. */
function written(bytes: readonly number[], base: number, width: number): Form {
  const letters = bytes.map((byte) => byte.toString(base).padStart(width, '0')).join('');
  return { letters, kind: 'encoded', anyCase: true, before: 0, after: 0 };
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, '0');
}

function reverse(text: string): string {
  return [...text].toReversed().join('');
}
