/** The first look comes soon after output stops, the following ones ever more rarely. */
const FIRST_MS = 40;
const LONGEST_MS = 1000;

/** Calls back while nothing happens: soon after the last sign of life, then at growing intervals. Costs one timer. */
export class QuietWatch {
  readonly #look: (quietMs: number) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastSign = 0;
  #wait = FIRST_MS;

  constructor(look: (quietMs: number) => void) {
    this.#look = look;
  }

  start(): void {
    this.sign();
    this.#wait = FIRST_MS;
    if (this.#timer === null) this.#later();
  }

  /** Something happened: looking starts over. Cheap enough for every piece of output. */
  sign(): void {
    this.#lastSign = performance.now();
    if (this.#wait > FIRST_MS && this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#wait = FIRST_MS;
      this.#later();
    }
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #later(): void {
    this.#timer = setTimeout(() => this.#tick(), this.#wait);
  }

  #tick(): void {
    const quiet = performance.now() - this.#lastSign;
    if (quiet >= FIRST_MS * 0.9) {
      this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
      this.#look(quiet);
    }
    if (this.#timer !== null) this.#later();
  }
}
