/** Beats for all quiet streams with one timer, which runs only while there is a stream. */
export class Heartbeat {
  readonly #everyMs: number;
  readonly #beats = new Set<() => void>();
  #timer: Timer | null = null;

  constructor(everyMs: number) {
    this.#everyMs = everyMs;
  }

  /** Calls `beat` from now on; the answer ends that. */
  add(beat: () => void): () => void {
    this.#beats.add(beat);
    this.#timer ??= setInterval(() => this.#beat(), this.#everyMs);
    return () => this.#remove(beat);
  }

  #beat(): void {
    for (const beat of [...this.#beats]) beat();
  }

  #remove(beat: () => void): void {
    this.#beats.delete(beat);
    if (this.#beats.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
