import { type EncodingCache, prepareEncodings } from '../../core/secrets/encodings.ts';
import {
  type LiveStream,
  type Piece,
  type PieceOptions,
  type SecretStream,
  streamPieces,
} from '../../core/secrets/live-stream.ts';
import { createSecretMatcher, type SecretMatcher } from '../../core/secrets/matcher.ts';
import { isOrdinary } from '../../core/secrets/names.ts';
import { formatPlaceholder, isTooShort, type Secret, SHORTEST_SECRET } from '../../core/secrets/secret.ts';
import { findShapes, mayEndInShape } from '../../core/secrets/shapes.ts';

type FindShapes = typeof findShapes;

/** More secrets that only their shape tells of are covered where they stand, but not looked for elsewhere. */
const MOST_SHAPED = 256;

/** The secrets of a session, each with a name that never stands for another value. */
export class Redactor {
  /** The number below which none is free of a name that many have. */
  readonly #numbers = new Map<string, number>();
  readonly #byName = new Map<string, Secret>();
  readonly #byValue = new Map<string, Secret>();
  readonly #unsought = new Map<string, string>();
  readonly #encodings: EncodingCache = new WeakMap();
  readonly #reserved = new Set<string>();
  readonly #public: ReadonlySet<string>;
  #shaped = 0;
  /** Tells which values in a text a project once had. */
  recall: (text: string) => readonly Secret[] = () => [];
  #matcher: SecretMatcher | null = null;

  /** Values under one of the names in `open` are no secrets. */
  constructor(open: readonly string[] = []) {
    this.#public = new Set(open);
  }

  /** Finds the secrets there are now. */
  get matcher(): SecretMatcher {
    this.#matcher ??= createSecretMatcher([...this.#byName.values()], this.#encodings);
    return this.#matcher;
  }

  /** Makes what the next search needs, step by step. */
  prepare(): Iterable<void> {
    return prepareEncodings([...this.#byName.values()], this.#encodings);
  }

  get secrets(): readonly Secret[] {
    return [...this.#byName.values()];
  }

  /** The value of a name; null when there is no such secret. */
  valueOf(name: string): string | null {
    return this.#byName.get(name)?.value ?? null;
  }

  /** True for a value that is a secret as it is. */
  has(value: string): boolean {
    return this.#byValue.has(value);
  }

  /** Takes secrets in; true when there was a new one. One that is meant may be as short as a word. */
  learn(secrets: readonly Secret[], { isMeant = false }: { isMeant?: boolean } = {}): boolean {
    const before = this.#byName.size;
    for (const { name, value, from } of secrets) {
      if ((isTooShort(value) && !isMeant) || this.#byValue.has(value) || this.#public.has(name)) continue;
      this.#add({ name: this.#freeName(toPlainName(name)), value, from });
    }
    if (this.#byName.size > before) this.#matcher = null;
    return this.#byName.size > before;
  }

  /** Reserves names of secrets found by their shape: in earlier texts they stood for values that are gone now. */
  reserve(names: Iterable<string>): void {
    for (const name of names) this.#reserved.add(name);
  }

  /** Learns what in a text has the shape of a secret; `isShort` when something cannot be looked for elsewhere. */
  learnShapes(text: string, find: FindShapes = findShapes): { readonly isNew: boolean; readonly isShort: boolean } {
    let isShort = false;
    const before = this.#byName.size;
    this.learn(this.recall(text));
    const { matcher } = this;
    for (const { name, value } of find(text)) {
      const isSought = value.length >= SHORTEST_SECRET && (find === findShapes || !isOrdinary(value));
      if (!isSought || this.#shaped >= MOST_SHAPED) isShort = true;
      else if (!this.#byValue.has(value) && !this.#public.has(name) && matcher.redact(value) === value) {
        this.#shaped += 1;
        this.#add({ name: this.#freeName(name, this.#reserved), value, from: 'its shape' });
        this.#matcher = null;
      }
    }
    return { isNew: this.#byName.size > before, isShort };
  }

  /** The text from a place on with a placeholder where a shape stands, whether it was learned or not. */
  coverShapes(
    text: string,
    { begin = 0, find = findShapes }: { begin?: number; find?: FindShapes | undefined } = {},
  ): string {
    let clean = '';
    let at = begin;
    for (const { from, to, name, value } of find(text)) {
      if (this.#public.has(name) || to <= at) continue;
      clean += text.slice(at, Math.max(at, from)) + formatPlaceholder(this.#nameOf(value, name));
      at = to;
    }
    return clean + text.slice(at);
  }

  /** The name of a value that is not looked for elsewhere, so that the same one is seen to be the same. */
  #nameOf(value: string, name: string): string {
    const known = this.#byValue.get(value)?.name ?? this.#unsought.get(value);
    if (known !== undefined) return known;
    const free = this.#freeName(name, this.#reserved);
    if (this.#unsought.size >= MOST_SHAPED * 4) return free;
    this.#unsought.set(value, free);
    this.#reserved.add(free);
    return free;
  }

  #add(secret: Secret): void {
    this.#byName.set(secret.name, secret);
    this.#byValue.set(secret.value, secret);
  }

  #freeName(name: string, taken: ReadonlySet<string> = NONE): string {
    const isTaken = (one: string): boolean => this.#byName.has(one) || taken.has(one);
    if (!isTaken(name)) return name;
    let number = this.#numbers.get(name) ?? 2;
    while (isTaken(`${name}-${number}`)) number += 1;
    if (taken === NONE) this.#numbers.set(name, number);
    return `${name}-${number}`;
  }
}

const NONE: ReadonlySet<string> = new Set();

/** A name as a placeholder can hold it. */
function toPlainName(name: string): string {
  return name.replace(/[^A-Za-z0-9_.:@/-]+/g, '-').slice(0, 72) || 'secret';
}

/** How much of a line is looked at again when more of it comes. */
const CONTEXT = 512;

/** A line is waited for no longer than this, and a key of several lines no longer than that. */
const LONGEST_LINE = 8 * 1024;
const LONGEST_KEY = 32 * 1024;

/** Redacts known secrets, and texts with the shape of a secret, from bytes in pieces. It finds shapes line by line. */
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
  /** The offset at which a text can be cut without cutting a shape, apart from a key of several lines. */
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
