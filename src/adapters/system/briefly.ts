/** The time from the decision about a call to its command, mostly. */
const CALL_MS = 50;

/** Keeps what was found last, for about as long as a call of the model takes: until it has run, the same is asked several times. */
export class Briefly<T> {
  #last: { readonly key: string; readonly at: number; readonly value: T } | null = null;

  /** The value that was found last, whatever its key; null if that is too long ago. */
  get kept(): T | null {
    const last = this.#last;
    return last !== null && performance.now() - last.at < CALL_MS ? last.value : null;
  }

  /** The value that was found last, if it has this key; null if that is too long ago. */
  get(key: string): T | null {
    return this.#last?.key === key ? this.kept : null;
  }

  /** Keeps a value and returns it. */
  set(key: string, value: T): T {
    this.#last = { key, at: performance.now(), value };
    return value;
  }
}
