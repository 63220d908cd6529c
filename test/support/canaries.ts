import { relative } from 'node:path';
import { filesBelow } from './files-below.ts';

/** A secret that was laid out to see where it comes up again. */
export interface Canary {
  readonly name: string;
  readonly value: string;
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number below `end`. */
export function below(random: () => number, end: number): number {
  return Math.floor(random() * end);
}

/** One of a list. */
export function oneOf<T>(random: () => number, list: readonly [T, ...T[]]): T {
  return list[below(random, list.length)] ?? list[0];
}

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Random letters and digits: what most keys are made of. */
export function word(random: () => number, length: number, letters = LETTERS): string {
  return Array.from({ length }, () => letters[below(random, letters.length)]).join('');
}

/** The forms a value may take on its way; each is looked for as it is. */
const FORMS: Readonly<Record<string, (value: string) => readonly string[]>> = {
  plain: (value) => [value],
  base64: (value) => inBase64(value, 'base64'),
  base64url: (value) => inBase64(value, 'base64url'),
  hex: (value) => [Buffer.from(value).toString('hex'), Buffer.from(value).toString('hex').toUpperCase()],
  url: (value) => [encodeURIComponent(value)],
  base32: (value) => inBase32(value),
  json: (value) => [JSON.stringify(value).slice(1, -1)],
  'code by code': (value) => [
    codes(value, (code) => `x${code.toString(16).padStart(2, '0')}`),
    codes(value, (code) => `u${code.toString(16).padStart(4, '0')}`),
    codes(value, (code) => code.toString(8).padStart(3, '0')),
    codes(value, String),
  ],
  reversed: (value) => [Array.from(value).reverse().join('')],
};

/** The part of an encoding that is the same whatever text surrounds it. */
function inBase64(value: string, kind: 'base64' | 'base64url'): string[] {
  return [0, 1, 2].map((shift) => {
    const text = Buffer.from('x'.repeat(shift) + value)
      .toString(kind)
      .replace(/=+$/, '');
    return text.slice(shift === 0 ? 0 : shift + 1, text.length - 1);
  });
}

function inBase32(value: string): string[] {
  return [0, 1, 2, 3, 4].map((shift) => {
    const bits = codes('x'.repeat(shift) + value, (code) => code.toString(2).padStart(8, '0'));
    const letters = (bits.match(/.{5}/g) ?? []).map((five) => BASE32[Number.parseInt(five, 2)]).join('');
    return letters.slice(Math.ceil((shift * 8) / 5));
  });
}

function codes(value: string, write: (code: number) => string): string {
  return Array.from(Buffer.from(value), write).join('');
}

/** So much of a form is enough to be found: half a secret is too much as well. */
const WINDOW = 14;

/** The place at which a canary was found. */
export interface Find {
  readonly canary: string;
  readonly form: string;
  readonly where: string;
  /** The text around it. */
  readonly around: string;
}

/** Looks for canaries in bytes, in all their forms, whole or in part, also where something was put between their characters. */
export class CanarySearch {
  readonly #windows = new Map<string, { readonly canary: string; readonly form: string }>();

  constructor(canaries: readonly Canary[]) {
    for (const { name, value } of canaries) {
      for (const [form, toTexts] of Object.entries(FORMS)) {
        for (const text of toTexts(value)) this.#add(name, form, text);
      }
    }
  }

  /** All that is found in bytes of one place, at most one of each canary and form. */
  in(bytes: Uint8Array | string, where: string): Find[] {
    const text = typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString('latin1');
    const found = new Map<string, Find>();
    // Only letters and digits, for what was split: by blanks, line ends, dots, the columns of a dump.
    const plain = text.replace(/\x1b\[[0-9;]*m/g, '');
    for (const looked of [text, plain.replace(/[^A-Za-z0-9]+/g, '')]) this.#look(looked, where, found);
    return [...found.values()];
  }

  /** All that is found in the files below a folder; `skip` names files by their path in it. */
  inFolder(folder: string, skip: (path: string) => boolean = () => false): Find[] {
    return filesBelow(folder).flatMap(({ path, bytes }) => {
      const name = relative(folder, path);
      const inName = this.in(name, `the name of ${path}`);
      return skip(name) || bytes === undefined ? inName : [...inName, ...this.in(bytes, path)];
    });
  }

  #add(canary: string, form: string, text: string): void {
    for (const variant of [text, text.replace(/[^A-Za-z0-9]+/g, '')]) {
      for (let at = 0; at + WINDOW <= variant.length; at += 1) {
        this.#windows.set(variant.slice(at, at + WINDOW), { canary, form });
      }
    }
  }

  #look(text: string, where: string, found: Map<string, Find>): void {
    for (let at = 0; at + WINDOW <= text.length; at += 1) {
      const hit = this.#windows.get(text.slice(at, at + WINDOW));
      if (hit === undefined) continue;
      const key = `${hit.canary} ${hit.form}`;
      if (!found.has(key)) found.set(key, { ...hit, where, around: text.slice(Math.max(0, at - 40), at + 60) });
    }
  }
}
