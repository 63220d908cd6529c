import { isSaidOnce, type Recorded } from '../../protocol/event.ts';

/** Events on their way to one reader. It takes part from its making on, so nothing is missed before the first read. */
export class EventQueue implements AsyncIterableIterator<Recorded> {
  readonly #waiting: (Recorded | null)[];
  readonly #onEnd: () => void;
  #wake: (() => void) | null = null;
  #ended = false;
  #overflowed = false;
  readonly #most: number;

  /** `most` is how many events may wait for the reader beyond those stored before it came. */
  constructor(stored: readonly Recorded[], onEnd: () => void, most = Number.POSITIVE_INFINITY) {
    this.#waiting = [...stored];
    this.#onEnd = onEnd;
    this.#most = stored.length + most;
  }

  /** True when the reader was given up because too much waited for it. */
  get overflowed(): boolean {
    return this.#overflowed;
  }

  /** Passes an event on; null ends the stream after the waiting events. */
  push(recorded: Recorded | null): void {
    if (this.#waiting.length >= this.#most) this.#giveUp();
    else this.#waiting.push(recorded);
    this.#wake?.();
  }

  #giveUp(): void {
    this.#overflowed = true;
    this.#waiting.splice(0, this.#waiting.length, null);
    this.#onEnd();
  }

  async next(): Promise<IteratorResult<Recorded>> {
    while (!this.#ended) {
      const recorded = this.#waiting.shift();
      if (recorded === null) break;
      if (recorded !== undefined) return { done: false, value: recorded };
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.return();
  }

  async return(): Promise<IteratorResult<Recorded>> {
    this.#ended = true;
    this.#onEnd();
    this.#wake?.();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

/** So many are kept. */
const MOST_SAID = 500;

/**
 * Refusals and notices, which no later event repeats, for readers whose connection breaks: each has its number behind the durable event
 * before it.
 */
export class SaidOnce {
  #kept: Recorded[] = [];

  /** The event as it is announced. */
  take(recorded: Recorded): Recorded {
    if (!isSaidOnce(recorded.event)) return recorded;
    const last = this.#kept.at(-1);
    const numbered = { ...recorded, nth: (last?.seq === recorded.seq ? (last.nth ?? 0) : 0) + 1 };
    this.#kept = [...this.#kept.slice(1 - MOST_SAID), numbered];
    return numbered;
  }

  /** Durable events after `seq`, with the transient ones among them, behind number `nth` after `seq`. */
  among(stored: readonly Recorded[], seq: number, nth: number): readonly Recorded[] {
    const missed = this.#kept.filter((said) => said.seq > seq || (said.seq === seq && (said.nth ?? 0) > nth));
    if (missed.length === 0) return stored;
    return [...stored, ...missed].sort((one, other) => one.seq - other.seq || (one.nth ?? 0) - (other.nth ?? 0));
  }
}
