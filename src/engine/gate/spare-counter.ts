import type { CountThread } from '../../adapters/blast/count-apart.ts';

/** A question comes by then, or not at all. */
const KEPT_MS = 10_000;

/** Has a thread ready that counts for the question to come, so that its first answer says more. */
export class SpareCounter {
  #thread: Promise<CountThread> | null = null;
  #end: ReturnType<typeof setTimeout> | undefined;

  /** Begins a thread, unless there is one. Nobody waits for it. */
  warm(): void {
    clearTimeout(this.#end);
    this.#end = setTimeout(() => void this.take()?.then((thread) => thread.stop()), KEPT_MS);
    this.#end.unref();
    this.#thread ??= import('../../adapters/blast/count-apart.ts').then(({ CountThread }) => new CountThread());
  }

  /** Gives the thread away; null where none was begun. */
  take(): Promise<CountThread> | null {
    const thread = this.#thread;
    clearTimeout(this.#end);
    this.#thread = null;
    return thread;
  }
}
