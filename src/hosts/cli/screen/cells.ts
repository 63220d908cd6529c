import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import { textWidth, toGraphemes } from './graphemes.ts';

/** One character as it stands on the screen. */
export interface Cell {
  readonly text: string;
  readonly width: number;
  /** SGR sequence that is in force, empty for none. */
  readonly style: string;
}

const TAB_WIDTH = 4;

/** The cell for one character of the buffer; what would be invisible is spelled out. */
export function toCell(grapheme: string, style: string): Cell {
  if (grapheme.length === 1 && grapheme >= ' ' && grapheme <= '~') return { text: grapheme, width: 1, style };
  if (grapheme === '\t') return { text: ' '.repeat(TAB_WIDTH), width: TAB_WIDTH, style };
  const shown = escapeForDisplay(grapheme);
  const width = textWidth(shown);
  // A mark without a letter has no column of its own: it gets a blank to stand on.
  return width === 0 ? { text: ` ${shown}`, width: 1, style } : { text: shown, width, style };
}

/** SGR sequences, and the marks that tell terminals where a prompt begins and ends. */
const SEQUENCES = /(\x1b\[[0-9;:]*m|\x1b\]133;[AB]\x07)/;

const MARK = /\x1b\]133;[AB]\x07/g;

/** Cells of a line that may hold SGR sequences and prompt marks; other control characters are spelled out. */
export function toStyledCells(text: string): readonly Cell[] {
  const cells: Cell[] = [];
  let style = '';
  let mark = '';
  for (const piece of text.split(SEQUENCES)) {
    if (piece.startsWith('\x1b[') && piece.endsWith('m')) style = /^\x1b\[0*m$/.test(piece) ? '' : style + piece;
    else if (piece.startsWith('\x1b]133;')) mark += piece;
    else
      for (const grapheme of toGraphemes(piece)) {
        cells.push(withMark(mark, toCell(grapheme, style), ''));
        mark = '';
      }
  }
  const last = mark === '' ? undefined : cells.pop();
  return last === undefined ? cells : [...cells, withMark('', last, mark)];
}

/** A mark has no width, so it goes with a neighbour. */
function withMark(before: string, cell: Cell, behind: string): Cell {
  return before === '' && behind === '' ? cell : { ...cell, text: before + cell.text + behind };
}

/** Scripts and signs of one code unit whose width every terminal knows. */
const SURE =
  /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u0370-\u0482\u048a-\u0560\u05d0-\u05ea\u0620-\u064a\u1e00-\u1fff\u2010-\u2027\u2030-\u205e\u2190-\u21ff\u2500-\u259f\u3001-\u3029\u3041-\u3096\u30a0-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9d]*$/;

/** True where terminals disagree about the width, so that the cursor must be placed anew behind it. */
export function isUnsure(cell: Cell): boolean {
  return !SURE.test(cell.text.includes('\x1b') ? cell.text.replace(MARK, '') : cell.text);
}

export function isSameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one === other || (one?.text === other?.text && one?.style === other?.style);
}
