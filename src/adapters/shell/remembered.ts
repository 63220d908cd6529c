/** An answer that came longer ago is requested again at its next use. */
const FRESH_MS = 1000;
/** The most answers kept; the one with the oldest query goes first. */
const MOST = 4000;

interface Entry<Answer> {
  answer: Answer;
  knownAt: number;
  /** The number of expiries before its query. */
  age: number;
  isAsking: boolean;
}

interface RememberedOptions {
  /** While so many questions are open, others are put off. */
  readonly mostOpen?: number;
  /** Called with each news, and when questions that were put off can be put. */
  readonly onNews?: () => void;
}

/**
 * Answers of the disk from memory, so that no key waits for it. An unknown answer is assumed, then read in the background, and right the
 * next time. An old answer holds until the new one has come.
 */
export class Remembered<Answer> {
  readonly #ask: (key: string, before: Answer | undefined) => Promise<Answer>;
  readonly #entries = new Map<string, Entry<Answer>>();
  readonly #asking = new Set<Promise<void>>();
  readonly #options: RememberedOptions;
  #isBehind = false;
  #age = 0;
  #news = 0;

  constructor(ask: (key: string, before: Answer | undefined) => Promise<Answer>, options: RememberedOptions = {}) {
    this.#ask = ask;
    this.#options = options;
  }

  /** Counts up whenever an answer was not what had been given or assumed. */
  get news(): number {
    return this.#news;
  }

  /** The known answer; `assumed` until there is one. */
  get(key: string, assumed: Answer): Answer {
    const known = this.#entries.get(key);
    const now = performance.now();
    if (known?.isAsking || (known?.age === this.#age && now - known.knownAt <= FRESH_MS)) return known.answer;
    if (this.#asking.size >= (this.#options.mostOpen ?? Number.POSITIVE_INFINITY)) {
      this.#isBehind = true;
      return known?.answer ?? assumed;
    }
    if (known === undefined && this.#entries.size >= MOST) this.#forgetOldest();
    const entry = known ?? { answer: assumed, knownAt: now, age: this.#age, isAsking: false };
    entry.age = this.#age;
    this.#entries.set(key, entry);
    this.#find(key, entry, known?.answer);
    return entry.answer;
  }

  /** Something may have changed: every answer is requested anew at its next use. */
  expire(): void {
    this.#age += 1;
  }

  /** Settles when every question that was put is answered; null when none is open. */
  settled(): Promise<unknown> | null {
    return this.#asking.size === 0 ? null : Promise.all(this.#asking);
  }

  #find(key: string, entry: Entry<Answer>, before: Answer | undefined): void {
    entry.isAsking = true;
    const finding = this.#ask(key, before).then((answer) => {
      const isNew = answer !== entry.answer;
      if (isNew) this.#news += 1;
      entry.answer = answer;
      entry.knownAt = performance.now();
      entry.isAsking = false;
      this.#asking.delete(finding);
      if (isNew || this.#isBehind) {
        this.#isBehind = false;
        this.#options.onNews?.();
      }
    });
    this.#asking.add(finding);
  }

  #forgetOldest(): void {
    for (const [key] of this.#entries) {
      this.#entries.delete(key);
      if (this.#entries.size < MOST / 2) return;
    }
  }
}
