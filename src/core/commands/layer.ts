import type { WordKind } from './argument.ts';

/** Values by name, over those of the scope around it, which sees none of these. While a layer is in use the one below stays as it is. */
export class Layer<V> {
  readonly #own = new Map<string, V | undefined>();
  readonly #below: Layer<V> | undefined;

  constructor(below?: Layer<V>) {
    this.#below = below;
  }

  get(name: string): V | undefined {
    for (let layer: Layer<V> | undefined = this; layer !== undefined; layer = layer.#below)
      if (layer.#own.has(name)) return layer.#own.get(name);
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  set(name: string, value: V): void {
    this.#own.set(name, value);
  }

  delete(name: string): void {
    this.#own.set(name, undefined);
  }

  /** What was set since the layer was made; undefined for what was deleted. */
  changes(): Iterable<readonly [name: string, value: V | undefined]> {
    return this.#own;
  }
}

/** Variables by name; null for a value that is not known. Of such a value the kind of its words may be: arithmetic sets numbers. */
export class Variables extends Layer<string | null> {
  readonly #kinds: Layer<WordKind>;

  constructor(below?: Variables) {
    super(below);
    this.#kinds = new Layer(below === undefined ? undefined : below.#kinds);
  }

  override set(name: string, value: string | null): void {
    this.#kinds.delete(name);
    super.set(name, value);
  }

  override delete(name: string): void {
    this.#kinds.delete(name);
    super.delete(name);
  }

  /** Records that a variable holds words of a kind that are not known. */
  setKind(name: string, kind: WordKind): void {
    this.set(name, null);
    this.#kinds.set(name, kind);
  }

  /** Of what kind the words of the variable are, where it was set so last. */
  kindOf(name: string): WordKind | undefined {
    return this.#kinds.get(name);
  }

  /** Whether the variable holds a number, known or not. */
  holdsNumber(name: string): boolean {
    return this.kindOf(name) === 'number' || /^-?\d+$/.test(this.get(name) ?? '');
  }
}
