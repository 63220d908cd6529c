import { escapeForDisplay } from '../text/sanitize.ts';
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
function toStyledCells(text: string): readonly Cell[] {
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
const SURE = new RegExp(
  '^[\\x20-\\x7e\\xa0-\\xac\\xae-\\u02ff\\u0370-\\u0482\\u048a-\\u0560\\u05d0-\\u05ea\\u0620-\\u064a\\u1e00-\\u1fff' +
    '\\u2010-\\u2027\\u2030-\\u205e\\u2190-\\u21ff\\u2500-\\u259f\\u3001-\\u3029\\u3041-\\u3096\\u30a0-\\u30ff' +
    '\\u3400-\\u9fff\\uac00-\\ud7a3\\uff01-\\uff9d]*$',
);

/** True where terminals disagree about the width, so that the cursor must be placed anew behind it. */
export function isUnsure(cell: Cell): boolean {
  return !SURE.test(cell.text.includes('\x1b') ? cell.text.replace(MARK, '') : cell.text);
}

export function isSameCell(one: Cell | undefined, other: Cell | undefined): boolean {
  return one === other || (one?.text === other?.text && one?.style === other?.style);
}

/** One row of the screen. */
export interface Row {
  readonly cells: readonly Cell[];
  readonly width: number;
  /** The row continues the one before it: the text has no line end there. */
  readonly soft: boolean;
}

/** Everything the editor shows, as rows, and where the cursor stands. */
export interface Frame {
  readonly rows: readonly Row[];
  readonly cursor: { readonly row: number; readonly column: number };
  /** How many of the rows, the last ones, stand under the text. */
  readonly below: number;
}

/** The contents of the bottom rows. All strings but `text` and `ghost` may hold SGR. */
export interface View {
  readonly prompt: string;
  /** Stands between the prompt and the text. */
  readonly mark: string;
  /** Stands at the right edge of the row in which the text begins, where there is room. */
  readonly right: string;
  readonly text: string;
  readonly cursor: number;
  /** Dim continuation of the text; only its first line is shown. */
  readonly ghost: string;
  /** SGR of the ghost and of the sign before continuation lines. */
  readonly dim: string;
  /** Lines under the text, each cut at the edge. */
  readonly below: readonly string[];
  /** SGR of pieces of the text, sorted, not overlapping. */
  readonly styles?: readonly StyledPiece[];
  /** The label, with SGR, for a character that represents more than itself; null for any other. */
  readonly label?: (character: string) => string | null;
}

/** A piece of the text and the SGR sequence that is in force there. */
export interface StyledPiece {
  readonly start: number;
  readonly end: number;
  readonly sgr: string;
}

const CONTINUATION = '> ';
/** No character below stands for more than itself. */
const FIRST_FOLDED = '\ufdd0';
const FOLDED = /[\ufdd0-\ufdef]/;

/** Rows of finished text, wrapped at the edge. */
export function toFinishedRows(text: string, columns: number): readonly Row[] {
  const rows = new RowBuilder(columns);
  rows.addLines(text.replace(/\r?\n$/, '').split(/\r?\n/));
  return rows.finish();
}

/** Text of one look or several, cut at a width as a terminal cuts it; each row closes its look. */
export function wrapStyled(text: string, columns: number): readonly string[] {
  return toFinishedRows(text, columns).map(({ cells }) => {
    let [row, style] = ['', ''];
    for (const cell of cells) {
      if (cell.style !== style) row += (style === '' ? '' : '\x1b[0m') + cell.style;
      row += cell.text;
      style = cell.style;
    }
    return style === '' ? row : `${row}\x1b[0m`;
  });
}

/** Rows that fit the width already; what does not is cut. */
export function toLiveRows(lines: readonly string[], columns: number): readonly Row[] {
  const rows = new RowBuilder(columns);
  rows.addLines(lines, { isClipped: true });
  return rows.finish();
}

/** Lays a view out for a width: wraps at the edge, never splits a wide character. */
export function layOut(view: View, columns: number): Frame {
  const rows = new RowBuilder(columns);
  rows.addLines(view.prompt.split('\n'));
  const begins = rows.at;
  rows.addAll(toStyledCells(view.mark));
  const cursor = addText(rows, view);
  const [ghost = ''] = view.ghost.split('\n');
  for (const grapheme of toGraphemes(ghost)) rows.add(toCell(grapheme, view.dim));
  for (const line of view.below) {
    rows.breakLine();
    rows.addClipped(toStyledCells(line));
  }
  return { rows: withRight(rows.finish(), begins, { right: view.right, columns }), cursor, below: view.below.length };
}

/** The last column is left free, as every shell leaves it: a character there would make the terminal wrap. */
function withRight(
  rows: readonly Row[],
  at: number,
  { right, columns }: { readonly right: string; readonly columns: number },
): readonly Row[] {
  const row = rows[at];
  if (right === '' || row === undefined) return rows;
  const cells = toStyledCells(right);
  const width = cells.reduce((sum, cell) => sum + cell.width, 0);
  const room = columns - 1 - row.width - width;
  if (room < 1) return rows;
  const blanks = Array.from({ length: room }, () => toCell(' ', ''));
  return rows.with(at, { ...row, cells: [...row.cells, ...blanks, ...cells], width: row.width + room + width });
}

/** Lays views out one after the other; one that looks as the last did is that same frame. */
export class Layout {
  #last: { readonly view: View; readonly columns: number; readonly frame: Frame } | null = null;

  of(view: View, columns: number): Frame {
    const last = this.#last;
    if (last !== null && last.columns === columns && looksSame(last.view, view)) return last.frame;
    const frame = layOut(view, columns);
    this.#last = { view, columns, frame };
    return frame;
  }
}

const COMPARED = ['text', 'cursor', 'mark', 'prompt', 'right', 'ghost', 'dim', 'styles'] as const;

/** The text behind a folded character may change while the visible text stays the same. */
function looksSame(one: View, other: View): boolean {
  const isSame = COMPARED.every((part) => one[part] === other[part]);
  return isSame && one.below.length + other.below.length === 0 && !FOLDED.test(one.text);
}

function addText(rows: RowBuilder, view: View): Frame['cursor'] {
  const { text, cursor, dim, styles = [] } = view;
  let offset = 0;
  let next = 0;
  const styleHere = (): string => {
    while (next < styles.length && (styles[next]?.end ?? 0) <= offset) next++;
    const piece = styles[next];
    return piece !== undefined && piece.start <= offset ? piece.sgr : '';
  };
  let place: Frame['cursor'] | null = null;
  text.split('\n').forEach((line, at) => {
    if (at > 0) {
      offset++;
      rows.breakLine();
      rows.addAll(toStyledCells(dim === '' ? CONTINUATION : `${dim}${CONTINUATION}\x1b[0m`));
    }
    for (const grapheme of toGraphemes(line)) {
      const label = grapheme >= FIRST_FOLDED ? (view.label?.(grapheme) ?? null) : null;
      const cells = label === null ? [toCell(grapheme, styleHere())] : toStyledCells(label);
      if (offset === cursor) place = rows.placeOf(cells[0]?.width ?? 1);
      rows.addAll(cells);
      offset += grapheme.length;
    }
    if (offset === cursor) place = rows.placeOf(1);
  });
  return place ?? rows.placeOf(1);
}

class RowBuilder {
  readonly #columns: number;
  readonly #rows: Row[] = [];
  #cells: Cell[] = [];
  #width = 0;
  #soft = false;

  constructor(columns: number) {
    this.#columns = Math.max(1, columns);
  }

  add(cell: Cell): void {
    const fitting = cell.width > this.#columns ? { ...cell, text: '?', width: 1 } : cell;
    if (this.#width + fitting.width > this.#columns) this.#end(true);
    this.#cells.push(fitting);
    this.#width += fitting.width;
  }

  addAll(cells: readonly Cell[]): void {
    for (const cell of cells) this.add(cell);
  }

  /** Clipped cells end at the edge. */
  addClipped(cells: readonly Cell[]): void {
    for (const cell of cells) {
      if (this.#width + cell.width > this.#columns) return;
      this.add(cell);
    }
  }

  addLines(lines: readonly string[], { isClipped = false } = {}): void {
    lines.forEach((line, at) => {
      if (at > 0) this.breakLine();
      if (isClipped) this.addClipped(toStyledCells(line));
      else this.addAll(toStyledCells(line));
    });
  }

  breakLine(): void {
    this.#end(false);
  }

  /** The position of a cell of that width; begins the next row if it no longer fits on this one. */
  placeOf(width: number): Frame['cursor'] {
    if (this.#width + Math.min(width, this.#columns) > this.#columns) this.#end(true);
    return { row: this.#rows.length, column: this.#width };
  }

  /** The row that is being filled. */
  get at(): number {
    return this.#rows.length;
  }

  finish(): readonly Row[] {
    this.#end(false);
    return this.#rows;
  }

  #end(soft: boolean): void {
    this.#rows.push({ cells: this.#cells, width: this.#width, soft: this.#soft });
    this.#cells = [];
    this.#width = 0;
    this.#soft = soft;
  }
}
