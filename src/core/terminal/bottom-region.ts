import type { TerminalSize } from '../../protocol/query.ts';
import { type Frame, type Row, toFinishedRows, toLiveRows } from './layout.ts';
import { Painter, type Surface } from './paint.ts';

const SYNC_BEGIN = '\x1b[?2026h';
const SYNC_END = '\x1b[?2026l';
/** Longer text is written as it is: comparing it with the screen would cost more than drawing the line anew. */
const MOST_COMPARED = 20_000;
/** Anything but letters, line ends, blanks and looks: links, images. */
const NEEDS_TERMINAL = /\x1b(?!\[[0-9;:]*m)|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]/;

interface BottomRegionOptions {
  write(text: string): void;
  size(): TerminalSize;
  /** Lays out the editor's own rows. */
  layOut(size: TerminalSize): Frame;
  readonly surface: Surface;
  /** Whether the terminal holds a frame back until it is whole when asked to. */
  readonly synchronizes: () => boolean;
}

/**
 * The lowest rows of the screen: rows that still change, and the line that is typed under them. All that is printed while they
 * stand there goes through here, so one painter knows what is on the screen.
 */
export class BottomRegion {
  readonly #options: BottomRegionOptions;
  #live: readonly string[] = [];
  #isVisible = false;
  #isHeld = false;

  constructor(options: BottomRegionOptions) {
    this.#options = options;
  }

  get isVisible(): boolean {
    return this.#isVisible;
  }

  /** Rows over the line that may change at any time; each is cut at the edge. */
  setLive(rows: readonly string[]): void {
    this.#live = rows;
    this.redraw();
  }

  /** Changes made meanwhile are drawn by the `redraw` behind it, all at once. */
  hold(change: () => void): void {
    this.#isHeld = true;
    try {
      change();
    } finally {
      this.#isHeld = false;
    }
  }

  /** Draws what changed, and sends what else changes. */
  redraw(modes = ''): void {
    if (this.#isVisible && !(this.#isHeld && modes === '')) this.#write(this.#paint() + modes);
  }

  /** Puts a letter down at the cursor at once; what else it changes is for the next `redraw`. False where that must do it all. */
  echo(letter: string, options: { readonly continues: boolean }): boolean {
    const output = this.#isVisible ? this.#options.surface.echo(letter, options) : '';
    this.#write(output);
    return output !== '';
  }

  /**
   * Puts finished text above everything; it stays for ever. Rows that stood there already are not written again. `live` takes the place of
   * the live rows.
   */
  printAbove(text: string, live = this.#live): void {
    this.#live = live;
    const { write, surface, size } = this.#options;
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    if (!this.#isVisible) write(ended.replace(/\r?\n/g, '\r\n'));
    else if (ended.length > MOST_COMPARED || NEEDS_TERMINAL.test(ended) || !surface.showsLive)
      this.#write(surface.erase() + ended.replace(/\r?\n/g, '\r\n') + this.#paint());
    else this.#write(this.#paint(toFinishedRows(ended, size().columns)));
  }

  /** The terminal has another size now, for which the live rows are laid out anew. */
  resized(live = this.#live): void {
    const { surface, size } = this.#options;
    this.#live = live;
    if (this.#isVisible) this.#write(surface.eraseAfterResize(size().columns) + this.#paint());
  }

  /** Puts the rows on the screen, from the line on that the cursor stands on, which must be empty. */
  show(modes: string): void {
    if (this.#isVisible) return;
    this.#isVisible = true;
    this.#write(this.#paint() + modes);
  }

  /** Takes the rows off the screen. */
  hide(modes: string): void {
    if (!this.#isVisible) return;
    this.#isVisible = false;
    this.#write(this.#options.surface.erase() + modes);
  }

  /** Leaves a last frame on the screen for ever, without the rows that change. */
  leave(frame: Frame, modes: string): void {
    if (!this.#isVisible) return;
    const { surface } = this.#options;
    const { columns, rows } = this.#options.size();
    // Only a part of a text higher than the screen is drawn; all of it goes into the scrollback.
    const before = frame.rows.length > rows ? surface.erase() : '';
    const drawn = before + surface.paint(frame, { columns, rows: Math.max(rows, frame.rows.length) }, { stays: true });
    surface.forget();
    this.#isVisible = false;
    // A full last row has put the cursor on the next one already.
    const isFresh = frame.cursor.column === 0 && frame.rows.at(-1)?.soft === true;
    this.#write(`${drawn}${isFresh ? '' : '\r\n'}${modes}`);
  }

  /** Clears the screen and begins at its top. */
  clear(): void {
    if (!this.#isVisible) return;
    this.#write(this.#options.surface.clear() + this.#paint());
  }

  #paint(finished: readonly Row[] = []): string {
    const size = this.#options.size();
    const frame = this.#options.layOut(size);
    return this.#options.surface.paint(this.#withLive(frame, size), size, { finished });
  }

  /** As many live rows as have room over the line, the lowest of them. */
  #withLive(frame: Frame, size: TerminalSize): Frame {
    const room = size.rows - frame.rows.length;
    if (this.#live.length === 0 || room <= 0 || !this.#options.surface.showsLive) return frame;
    const live = toLiveRows(this.#live.slice(-room), size.columns);
    const { row, column } = frame.cursor;
    return { ...frame, rows: [...live, ...frame.rows], cursor: { row: row + live.length, column } };
  }

  /** One write per change; one that does more than put a few letters down is shown as a whole where the terminal can. */
  #write(output: string): void {
    if (output === '') return;
    const isSnapshot = output.length > 80 && this.#options.synchronizes();
    this.#options.write(isSnapshot ? SYNC_BEGIN + output + SYNC_END : output);
  }
}

const NO_LINE: Frame = { rows: [{ cells: [], width: 0, soft: false }], cursor: { row: 0, column: 0 }, below: 0 };

/** A region of rows that change with no line to type under them. */
export function createRowsRegion({ write, size }: Pick<BottomRegionOptions, 'write' | 'size'>): BottomRegion {
  return new BottomRegion({ write, size, layOut: () => NO_LINE, surface: new Painter(), synchronizes: () => false });
}
