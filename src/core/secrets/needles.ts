/** Finds in one pass which of some short texts stand in a text. */
export class NeedleTable<T extends { readonly needles: readonly string[] }> {
  /** One for each hash of the first three signs of a needle. */
  readonly #filter = new Uint8Array(4096);
  readonly #byStart = new Map<number, { readonly needle: string; readonly owner: T }[]>();

  /** A needle has three signs or more, all of them ASCII. */
  constructor(owners: readonly T[]) {
    for (const owner of owners)
      for (const needle of owner.needles) {
        const key = (needle.charCodeAt(0) << 14) | (needle.charCodeAt(1) << 7) | needle.charCodeAt(2);
        this.#filter[hash(key)] = 1;
        const known = this.#byStart.get(key);
        if (known === undefined) this.#byStart.set(key, [{ needle, owner }]);
        else known.push({ needle, owner });
      }
  }

  /** The owners of the needles that stand in a text. */
  in(text: string): Set<T> {
    const found = new Set<T>();
    const filter = this.#filter;
    let key = 0;
    for (let at = 0; at < text.length; at += 1) {
      key = ((key << 7) | (text.charCodeAt(at) & 0x7f)) & KEY;
      if (filter[(key ^ (key >>> 9)) & 0xfff] === 0) continue;
      for (const { needle, owner } of this.#byStart.get(key) ?? [])
        if (!found.has(owner) && text.startsWith(needle, at - 2)) found.add(owner);
    }
    return found;
  }
}

/** Three signs of seven bits. */
const KEY = 0x1fffff;

function hash(key: number): number {
  return (key ^ (key >>> 9)) & 0xfff;
}
