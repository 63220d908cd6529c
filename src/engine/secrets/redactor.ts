import { type EncodingCache, prepareEncodings } from '../../core/secrets/encodings.ts';
import { createSecretMatcher, type SecretMatcher } from '../../core/secrets/matcher.ts';
import { isOrdinary } from '../../core/secrets/names.ts';
import { formatPlaceholder, isTooShort, type Secret, SHORTEST_SECRET } from '../../core/secrets/secret.ts';
import { findShapes } from '../../core/secrets/shapes.ts';

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

  /** What has one of the names in `open` is no secret. */
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

  /** Keeps names from secrets that are told by their shape: in what was said before they stood for values nobody has any more. */
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
