const LINE_END = 0x0a;

/** Keeps the last line of an output back until it is ended. */
export class UnendedLine {
  #kept: Uint8Array = new Uint8Array(0);

  /** The lines that are ended by now. */
  take(bytes: Uint8Array): Uint8Array {
    const all = Buffer.concat([this.#kept, bytes]);
    const end = all.lastIndexOf(LINE_END) + 1;
    this.#kept = all.subarray(end);
    return all.subarray(0, end);
  }

  /** Lets go of what is kept, and hands it over. */
  drop(): Uint8Array {
    const kept = this.#kept;
    this.#kept = new Uint8Array(0);
    return kept;
  }
}
