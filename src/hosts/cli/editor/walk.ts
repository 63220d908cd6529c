import type { EditBuffer } from './buffer.ts';
import { lineMove } from './edit.ts';
import { findNewer, findOlder, type HistorySource } from './history.ts';

/** The arrows: through the lines of the text first, then through those lines of history that begin as the text does. */
export class Walk {
  readonly #buffer: EditBuffer;
  readonly #history: HistorySource;
  /** Where the walk stands, and the text it began from. */
  #place: { readonly at: number; readonly text: string } | null = null;

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
    const lines = this.#history.lines();
    const { at, text } = this.#place ?? { at: lines.length, text: this.#buffer.text };
    const find = direction === 'up' ? findOlder : findNewer;
    const found = find(lines, at, text, this.#buffer.text);
    if (found < 0 || (found >= lines.length && this.#place === null)) return;
    this.#place = found >= lines.length ? null : { at: found, text };
    this.#buffer.replace(lines[found] ?? text);
  }
}
