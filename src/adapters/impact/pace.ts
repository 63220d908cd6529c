import { getPriority, setPriority } from 'node:os';
import { nextTurn } from '../system/patience.ts';

/** How long is worked at a stretch before others get their turn. */
const STRETCH_MS = 3;

/** Keeps long work from holding up the rest of the program, and ends it in time. */
export class Pace {
  readonly signal: AbortSignal;
  readonly #end: number;
  #stretch: number;

  constructor(limit: number, signal: AbortSignal) {
    this.signal = signal;
    this.#stretch = performance.now();
    this.#end = this.#stretch + limit;
  }

  /** True when there is no time left. */
  get isOver(): boolean {
    return this.signal.aborted || performance.now() >= this.#end;
  }

  /** Milliseconds that are left. */
  get left(): number {
    return this.signal.aborted ? 0 : Math.max(0, this.#end - performance.now());
  }

  /** Lets others have their turn when it is time for that; false when there is no time left. */
  async breathe(): Promise<boolean> {
    const now = performance.now();
    if (this.signal.aborted || now >= this.#end) return false;
    if (now - this.#stretch < STRETCH_MS) return true;
    await nextTurn();
    this.#stretch = performance.now();
    return !this.isOver;
  }
}

/** So much, and keys wait a third less for a processor. With 10, a busy machine would leave nothing for the first answer. */
const NICE = 3;

/** Lets the threads that answer keys go before this one and the programs it starts. On Linux alone the call is about a thread. */
export function standBack(): void {
  if (process.platform === 'linux') setPriority(0, Math.max(getPriority(0), NICE));
}
