import type { TerminalSize } from '../../protocol/query.ts';
import { type Cell, type Frame, isSameCell, isUnsure, type Row, toCell } from './layout.ts';
import { Pen } from './pen.ts';

/*
 * Frames to bytes.
 *
 * The painter remembers what it drew and where the cursor stands, relative to the frame's first row; it never asks the
 * terminal. Three facts keep that true:
 * - After a character in the last column the cursor hangs there until the next one (pending wrap). Relative moves and
 *   erasing mean different things on different terminals in that state, so nothing but a carriage return or the next
 *   character is written then.
 * - A row that continues the one above is reached by letting the terminal wrap, so that copying and reflow see one line.
 * - Some terminals (xterm.js) fold every line anew when the width changes but the one with the cursor, and move the cursor as if that
 *   one had been folded too. There all rows of a frame are wrapped into, each filled with blanks: the frame is the cursor's line, and
 *   its rows stay where they are.
 * - A frame is never higher than the screen: of a longer one the rows around the cursor are drawn.
 */

/** How a terminal treats lines when its width changes. */
export type Reflow = 'all' | 'not-cursor-line' | 'none';

const NO_ROW: Row = { cells: [], width: 0, soft: false };
const BLANK: Cell = { text: ' ', width: 1, style: '' };

interface PaintOptions {
  /** Rows above the frame that stay for ever. */
  readonly finished?: readonly Row[];
  /** The frame stays for ever as well. */
  readonly stays?: boolean;
}

/** Turns frames into bytes. One implementation draws over the earlier rows, the other only ever goes on. */
export interface Surface {
  /** Whether rows that change are shown at all. */
  readonly showsLive: boolean;
  /** The bytes that turn what is on the screen into the frame. */
  paint(frame: Frame, size: TerminalSize, options?: PaintOptions): string;
  /** The bytes that show a letter typed at the cursor ahead of the frame that holds it; empty where only that frame can tell. */
  echo(letter: string, options: { readonly continues: boolean }): string;
  /** The bytes that take the frame off the screen and leave the cursor where it began. */
  erase(): string;
  /** The bytes that erase a frame which the terminal has just folded to another width. */
  eraseAfterResize(columns: number): string;
  /** The bytes that clear the screen; the next frame begins at its top. */
  clear(): string;
  /** Leaves what is drawn where it is; the next frame begins at the cursor, which must be on a fresh line. */
  forget(): void;
}

/** Draws frames over each other, writing only what differs. */
export class Painter implements Surface {
  readonly showsLive = true;
  readonly #reflow: Reflow;
  #rows: readonly Row[] = [];
  /** Rows that the terminal itself wrapped into, by index. */
  #joined = new Set<number>();
  /** First row of the frame that is drawn, where the frame is higher than the screen. */
  #top = 0;
  #pen = new Pen();

  constructor(options: { readonly reflow?: Reflow } = {}) {
    this.#reflow = options.reflow ?? 'all';
  }

