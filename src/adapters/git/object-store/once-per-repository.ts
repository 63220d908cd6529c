import type { Repository } from './repository.ts';

/** Remembers a value for each repository. A repository is opened for one operation, so its folders are looked at once in it. */
export class OncePerRepository<T> {
  readonly #known = new WeakMap<Repository, { readonly value: T }>();

  /** The remembered value, or a new one. */
  get(repository: Repository, make: () => T): T {
    const known = this.#known.get(repository) ?? { value: make() };
    this.#known.set(repository, known);
    return known.value;
  }
}
