import { toUtf8 } from '../utf8.ts';
import { FEWEST_LETTERS, type Form, formsOf } from './forms.ts';
import { LETTERS, letterOf, lettersOnly } from './letters.ts';
import { type Secret, SHORTEST_SECRET } from './secret.ts';

/** A form that is looked for, with what is needed to follow it in a text. */
export interface Wanted extends Form {
  /** Which secret it is of. */
  readonly secret: number;
  /** Its letters as `letterOf` gives them. */
  readonly codes: Uint8Array;
  /** What was encoded: the value, or a line of it. */
  readonly part: string;
}

/** A value of few letters, or one of its usual quotings, which is looked for as it is. */
export interface Verbatim {
  readonly secret: number;
  readonly text: string;
  /** It is so short that it is only meant where no letter or figure touches it. */
  readonly isAlone: boolean;
}

/** All that is looked for, by the letters with which it begins. */
export interface FormIndex {
  /** One for each hash of an anchor that some form has. */
  readonly filter: Uint8Array;
  readonly byAnchor: ReadonlyMap<number, readonly Wanted[]>;
  readonly byFirst: readonly (readonly Wanted[])[];
  readonly verbatim: readonly Verbatim[];
  /** Secrets that are looked for in several parts, so that what is found of them may lie close together. */
  readonly inParts: ReadonlySet<number>;
}

/** What was made of secrets before: their forms are the same in every index. */
export type FormCache = WeakMap<Secret, { readonly parts: readonly string[]; readonly forms: readonly PartForm[] }>;

interface PartForm extends Form {
  readonly codes: Uint8Array;
  readonly part: string;
}

/** Letters of an anchor: a form is followed where its first ones stand. */
export const ANCHOR = 5;

/** Values that are longer, or of several lines, are looked for in parts. */
const LONGEST_WHOLE = 512;
const PART = 256;
const FEWEST_IN_PART = 16;

/** The key of an anchor with one more letter; only the last five letters count. */
export function anchorKey(key: number, letter: number): number {
  return ((key << 5) | (letter & 31)) & 0x1ffffff;
}

/** Where an anchor stands in the filter. */
export function anchorHash(key: number): number {
  return Math.imul(key, 0x9e3779b1) >>> 16;
}

/** The forms of all secrets. `bytes` makes them for a text with one character for each byte. */
export function createFormIndex(
  secrets: readonly Secret[],
  { bytes, cache }: { bytes: boolean; cache: FormCache },
): FormIndex {
  const wanted: Wanted[] = [];
  const verbatim: Verbatim[] = [];
  const inParts = new Set<number>();
  const write = (text: string): string => (bytes ? toByteText(text) : text);
  secrets.forEach((one, secret) => {
    for (const _ of prepareForms([one], cache));
    const { parts, forms } = cache.get(one) ?? { parts: [], forms: [] };
    const written = new Map(parts.map((part) => [part, write(part)]));
    for (const form of forms) wanted.push({ ...form, part: written.get(form.part) ?? form.part, secret });
    if (parts.length > 1) inParts.add(secret);
    for (const part of parts.filter((text) => lettersOnly(text).length < FEWEST_LETTERS))
      for (const text of quotings(part))
        verbatim.push({ secret, text: write(text), isAlone: part.length < SHORTEST_SECRET });
  });
  return { ...arrange(wanted), verbatim, inParts };
}

/** Makes the forms of secrets step by step: those of a key take longer than anybody should wait for a key press. */
export function* prepareForms(secrets: readonly Secret[], cache: FormCache): Generator<void> {
  for (const secret of secrets) {
    if (cache.has(secret)) continue;
    const parts = partsOf(secret.value);
    const few = parts.length > 1 || (parts[0]?.length ?? 0) < secret.value.length;
    const forms: PartForm[] = [];
    for (const part of parts) {
      for (const form of formsOf(part, { few })) forms.push({ ...form, codes: toCodes(form.letters), part });
      yield;
    }
    cache.set(secret, { parts, forms });
  }
}

/** A text with one character for each byte that it has in UTF-8. */
export function toByteText(text: string): string {
  return toUtf8(text)
    .map((byte) => String.fromCharCode(byte))
    .join('');
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

function arrange(wanted: readonly Wanted[]): Pick<FormIndex, 'filter' | 'byAnchor' | 'byFirst'> {
  const filter = new Uint8Array(65536);
  const byAnchor = new Map<number, Wanted[]>();
  const byFirst: Wanted[][] = Array.from({ length: LETTERS }, () => []);
  for (const form of wanted) {
    const key = form.codes.subarray(0, ANCHOR).reduce(anchorKey, 0);
    filter[anchorHash(key)] = 1;
    const same = byAnchor.get(key);
    if (same === undefined) byAnchor.set(key, [form]);
    else same.push(form);
    byFirst[form.codes[0] ?? 0]?.push(form);
  }
  return { filter, byAnchor, byFirst };
}

function toCodes(letters: string): Uint8Array {
  return Uint8Array.from(letters, (letter) => letterOf(letter.charCodeAt(0)));
}

/** A value as shells, JSON, URLs and HTML write it. */
function quotings(value: string): Set<string> {
  const url = [...value].map((sign) => (/[\w.~-]/.test(sign) ? sign : percent(sign))).join('');
  return new Set([
    value,
    JSON.stringify(value).slice(1, -1),
    value.replaceAll("'", "'\\''"),
    value.replace(/["$`\\]/g, '\\$&'),
    value.replace(/[^\w/.~+-]/gu, '\\$&'),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
    value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;'),
    url,
    url.toLowerCase(),
    ...usualUrl(value),
    [...value].toReversed().join(''),
  ]);
}

/** What `encodeURIComponent` and `encodeURI` make of it, which leave some signs alone. */
function usualUrl(value: string): string[] {
  return /\p{Cs}/u.test(value) ? [] : [encodeURIComponent(value), encodeURI(value)];
}

function percent(sign: string): string {
  return toUtf8(sign)
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