  paint(frame: Frame, size: TerminalSize, { finished = [], stays = false }: PaintOptions = {}): string {
    const clipped = this.#clip(frame, size.rows);
    const isOneLine = this.#reflow === 'not-cursor-line' && !stays;
    const shown = isOneLine ? { ...clipped, rows: toOneLine(clipped.rows, size.columns) } : clipped;
    const rows = finished.length === 0 ? shown.rows : [...finished, ...shown.rows];
    const pen = this.#pen;
    pen.begin(size.columns);
    rows.forEach((row, at) => {
      if (isOneLine && at >= finished.length && at + 1 < rows.length) this.#joinBelow(at, size.columns);
      const old = this.#rows[at];
      if (old === undefined || !isSameRow(old, row) || this.#parts(row, at)) this.#paintRow(row, old ?? NO_ROW, at, size.columns);
    });
    if (this.#rows.length > rows.length) {
      pen.moveTo(rows.length, 0);
      pen.command('\x1b[J');
      pen.lastRow = Math.max(0, rows.length - 1);
      this.#joined = new Set([...this.#joined].filter((row) => row < rows.length));
    }
    pen.moveTo(finished.length + shown.cursor.row, shown.cursor.column);
    // The next output does not continue a full last row.
    if (stays && shown.cursor.column === 0 && rows.at(-1)?.width === 0) pen.command('\x1b[K');
    this.#rows = shown.rows;
    this.#release(finished.length);
    return pen.finish();
  }

  /** In the look of the letter it continues; the frame that follows corrects what was guessed wrongly. */
  echo(letter: string, { continues }: { readonly continues: boolean }): string {
    const pen = this.#pen;
    const row = this.#rows[pen.row];
    const at = row === undefined ? -1 : cellAt(row, pen.column);
    const covered = row?.cells[at];
    if (row === undefined || at < 0 || pen.column + 1 >= pen.columns) return '';
    if (covered !== undefined && (covered.width !== 1 || isUnsure(covered))) return '';
    pen.begin(pen.columns);
    const cell = toCell(letter, continues ? (row.cells[at - 1]?.style ?? '') : '');
    pen.draw(cell);
    this.#rows = this.#rows.with(pen.row, {
      ...row,
      cells: [...row.cells.slice(0, at), cell, ...row.cells.slice(at + 1)],
      width: covered === undefined ? row.width + 1 : row.width,
    });
    return pen.finish();
  }

  erase(): string {
    const output = this.#toTop(this.#pen.row);
    this.forget();
    return output;
  }

  eraseAfterResize(columns: number): string {
    const output = this.#toTop(this.#rowsAbove(columns));
    this.forget();
    return output;
  }

  clear(): string {
    this.forget();
    return '\x1b[H\x1b[2J';
  }

  forget(): void {
    this.#rows = [];
    this.#joined = new Set();
    this.#top = 0;
    this.#pen = new Pen();
  }

  /** The topmost rows are finished and belong to the scrollback now. */
  #release(count: number): void {
    if (count === 0) return;
    this.#pen.release(count);
    this.#joined = new Set([...this.#joined].filter((row) => row >= count).map((row) => row - count));
  }

  #toTop(rowsAbove: number): string {
    if (this.#rows.length === 0) return '';
    // Not from the first column: what is erased from the screen's first place on, tmux keeps as finished.
    return `\r${rowsAbove > 0 ? `\x1b[${rowsAbove}A` : ''}\x1b[C\x1b[J\r\x1b[K`;
  }

  #clip(frame: Frame, height: number): Frame {
    const { rows, cursor } = frame;
    if (rows.length <= height) {
      this.#top = 0;
      return frame;
    }
    const lowest = Math.min(cursor.row, rows.length - height);
    this.#top = Math.max(cursor.row - height + 1, Math.min(this.#top, lowest));
    const shown = rows.slice(this.#top, this.#top + height);
    return {
      ...frame,
      rows: shown.map((row, at) => (at === 0 ? { ...row, soft: false } : row)),
      cursor: { row: cursor.row - this.#top, column: cursor.column },
    };
  }

  /** Has the terminal wrap from a row into the one below, which is blank then, as is the row's last column. */
  #joinBelow(at: number, columns: number): void {
    if (this.#joined.has(at + 1)) return;
    this.#pen.joinBelow(at);
    this.#joined.add(at + 1);
    const rows = [...this.#rows];
    const { cells, width } = rows[at] ?? NO_ROW;
    if (width >= columns) rows[at] = { cells: cells.slice(0, -1), width: columns - (cells.at(-1)?.width ?? 0), soft: false };
    if (rows[at + 1] !== undefined) rows[at + 1] = NO_ROW;
    this.#rows = rows;
  }

  /** The terminal remembers that it wrapped into a row until the row is erased from its beginning. */
  #parts(row: Row, at: number): boolean {
    return this.#joined.has(at) && !row.soft;
  }

  #paintRow(row: Row, before: Row, at: number, columns: number): void {
    const pen = this.#pen;
    const parts = this.#parts(row, at);
    const old = parts ? NO_ROW : before;
    const { first, end, column } = difference(old, row);
    if (first === 0 && row.soft && pen.hangsAbove(at)) {
      const [begin] = row.cells;
      pen.wrapInto(begin === undefined || isUnsure(begin));
      this.#joined.add(at);
    } else pen.moveTo(at, column);
    if (parts) {
      pen.command('\x1b[K');
      this.#joined.delete(at);
    }
    for (const cell of row.cells.slice(first, end)) pen.draw(cell);
    if (old.width <= row.width || end < row.cells.length || row.width >= columns) return;
    if (row.width > 0) pen.command('\x1b[K');
    else pen.wipeRow({ keepJoined: this.#joined.has(at) });
  }

  /** Rows between the frame's first and the cursor's, once lines are folded to the new width. */
  #rowsAbove(columns: number): number {
    const { row, column } = this.#pen;
    if (this.#reflow !== 'all') return row;
    let above = 0;
    for (const { start, end, cells } of this.#lines()) {
      if (end <= row) above += countRows(cells, columns);
      else if (start <= row) {
        const before = this.#rows.slice(start, row).reduce((sum, { width }) => sum + width, 0);
        above += Math.floor((before + column) / columns);
      }
    }
    return above;
  }

  /** The lines as the terminal knows them, each of one or more rows. */
  #lines(): { readonly start: number; readonly end: number; readonly cells: readonly Cell[] }[] {
    const lines: { start: number; end: number; cells: Cell[] }[] = [];
    this.#rows.forEach((row, at) => {
      const last = lines.at(-1);
      if (last === undefined || !this.#joined.has(at)) lines.push({ start: at, end: at + 1, cells: [...row.cells] });
      else {
        last.end = at + 1;
        last.cells.push(...row.cells);
      }
    });
    return lines;
  }
}

