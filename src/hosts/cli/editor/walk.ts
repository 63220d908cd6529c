import type { EditBuffer } from './buffer.ts';
import { lineMove } from './edit.ts';
import type { HistorySource, HistoryWalk } from './history.ts';

/** The arrows: through the lines of the text first, then through those lines of history that begin as the text does. */
export class Walk {
  readonly #buffer: EditBuffer;
  readonly #history: HistorySource;
  /** The walk that goes on, and the text it began from. */
  #place: { readonly walk: HistoryWalk; readonly text: string } | null = null;

  constructor(buffer: EditBuffer, history: HistorySource) {
    this.#buffer = buffer;
    this.#history = history;
  }

  /** Whether the text is a line of history now. */
  get isOn(): boolean {
    return this.#place !== null;
  }

  /** The text was changed by hand: the next walk begins from it. */
  end(): void {
    this.#place = null;
  }

  /** One line up or down in the text, or, at its edge, one step in history. */
  step(direction: 'up' | 'down'): void {
    const { state, text } = this.#buffer;
    const moved = this.#place === null || text.includes('\n') ? lineMove(state, direction) : null;
    if (moved === null) this.stepHistory(direction);
    else this.#buffer.moveTo(moved);
  }

  /** One step in history, whatever lines the text has. */
  stepHistory(direction: 'up' | 'down'): void {
    const { text } = this.#buffer;
    const place = this.#place ?? { walk: this.#history.walk(text), text };
    const found = direction === 'up' ? place.walk.older() : place.walk.newer();
    if (found === null && (direction === 'up' || this.#place === null)) return;
    this.#place = found === null ? null : place;
    this.#buffer.replace(found ?? place.text);
  }
}
