import type { Recorded } from '../protocol/event.ts';

/** Events on their way to one reader. It takes part from its making on, so nothing is missed before the first read. */
export class EventQueue implements AsyncIterableIterator<Recorded> {
  readonly #waiting: (Recorded | null)[];
  readonly #onEnd: () => void;
  #wake: (() => void) | null = null;
  #ended = false;

  constructor(stored: readonly Recorded[], onEnd: () => void) {
    this.#waiting = [...stored];
    this.#onEnd = onEnd;
  }

  /** Hands an event on; null ends the stream after what is still waiting. */
  push(recorded: Recorded | null): void {
    this.#waiting.push(recorded);
    this.#wake?.();
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
