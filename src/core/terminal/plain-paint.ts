import type { Cell, Frame, Row } from './layout.ts';
import type { Surface } from './paint.ts';

/*
 * For terminals that know no sequences, and for users who listen to the screen: nothing is ever drawn over what stands above, so
 * only the row with the cursor is kept up to date, with what a typewriter can do: letters, backspace, carriage return and line end.
 * Another row is printed below, where a screen reader reads it out.
 */

/** Writes on from where the cursor is; never up, never to a place. */
export class PlainPainter implements Surface {
  readonly showsLive = false;
  /** The cells of the cursor's row; null while nothing is shown. */
  #cells: readonly Cell[] | null = null;
  #column = 0;
  #row = 0;
  #hasBelow = false;

  paint(frame: Frame): string {
    let output = '';
    const { cursor, rows, below } = frame;
    if (below > 0 && !this.#hasBelow) {
      output += this.#cells === null ? '' : '\r\n';
      for (const { cells } of rows.slice(rows.length - below)) output += `${textOf(cells)}\r\n`;
      this.#cells = null;
    }
    this.#hasBelow = below > 0;
    return output + this.#toRow(rows, cursor.row) + this.#toColumn(cursor.column);
  }

  /** A screen reader reads typed text out whole, so nothing is printed ahead. */
  echo(): string {
    return '';
  }

  erase(): string {
    if (this.#cells === null) return '';
    const output = `\r${' '.repeat(widthOf(this.#cells))}\r`;
    this.forget();
    return output;
  }

  /** The position of the row is unknown now: it stays as it is. */
  eraseAfterResize(): string {
    const output = this.#cells === null ? '' : '\r\n';
    this.forget();
    return output;
  }

  clear(): string {
    return this.eraseAfterResize();
  }

  forget(): void {
    this.#cells = null;
    this.#column = 0;
    this.#row = 0;
    this.#hasBelow = false;
  }

  /** The rows up to the one with the cursor that are not shown yet, or that one alone. */
  #toRow(rows: readonly Row[], at: number): string {
    const cells = rows[at]?.cells ?? [];
    if (this.#cells !== null && at === this.#row) return this.#change(this.#cells, cells);
    let output = '';
    if (this.#cells === null) {
      for (const row of rows.slice(0, at)) output += `${textOf(row.cells)}\r\n`;
    } else {
      // The last typed text may be at the end of the row that the cursor leaves.
      if (at > this.#row) output += this.#change(this.#cells, rows[this.#row]?.cells ?? []);
      for (const row of rows.slice(Math.min(this.#row + 1, at), at)) output += `\r\n${textOf(row.cells)}`;
      output += '\r\n';
    }
    this.#cells = cells;
    this.#row = at;
    this.#column = widthOf(cells);
    return output + textOf(cells);
  }

  /** Turns the row into another with as little as a typewriter can. */
  #change(old: readonly Cell[], cells: readonly Cell[]): string {
    this.#cells = cells;
    let same = 0;
    while (same < old.length && same < cells.length && old[same]?.text === cells[same]?.text) same++;
    if (same === old.length && same === cells.length) return '';
    const [oldWidth, width] = [widthOf(old), widthOf(cells)];
    const isAtEnd = this.#column === oldWidth;
    const gone = Math.max(0, oldWidth - width);
    this.#column = width;
    if (isAtEnd && same === old.length) return textOf(cells.slice(same));
    if (isAtEnd && same === cells.length) return '\b \b'.repeat(gone);
    return `\r${textOf(cells)}${' '.repeat(gone)}${'\b'.repeat(gone)}`;
  }

  #toColumn(column: number): string {
    const distance = column - this.#column;
    const from = this.#column;
    this.#column = column;
    if (distance <= 0) return '\b'.repeat(-distance);
    // To the right the letters themselves are written once more.
    let at = 0;
    let output = '';
    for (const cell of this.#cells ?? []) {
      if (at >= from && at < column) output += cell.text;
      at += cell.width;
    }
    return output;
  }
}

function textOf(cells: readonly Cell[]): string {
  return cells.map((cell) => cell.text).join('');
}

function widthOf(cells: readonly Cell[]): number {
  return cells.reduce((sum, cell) => sum + cell.width, 0);
}
