import type { FactRows, Facts } from './facts.ts';

/** The known programs with facts, by name. Most programs are never asked for, so the facts of one are joined when it is. */
export class JoinedFacts<T extends Facts> {
  readonly #known: ReadonlyMap<string, T>;
  readonly #rows = new Map<string, Facts[]>();
  readonly #joined = new Map<string, T | Facts>();

  constructor(known: ReadonlyMap<string, T>, tables: readonly FactRows[]) {
    this.#known = known;
    for (const table of tables) for (const [names, facts] of table) for (const name of names.split(BLANKS)) this.#add(name, facts);
  }

  #add(name: string, facts: Facts): void {
    const rows = this.#rows.get(name);
    if (rows === undefined) this.#rows.set(name, [facts]);
    else rows.push(facts);
  }

  get(name: string): T | Facts | undefined {
    const rows = this.#rows.get(name);
    const known = this.#known.get(name);
    if (rows === undefined) return known;
    const before = this.#joined.get(name);
    if (before !== undefined) return before;
    let joined: T | Facts = known ?? {};
    for (const facts of rows) joined = { ...joined, ...facts };
    this.#joined.set(name, joined);
    return joined;
  }

  keys(): Iterable<string> {
    return new Set([...this.#known.keys(), ...this.#rows.keys()]);
  }

  *[Symbol.iterator](): Iterator<[string, T | Facts]> {
    for (const name of this.keys()) yield [name, this.get(name) ?? {}];
  }
}

/** The blanks between names. */
const BLANKS = /\s+/;
