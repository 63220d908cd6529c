import { type Cell, isUnsure } from './layout.ts';

/** Writes cells and moves the cursor, knowing where it stands. */
export class Pen {
  row = 0;
  column = 0;
  /** The lowest row that exists on the screen. */
  lastRow = 0;
  /** Width of the screen that is drawn on. */
  columns = 80;
  #hangs = false;
  /** The last column was filled with wrapping off, so the next character would not wrap. */
  #isStuck = false;
  #style = '';
  #output = '';

  begin(columns: number): void {
    this.columns = columns;
    this.#output = '';
  }

  finish(): string {
    this.#setStyle('');
    return this.#output;
  }

  /** The rows above are no longer ours: counting begins below them. */
  release(rows: number): void {
    this.row -= rows;
    this.lastRow -= rows;
  }

  command(sequence: string): void {
    this.#setStyle('');
    this.#output += sequence;
  }

  draw(cell: Cell): void {
    if (isUnsure(cell)) {
      this.#drawUnsure(cell);
      return;
    }
    this.#setStyle(cell.style);
    this.#output += cell.text;
    this.column += cell.width;
    this.#hangs = this.column >= this.columns;
    this.#isStuck = false;
  }

  /** True while the cursor hangs at the end of the row above, so that the next character wraps into this one. */
  hangsAbove(row: number): boolean {
    return this.#hangs && !this.#isStuck && this.row === row - 1;
  }

  /** Goes on into the next row by the terminal's own wrapping; without a sure character to draw it takes a blank. */
  wrapInto(needsBlank: boolean): void {
    if (needsBlank) {
      this.#setStyle('');
      this.#output += ' \r';
    }
    this.row++;
    this.column = 0;
    this.#hangs = false;
    this.lastRow = Math.max(this.lastRow, this.row);
  }

  /** Wraps from the last column of a row into the row below; the cursor stands at the beginning of that, which is blank. */
  joinBelow(row: number): void {
    this.moveTo(row, this.columns - 1);
    this.#setStyle('');
    this.#output += ' ';
    this.wrapInto(false);
    this.wipeRow({ keepJoined: true });
  }

  /** Wipes the row that the cursor is at the beginning of. A row that was wrapped into stays one as long as its first column does. */
  wipeRow({ keepJoined }: { keepJoined: boolean }): void {
    this.command(keepJoined ? ' \x1b[K\r' : '\x1b[K');
  }

  moveTo(row: number, column: number): void {
    if (row === this.row && column === this.column && !this.#hangs) return;
    if (this.#hangs) this.#toRowStart();
    if (row > this.lastRow) this.#grow(row);
    if (row < this.row) this.command(`\x1b[${this.row - row}A`);
    if (row > this.row) this.command(`\x1b[${row - this.row}B`);
    this.row = row;
    this.#moveToColumn(column);
  }

  /**
   * Terminals disagree about the width. The pen wipes the cells that a narrower terminal leaves uncovered and a wider one covers too much,
   * puts the cursor where it belongs, and lets nothing wrap near the edge.
   */
  #drawUnsure(cell: Cell): void {
    const end = this.column + cell.width;
    const mayWrap = this.column + 2 * cell.text.length > this.columns;
    if (mayWrap) this.command('\x1b[?7l');
    this.command(`\x1b[${cell.width}X`);
    this.#setStyle(cell.style);
    this.#output += cell.text;
    if (mayWrap) this.command('\x1b[?7h');
    this.column = end;
    this.#hangs = end >= this.columns;
    this.#isStuck = this.#hangs && mayWrap;
    if (!this.#hangs) this.command(`\x1b[${end + 1}G\x1b[K`);
  }

  #toRowStart(): void {
    this.command('\r');
    this.column = 0;
    this.#hangs = false;
  }

  #grow(row: number): void {
    if (this.lastRow > this.row) this.command(`\x1b[${this.lastRow - this.row}B`);
    this.command(`\r${'\n'.repeat(row - this.lastRow)}`);
    this.row = row;
    this.lastRow = row;
    this.column = 0;
  }

  #moveToColumn(column: number): void {
    const distance = column - this.column;
    if (column === 0) {
      if (this.column !== 0) this.command('\r');
    } else if (distance > 0) this.command(`\x1b[${distance}C`);
    else if (distance < 0) this.command(distance === -1 ? '\b' : `\x1b[${-distance}D`);
    this.column = column;
  }

  #setStyle(style: string): void {
    if (style === this.#style) return;
    this.#output += (this.#style === '' ? '' : '\x1b[0m') + style;
    this.#style = style;
  }
}
