import type { LineEditor } from '../editor/line-editor.ts';

/**
 * The rows over the prompt that still change, of two sources: what the view shows of work that goes on, and under it the lines that wait
 * for its end. The editor draws them.
 */
export class LiveRegion {
  readonly #editor: Pick<LineEditor, 'printAbove' | 'setLive' | 'resized'>;
  #work: readonly string[] = [];
  #waiting: readonly string[] = [];

  constructor(editor: Pick<LineEditor, 'printAbove' | 'setLive' | 'resized'>) {
    this.#editor = editor;
  }

  /** Prints lines that stay, in one frame with the view's rows where these change too. */
  readonly print = (text: string, work?: readonly string[]): void => {
    this.#work = work ?? this.#work;
    this.#editor.printAbove(text, this.#rows);
  };

  /** The view's rows. */
  readonly setWork = (rows: readonly string[]): void => {
    this.#work = rows;
    this.#editor.setLive(this.#rows);
  };

  /** Rows of the lines that wait. */
  setWaiting(rows: readonly string[]): void {
    this.#waiting = rows;
    this.#editor.setLive(this.#rows);
  }

  /** The terminal has another size, and both rows are these for it. */
  resized(work: readonly string[], waiting: readonly string[]): void {
    this.#work = work;
    this.#waiting = waiting;
    this.#editor.resized(this.#rows);
  }

  get #rows(): readonly string[] {
    return [...this.#work, ...this.#waiting];
  }
}
