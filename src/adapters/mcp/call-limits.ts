import { pause } from '../system/patience.ts';

interface ClockOptions {
  /** The most milliseconds without progress. */
  readonly silenceMs: number;
  readonly totalMs: number;
  /** Ends the call from outside. */
  readonly signal: AbortSignal;
}

/** The limit that was reached, as the server is told. */
const SILENCE = 'no progress within the time limit';
const TOTAL = 'the call took too long';

/** The time limits of one call. The clock stands still while the server waits for the user. */
export class CallClock {
  /** Aborts when a limit is reached, or from outside. */
  readonly signal: AbortSignal;
  readonly #options: ClockOptions;
  readonly #expired = new AbortController();
  #silence: ReturnType<typeof setTimeout> | undefined;
  #total: ReturnType<typeof setTimeout> | undefined;
  #totalLeftMs: number;
  #runsSince = 0;
  #pauses = 0;
  #isStopped = false;

  constructor(options: ClockOptions) {
    this.#options = options;
    this.#totalLeftMs = options.totalMs;
    this.signal = AbortSignal.any([options.signal, this.#expired.signal]);
    this.#run();
  }

  get isExpired(): boolean {
    return this.#expired.signal.aborted;
  }

  /** True if the call took too long although the server may have reported progress. */
  get isOverTotal(): boolean {
    return this.#expired.signal.reason === TOTAL;
  }

  /** The server has reported progress. */
  touch(): void {
    if (this.#pauses > 0 || this.#isStopped) return;
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#expire(SILENCE), this.#options.silenceMs);
  }

  /** Runs an action that takes the user's time, not the server's. */
  async pauseFor<T>(action: () => Promise<T>): Promise<T> {
    this.#pauses += 1;
    if (this.#pauses === 1) {
      this.#halt();
      this.#totalLeftMs -= performance.now() - this.#runsSince;
    }
    try {
      return await action();
    } finally {
      this.#pauses -= 1;
      if (this.#pauses === 0) this.#run();
    }
  }

  /** Ends the clock with its call. */
  stop(): void {
    this.#isStopped = true;
    this.#halt();
  }

  #halt(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#total);
  }

  #run(): void {
    if (this.#isStopped) return;
    this.#runsSince = performance.now();
    this.touch();
    this.#total = setTimeout(() => this.#expire(TOTAL), this.#totalLeftMs);
  }

  #expire(limit: string): void {
    this.stop();
    this.#expired.abort(limit);
  }
}

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
