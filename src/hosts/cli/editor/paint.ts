import type { TerminalSize } from '../../../protocol/client.ts';
import { type Cell, isSameCell, isUnsure } from './cells.ts';
import type { Frame, Row } from './layout.ts';

/*
 * Frames to bytes.
 *
 * The painter remembers what it drew and where the cursor stands, relative to the frame's first row; it never asks the
 * terminal. Three facts keep that true:
 * - After a character in the last column the cursor hangs there until the next one (pending wrap). Relative moves and
 *   erasing mean different things on different terminals in that state, so nothing but a carriage return or the next
 *   character is written then.
 * - A row that continues the one above is reached by letting the terminal wrap, so that copying and reflow see one line.
 * - A frame is never higher than the screen: of a longer one the rows around the cursor are drawn.
 */

/** How a terminal treats lines when its width changes. */
export type Reflow = 'all' | 'not-cursor-line' | 'none';

const SYNC_BEGIN = '\x1b[?2026h';
const SYNC_END = '\x1b[?2026l';
const NO_ROW: Row = { cells: [], width: 0, soft: false };

/** Draws frames over each other, writing only what differs. */
export class Painter {
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

  /** The bytes that turn what is on the screen into the frame. */
  paint(frame: Frame, size: TerminalSize): string {
    const shown = this.#clip(frame, size.rows);
    const pen = this.#pen;
    pen.begin(size.columns);
    const changed = this.#paintRows(shown.rows, size.columns);
    if (this.#rows.length > shown.rows.length) {
      pen.moveTo(shown.rows.length, 0);
      pen.command('\x1b[J');
      pen.lastRow = Math.max(0, shown.rows.length - 1);
    }
    this.#rows = shown.rows;
    pen.moveTo(shown.cursor.row, shown.cursor.column);
    const output = pen.finish();
    return changed > 1 ? SYNC_BEGIN + output + SYNC_END : output;
  }

  /** The bytes that take the frame off the screen and leave the cursor where it began. */
  erase(): string {
    const output = this.#toTop(this.#pen.row);
    this.forget();
    return output;
  }

  /** The bytes that erase a frame which the terminal has just folded to another width. */
  eraseAfterResize(columns: number): string {
    const output = this.#toTop(this.#rowsAbove(columns));
    this.forget();
    return output;
  }

  /** Leaves what is drawn where it is; the next frame begins at the cursor, which must be on a fresh line. */
  forget(): void {
    this.#rows = [];
    this.#joined = new Set();
    this.#top = 0;
    this.#pen = new Pen();
  }

  #toTop(rowsAbove: number): string {
    if (this.#rows.length === 0) return '';
    return `\r${rowsAbove > 0 ? `\x1b[${rowsAbove}A` : ''}\x1b[J`;
  }

  #clip(frame: Frame, height: number): Frame {
    const { rows, cursor } = frame;
    if (rows.length <= height) {
      this.#top = 0;
      return frame;
    }
    const lowest = Math.min(cursor.row, rows.length - height);
    this.#top = Math.max(cursor.row - height + 1, Math.min(this.#top, lowest));
    return {
      rows: rows.slice(this.#top, this.#top + height),
      cursor: { row: cursor.row - this.#top, column: cursor.column },
    };
  }

  #paintRows(rows: readonly Row[], columns: number): number {
    let changed = 0;
    rows.forEach((row, at) => {
      const old = this.#rows[at];
      if (old !== undefined && isSameRow(old, row)) return;
      changed++;
      this.#paintRow(row, old ?? NO_ROW, at, columns);
    });
    return changed;
  }

  #paintRow(row: Row, old: Row, at: number, columns: number): void {
    const pen = this.#pen;
    const { first, end, column } = difference(old, row);
    if (first === 0 && row.soft && pen.hangsAbove(at)) {
      pen.wrapInto(row.cells.length === 0);
      this.#joined.add(at);
    } else {
      if (first === 0 || !row.soft) this.#joined.delete(at);
      pen.moveTo(at, column);
    }
    for (const cell of row.cells.slice(first, end)) pen.draw(cell);
    if (old.width > row.width && end === row.cells.length && row.width < columns) pen.command('\x1b[K');
  }

