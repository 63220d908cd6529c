import { pause } from '../system/patience.ts';

/** Allows something so many times a second, and a number of times at once. */
export class Pace {
  readonly #perMs: number;
  readonly #burst: number;
  #left: number;
  #at = performance.now();

  constructor(perSecond: number, burst: number) {
    this.#perMs = perSecond / 1000;
    this.#burst = burst;
    this.#left = burst;
  }

  /** Waits until it is allowed so many times more; undefined if that is now. */
  wait(count: number, signal: AbortSignal): Promise<void> | undefined {
    const now = performance.now();
    this.#left = Math.min(this.#burst, this.#left + (now - this.#at) * this.#perMs) - count;
    this.#at = now;
    return this.#left < 0 ? pause(-this.#left / this.#perMs, signal) : undefined;
  }
}
