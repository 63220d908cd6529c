import { KeyParser } from '../editor/keys.ts';

interface PaceOptions {
  /** How many times as fast as it was. */
  readonly speed: number;
  /** Nothing goes on without a key. */
  readonly isStepped: boolean;
  /** Told when it is paused and when it goes on. */
  readonly onPause: (isPaused: boolean) => void;
}

/** Nobody looks on where nothing happens. */
const LONGEST_PAUSE_MS = 1500;

/**
 * The pace of a replay, and the keys that change it: Space pauses and goes on, the right arrow, Enter and n go to what is next, q and
 * Ctrl-C end it.
 */
export class ReplayPace {
  readonly #options: PaceOptions;
  readonly #keys = new KeyParser();
  #isPaused = false;
  #isOver = false;
  #wake: (() => void) | null = null;
  /** Keys for what is next that came before it was waited for. */
  #early = 0;

  constructor(options: PaceOptions) {
    this.#options = options;
  }

  /** Nothing goes on without a key. */
  get isStepped(): boolean {
    return this.#options.isStepped;
  }

  /** It was ended by a key. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Takes keys. */
  feed(bytes: Uint8Array): void {
    for (const key of this.#keys.push(bytes)) {
      const name = key.type === 'key' ? key.key : key.text;
      if (name === 'ctrl-c' || name === 'ctrl-d' || name === 'q') this.end();
      else if (name === ' ') this.#togglePause();
      else if (name === 'right' || name === 'enter' || name === 'n') this.#goOn();
    }
  }

  /** Waits as long as it took then, within bounds, or for a key. */
  async wait(tookMs: number): Promise<void> {
    if (this.#isOver) return;
    const { speed, isStepped } = this.#options;
    if (isStepped && this.#early > 0) {
      this.#early -= 1;
      return;
    }
    if (isStepped || this.#isPaused) return await this.#untilKey(null);
    const ms = Math.min(LONGEST_PAUSE_MS, Math.max(0, tookMs)) / speed;
    if (ms >= 1) await this.#untilKey(ms);
    if (this.#isPaused) await this.#untilKey(null);
  }

  /** Ends it, whatever it waits for. */
  end(): void {
    this.#isOver = true;
    this.#goOn();
  }

  #togglePause(): void {
    if (!this.#options.isStepped) {
      this.#isPaused = !this.#isPaused;
      this.#options.onPause(this.#isPaused);
    }
    if (!this.#isPaused) this.#goOn();
  }

  #goOn(): void {
    const wake = this.#wake;
    this.#wake = null;
    if (wake !== null) wake();
    else if (this.#options.isStepped) this.#early += 1;
  }

  async #untilKey(ms: number | null): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = ms === null ? null : setTimeout(resolve, ms);
    this.#wake = resolve;
    await promise;
    this.#wake = null;
    if (timer !== null) clearTimeout(timer);
  }
}