  /** Rows between the frame's first and the cursor's, once lines are folded to the new width. */
  #rowsAbove(columns: number): number {
    const cursor = { row: this.#pen.row, column: this.#pen.column };
    if (this.#reflow === 'none') return cursor.row;
    let start = cursor.row;
    while (start > 0 && this.#joined.has(start)) start--;
    let above = 0;
    for (let at = 0; at < start; ) {
      let width = this.#rows[at]?.width ?? 0;
      while (++at < start && this.#joined.has(at)) width += this.#rows[at]?.width ?? 0;
      above += Math.max(1, Math.ceil(width / columns));
    }
    if (this.#reflow === 'not-cursor-line') return above + cursor.row - start;
    const before = this.#rows.slice(start, cursor.row).reduce((sum, row) => sum + row.width, 0);
    return above + Math.floor((before + cursor.column) / columns);
  }
}

/** Writes cells and moves the cursor, knowing where it stands. */
class Pen {
  row = 0;
  column = 0;
  /** The lowest row that exists on the screen. */
  lastRow = 0;
  #columns = 80;
  #hangs = false;
  #style = '';
  #output = '';

  begin(columns: number): void {
    this.#columns = columns;
    this.#output = '';
  }

  finish(): string {
    this.#setStyle('');
    return this.#output;
  }

  command(sequence: string): void {
    this.#setStyle('');
    this.#output += sequence;
  }

  draw(cell: Cell): void {
    this.#setStyle(cell.style);
    this.#output += cell.text;
    this.column += cell.width;
    if (this.column >= this.#columns) this.#hangs = true;
    else if (isUnsure(cell)) this.#output += `\x1b[${this.column + 1}G`;
  }

  /** True while the cursor hangs at the end of the row above, so that the next character wraps into this one. */
  hangsAbove(row: number): boolean {
    return this.#hangs && this.row === row - 1;
  }

  /** Goes on into the next row by the terminal's own wrapping; an empty row needs a blank to be wrapped into. */
  wrapInto(empty: boolean): void {
    if (empty) {
      this.#setStyle('');
      this.#output += ' \r';
    }
    this.row++;
    this.column = 0;
    this.#hangs = false;
    this.lastRow = Math.max(this.lastRow, this.row);
  }

  moveTo(row: number, column: number): void {
    if (row === this.row && column === this.column && !this.#hangs) return;
    if (row > this.lastRow) this.#grow(row);
    if (row < this.row) this.command(`\x1b[${this.row - row}A`);
    if (row > this.row) this.command(`\x1b[${row - this.row}B`);
    this.row = row;
    this.#moveToColumn(column);
  }

  #grow(row: number): void {
    if (this.lastRow > this.row) this.command(`\x1b[${this.lastRow - this.row}B`);
    this.command(`\r${'\n'.repeat(row - this.lastRow)}`);
    this.row = row;
    this.lastRow = row;
    this.column = 0;
    this.#hangs = false;
  }

  #moveToColumn(column: number): void {
    const distance = column - this.column;
    if (this.#hangs || column === 0) {
      if (this.#hangs || this.column !== 0) this.command('\r');
      if (column > 0) this.command(`\x1b[${column}C`);
    } else if (distance > 0) this.command(`\x1b[${distance}C`);
    else if (distance < 0) this.command(distance === -1 ? '\b' : `\x1b[${-distance}D`);
    this.column = column;
    this.#hangs = false;
  }

  #setStyle(style: string): void {
    if (style === this.#style) return;
    this.#output += (this.#style === '' ? '' : '\x1b[0m') + style;
    this.#style = style;
  }
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
  if (old.width === row.width) {
    let oldEnd = old.cells.length;
    while (end > first && oldEnd > first && isSameCell(old.cells[oldEnd - 1], row.cells[end - 1])) {
      end--;
      oldEnd--;
    }
  }
  return { first, end, column };
}
