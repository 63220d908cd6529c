/** How many bytes and values are taken of files whose number and size somebody else may have chosen. */
const MOST_BYTES = 512 * 1024;
const MOST_VALUES = 2000;

/** What may still be read of the files of a project: each value costs time at every text that is looked through. */
export class ReadingBudget {
  #bytes = MOST_BYTES;
  #values = MOST_VALUES;
  #wasShort = false;

  /** True when something was left out. */
  get wasShort(): boolean {
    return this.#wasShort;
  }

  /** True as long as another file may be read; asked once for each. */
  hasRoom(): boolean {
    const hasRoom = this.#bytes > 0 && this.#values > 0;
    if (!hasRoom) this.#wasShort = true;
    return hasRoom;
  }

  /** Of what a file of so many bytes holds, as much as there is room for. */
  take<T>(values: readonly T[], bytes: number): readonly T[] {
    const taken = values.length <= this.#values ? values : values.slice(0, this.#values);
    if (taken.length < values.length) this.#wasShort = true;
    this.#bytes -= bytes;
    this.#values -= taken.length;
    return taken;
  }
}
