import { isEcho } from './echo.ts';

/** So long after its keys were taken back an echo may still be on its way to us. */
const LATE_MS = 50;

/**
 * Tells output from the terminal's echo of keys typed in the moment a command ended. What comes while keys are on their way is kept until
 * they are known.
 */
export class KeyEcho {
  readonly #show: (bytes: Uint8Array) => void;
  #kept: Uint8Array[] = [];
  #typed: Uint8Array = new Uint8Array(0);
  #until = 0;

  constructor(show: (bytes: Uint8Array) => void) {
    this.#show = show;
  }

  keep(bytes: Uint8Array): void {
    this.#kept.push(bytes.slice());
  }

  /** The keys are known: what was kept is shown unless it is their echo. */
  settle(typed: Uint8Array): void {
    const kept = Buffer.concat(this.#kept.splice(0));
    this.#typed = typed;
    this.#until = performance.now() + LATE_MS;
    this.take(kept);
  }

  /** Shows what comes later, unless it is their echo that comes late. */
  take(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    const isLateEcho = this.#typed.length > 0 && performance.now() < this.#until && isEcho(bytes, this.#typed);
    if (!isLateEcho) this.#show(bytes);
  }
}
