import type { Clock } from '../../src/adapters/system/patience.ts';

/** Time that passes when the test says so. */
export class ManualClock implements Clock {
  #now = 0;
  #waiting: { readonly at: number; readonly run: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  later(milliseconds: number, run: () => void): () => void {
    const one = { at: this.#now + milliseconds, run };
    this.#waiting.push(one);
    return () => {
      this.#waiting = this.#waiting.filter((other) => other !== one);
    };
  }

  /** Whether nothing waits for a time. */
  get isIdle(): boolean {
    return this.#waiting.length === 0;
  }

  pass(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const [next] = this.#waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#waiting = this.#waiting.filter((other) => other !== next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }
}
