import type { EditBuffer } from './buffer.ts';
import { lineMove } from './edit.ts';
import type { HistorySource, HistoryWalk } from './history.ts';

/** The arrows: through the lines of the text first, then through those lines of history that begin as the text does. */
export class Walk {
  readonly #buffer: EditBuffer;
  readonly #history: HistorySource;
  /** The walk that goes on, the text it began from, and the line it has put in its place. */
  #place: { readonly walk: HistoryWalk; readonly text: string; readonly shown: string } | null = null;

  constructor(buffer: EditBuffer, history: HistorySource) {
    this.#buffer = buffer;
    this.#history = history;
  }

  /** Whether the text is a line of history now. Once it was changed by hand, the next walk begins from it. */
  get isOn(): boolean {
    return this.#place !== null && this.#place.shown === this.#buffer.text;
  }

  /** The line of history that comes after the one shown; null when there is none. The walk is over then. */
  next(): string | null {
    const next = this.isOn ? (this.#place?.walk.newer() ?? null) : null;
    this.end();
    return next;
  }

  /** The next walk begins anew. */
  end(): void {
    this.#place = null;
  }

  /** One line up or down in the text, or, at its edge, one step in history. */
  step(direction: 'up' | 'down'): void {
    const { state, text } = this.#buffer;
    const moved = !this.isOn || text.includes('\n') ? lineMove(state, direction) : null;
    if (moved === null) this.stepHistory(direction);
    else this.#buffer.moveTo(moved);
  }

  /** One step in history, whatever lines the text has. */
  stepHistory(direction: 'up' | 'down'): void {
    const { text } = this.#buffer;
    const place = this.isOn ? this.#place : null;
    const { walk, text: begun } = place ?? { walk: this.#history.walk(text), text };
    const found = direction === 'up' ? walk.older() : walk.newer();
    if (found === null && (direction === 'up' || place === null)) return;
    this.#place = found === null ? null : { walk, text: begun, shown: found };
    this.#buffer.replace(found ?? begun);
  }
}
