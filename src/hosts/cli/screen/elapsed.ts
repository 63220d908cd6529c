import type { TerminalSize } from '../../../protocol/client.ts';
import { formatDuration } from './duration.ts';
import { clipText } from './fold.ts';
import { styled, type Theme } from './theme.ts';

/** What the line needs from its surroundings. */
export interface ElapsedLineOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** Without a terminal nothing is ever shown. */
  readonly tty: boolean;
  /** Milliseconds; only differences count. */
  now?(): number;
}

const TICK_MS = 1000;

/**
 * A status line for work that takes long: it appears at the cursor after the first second, counts, and leaves nothing behind.
 * The cursor must stand on an empty line, and `stop` must be called before anything else is written.
 */
export class ElapsedLine {
  readonly #options: ElapsedLineOptions;
  readonly #now: () => number;
  #timer: ReturnType<typeof setInterval> | null = null;
  #shown = false;
  #label = '';
  #since = 0;

  constructor(options: ElapsedLineOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** Begins to count for a piece of work such as `waiting for the model`. */
  start(label: string): void {
    this.stop();
    if (!this.#options.tty) return;
    this.#label = label;
    this.#since = this.#now();
    this.#timer = setInterval(() => this.tick(), TICK_MS);
    this.#timer.unref();
  }

  /** Draws the line as of now. */
  tick(): void {
    if (this.#timer === null) return;
    const { columns } = this.#options.size();
    const text = clipText(
      `  ${this.#label} · ${formatDuration(this.#now() - this.#since)} · Ctrl-C stops`,
      columns - 1,
    );
    this.#shown = true;
    this.#options.write(`\x1b[?2026h\r\x1b[K${styled(this.#options.theme, 'dim', text)}\x1b[?2026l`);
  }

  /** Erases the line and returns how long the work took. */
  stop(): number {
    if (this.#timer === null) return 0;
    clearInterval(this.#timer);
    this.#timer = null;
    if (this.#shown) this.#options.write('\r\x1b[K');
    this.#shown = false;
    return this.#now() - this.#since;
  }
}