/** The rows as one line: each but the last is as wide as the screen, and each but the first goes on from the one above. */
function toOneLine(rows: readonly Row[], columns: number): readonly Row[] {
  return rows.map((row, at) => {
    const missing = at === rows.length - 1 ? 0 : columns - row.width;
    if (missing <= 0 && (row.soft || at === 0)) return row;
    const cells = missing <= 0 ? row.cells : [...row.cells, ...Array.from({ length: missing }, () => BLANK)];
    return { cells, width: row.width + Math.max(0, missing), soft: at > 0 };
  });
}

function countRows(cells: readonly Cell[], columns: number): number {
  let count = 1;
  let width = 0;
  for (const cell of cells) {
    // A spelled-out character is cut anywhere, a plain one is not.
    const pieces = cell.width > 2 ? Array.from({ length: cell.width }, () => 1) : [cell.width];
    for (const piece of pieces) {
      if (width + piece > columns) {
        count++;
        width = 0;
      }
      width += piece;
    }
  }
  return count;
}

/** Which cell begins in a column: the one behind the last at the row's end, -1 in the middle of a wide one. */
function cellAt({ cells }: Row, column: number): number {
  let width = 0;
  let at = 0;
  while (width < column && at < cells.length) {
    width += cells[at]?.width ?? 0;
    at++;
  }
  return width === column ? at : -1;
}

function isSameRow(one: Row, other: Row): boolean {
  if (one === other) return true;
  return one.cells.length === other.cells.length && one.cells.every((cell, at) => isSameCell(cell, other.cells[at]));
}

/** The cells of a row that must be written: from `first`, standing in `column`, up to `end`. */
function difference(old: Row, row: Row): { first: number; end: number; column: number } {
  let first = 0;
  let column = 0;
  while (first < row.cells.length && isSameCell(old.cells[first], row.cells[first])) {
    column += row.cells[first]?.width ?? 0;
    first++;
  }
  let end = row.cells.length;
  // Behind a character whose width is in doubt the row is wiped, so all of it is written.
  if (old.width === row.width && !row.cells.slice(first).some(isUnsure)) {
    let oldEnd = old.cells.length;
    while (end > first && oldEnd > first && isSameCell(old.cells[oldEnd - 1], row.cells[end - 1])) {
      end--;
      oldEnd--;
    }
  }
  return { first, end, column };
}
