import type { Clock } from './clock.ts';
import { formatDuration } from './duration.ts';

/** What the count needs from its surroundings. */
export interface ElapsedOptions {
  readonly clock: Clock;
  /** Another second has passed: what `text` says has changed. */
  tick(): void;
}

const TICK_MS = 1000;

/** Says how long a piece of work takes, from its first second on. */
export class Elapsed {
  readonly #options: ElapsedOptions;
  #cancel: (() => void) | null = null;
  #label = '';
  #since = 0;

  constructor(options: ElapsedOptions) {
    this.#options = options;
  }

  /** Begins to count for a piece of work such as `waiting for the model`. */
  start(label: string): void {
    this.stop();
    this.#label = label;
    this.#since = this.#options.clock.now();
    this.#later();
  }

  /** The work is done. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Milliseconds so far; 0 while nothing is counted. */
  get milliseconds(): number {
    return this.#cancel === null ? 0 : this.#options.clock.now() - this.#since;
  }

  /** What is to be said now; null while there is nothing to say. */
  text(): string | null {
    const passed = this.milliseconds;
    return passed < TICK_MS ? null : `${this.#label} · ${formatDuration(passed)}`;
  }

  #later(): void {
    this.#cancel = this.#options.clock.later(TICK_MS, () => {
      this.#later();
      this.#options.tick();
    });
  }
}
