import type { Theme } from '../terminal/theme.ts';
import { TextSanitizer } from '../text/sanitize.ts';
import { continuationOf, isTableStart, renderLine, TableLayout } from './markdown-block.ts';
import { CodeBlock, type CodePainter, parseFence } from './markdown-code.ts';
import { withoutLinks } from './markdown-line.ts';

/*
 * Cuts streamed markdown into finished output and an open rest.
 *
 * A line of the source is final with its line end, a table with the first line behind it. Final output is returned once and never drawn
 * again, so it is ordinary terminal output: it scrolls, selects and stays. The open rest is drawn anew with every piece, at the width that
 * the window has by then. The final output depends on the source alone, never on the way it was cut.
 */

interface StreamUpdate {
  /** Whole rows that are final, each with its line end; empty when nothing ended. */
  readonly finished: string;
  /** Rows of the part that is still open, none wider than the window. They take the place of those before. */
  readonly live: readonly string[];
}

interface MarkdownStreamOptions {
  readonly theme: Theme;
  /** Colours for code, where they are loaded; asked for at every fence. */
  readonly codePainter?: () => CodePainter | null;
}

/** Lines, blanks around them apart, that do not show yet what they will be: a fence, a heading, a list, a rule or a table. */
const UNDECIDED = /^(`{1,2}|`{3,}[^`]*|~+[^~]*|#{1,6}|[-*+_=]+|\d{1,9}[.)]?|>+|\|.*|[-*+] ?(\[[ xX]?\]?)?|([-*_] ?){2,})?$/;
/** A line of which nothing could be finished is broken here: every frame draws the open part anew. */
const MAX_OPEN_LINE = 4000;
/** So often it is tried to finish the rows of a long line: at lengths, never at pieces, so that pieces make no difference. */
const STEP = 256;
/** Fewer open rows are left as they are; of more all but the last ones are finished. */
const MOST_OPEN_ROWS = 6;
/** A table that grows higher keeps its columns from there on, and each further row is final at once. */
const MOST_TABLE_ROWS = 12;

/** Shows a streamed answer. One per answer; `end` at its end or when it is broken off. */
export class MarkdownStream {
  readonly #options: MarkdownStreamOptions;
  readonly #sanitizer = new TextSanitizer();
  /** The unfinished line of the source. */
  #line = '';
  /** How long the unfinished line is when its rows are looked at next: where they could not be parted, not before it is longer by half. */
  #nextTry = 0;
  /** Lines of a table that has not ended, or one line that may be the head of one. */
  #table: string[] = [];
  /** The rows of the table so far are finished; those to come have the same columns. */
  #fixedTable: TableLayout | null = null;
  #code: CodeBlock | null = null;
  #finished = '';

  constructor(options: MarkdownStreamOptions) {
    this.#options = options;
  }

  /** Takes the next piece of the answer. */
  push(text: string, columns: number): StreamUpdate {
    this.#take(this.#sanitizer.push(text), columns);
    return this.#update(columns);
  }

  /** Finishes what is open. */
  end(columns: number): string {
    this.#take(this.#sanitizer.end(), columns);
    if (this.#line !== '') this.#endLine(columns);
    this.#endTable(columns);
    this.#code = null;
    return this.#update(columns).finished;
  }

  /** The open part for a window of another width. */
  live(columns: number): readonly string[] {
    return [...this.#liveTable(columns), ...this.#liveLine(columns)].map(withoutLinks);
  }

  #update(columns: number): StreamUpdate {
    const finished = this.#finished;
    this.#finished = '';
    return { finished, live: this.live(columns) };
  }

  #take(text: string, columns: number): void {
    const lines = text.split('\n');
    lines.forEach((piece, at) => {
      for (let from = 0; from < piece.length; ) {
        const end = from + STEP - (this.#line.length % STEP);
        this.#line += piece.slice(from, end);
        if (end <= piece.length) this.#boundLine(columns);
        from = end;
      }
      if (at < lines.length - 1) this.#endLine(columns);
    });
  }

  /** Keeps the open line short: each frame draws it anew. */
  #boundLine(columns: number): void {
    if (this.#code !== null) return;
    if (this.#table.length === 0 && !/^\s*\|/.test(this.#line)) this.#finishRows(columns);
    if (this.#line.length > MAX_OPEN_LINE) this.#breakLine(columns);
  }

  /** Finishes the upper rows of a long line if the text behind them cannot be told apart from a line of its own. */
  #finishRows(columns: number): void {
    const line = this.#line;
    if (line.length < this.#nextTry) return;
    const { theme } = this.#options;
    const rows = renderLine(line, columns, theme);
    if (rows.length <= MOST_OPEN_ROWS) return;
    const lead = continuationOf(line);
    const split = lead === null ? null : findSplit(line, lead, rows, (source) => renderLine(source, columns, theme));
    this.#nextTry = split === null ? line.length + Math.max(STEP, line.length / 2) : 0;
    if (split === null) return;
    this.#finish(rows.slice(0, rows.length - ROWS_LEFT_OPEN));
    this.#line = split;
  }

  /** Makes lines of a line that grows too long: at a blank, where there is one. */
  #breakLine(columns: number): void {
    const line = this.#line;
    const blank = line.lastIndexOf(' ', MAX_OPEN_LINE);
    const end = blank > MAX_OPEN_LINE / 2 ? blank : MAX_OPEN_LINE;
    this.#line = line.slice(0, end);
    this.#endLine(columns);
    this.#line = line.slice(end === blank ? end + 1 : end);
  }

  #endLine(columns: number): void {
    const line = this.#line;
    this.#line = '';
    this.#nextTry = 0;
    if (this.#code !== null) this.#endCodeLine(this.#code, line);
    else if (!this.#takeTableRow(line, columns)) this.#endTextLine(line, columns);
  }

  #endCodeLine(code: CodeBlock, line: string): void {
    const ends = code.isEnd(line);
    this.#finish([ends ? code.closingRow(line) : code.row(line)]);
    if (ends) this.#code = null;
  }

  #endTextLine(line: string, columns: number): void {
    this.#endTable(columns);
    const opening = parseFence(line);
    if (opening !== null) {
      this.#code = new CodeBlock(opening, this.#options.theme, this.#options.codePainter?.() ?? null);
      this.#finish([this.#code.openingRow(line)]);
    } else if (line.includes('|') && line.trim() !== '') this.#table = [line];
    else this.#finish(renderLine(line, columns, this.#options.theme));
  }

  /** True when the line goes on with the table, or makes one of the line before it. */
  #takeTableRow(line: string, columns: number): boolean {
    const [head] = this.#table;
    if (head === undefined) return false;
    const belongs = this.#table.length === 1 ? isTableStart(head, line) : line.includes('|') && parseFence(line) === null;
    if (belongs) this.#addTableRow(line, columns);
    return belongs;
  }

  #addTableRow(line: string, columns: number): void {
    if (this.#fixedTable !== null) {
      if (this.#fixedTable.width !== columns) this.#fixedTable = new TableLayout(this.#table, columns, this.#options.theme);
      this.#finish(this.#fixedTable.addRow(line));
      return;
    }
    this.#table.push(line);
    const table = new TableLayout(this.#table, columns, this.#options.theme);
    if (table.rows.length <= MOST_TABLE_ROWS) return;
    this.#finish(table.rows);
    this.#fixedTable = table;
  }

  #endTable(columns: number): void {
    this.#finish(this.#tableRows(columns));
    this.#table = [];
    this.#fixedTable = null;
  }

  /** Every row may change the width of the columns, so a table is final only when it is whole. */
  #tableRows(columns: number): readonly string[] {
    const { theme } = this.#options;
    const [only = ''] = this.#table;
    if (this.#table.length === 0 || this.#fixedTable !== null) return [];
    return this.#table.length === 1 ? renderLine(only, columns, theme) : new TableLayout(this.#table, columns, theme).rows;
  }

  #finish(rows: readonly string[]): void {
    for (const row of rows) this.#finished += `${row}\n`;
  }

  #liveTable(columns: number): readonly string[] {
    // A line that begins with a bar will be a table: it waits for the next one, which says so.
    if (this.#table.length === 1 && /^\s*\|/.test(this.#table[0] ?? '')) return [];
    return this.#tableRows(columns);
  }

  #liveLine(columns: number): readonly string[] {
    const line = this.#line;
    if (line === '') return [];
    if (this.#code !== null) return this.#code.mayEnd(line) ? [] : this.#code.openRows(line, columns);
    if (this.#table.length > 0 && (line.includes('|') || UNDECIDED.test(line.trim()))) return [];
    return UNDECIDED.test(line.trim()) ? [] : renderLine(line, columns, this.#options.theme);
  }
}

/** The last rows of a long line stay open, and those above are finished. */
const ROWS_LEFT_OPEN = 3;
/** So many places are looked at to part a line where most of them do not tell how much is behind them. */
const MOST_TRIES = 8;
const MOST_LOOKED_AT = 256;

/**
 * The source of the last rows of a line as a line of its own, begun with `lead`. Null where there is no blank at which both parts look
 * alone as they look together: inside of emphasis, for one.
 */
export function findSplit(
  line: string,
  lead: string,
  rows: readonly string[],
  render: (source: string) => readonly string[],
): string | null {
  const [above, below] = [rows.slice(0, -ROWS_LEFT_OPEN), rows.slice(-ROWS_LEFT_OPEN)];
  const blanks = blanksFromEnd(line, lead.length);
  const after = (blank: number): string => lead + line.slice(blank + 1);
  const parts = (blank: number): boolean => isSame(render(after(blank)), below) && isSame(render(line.slice(0, blank)), above);
  const nearest = longestThatFits(blanks, (blank) => render(after(blank)));
  const split = parts(nearest) ? nearest : likely(line, blanks, below).find(parts);
  return split === undefined ? null : after(split);
}

/** The more of a line there is, the more rows it has: so the place is come near to in few tries, whatever the line is made of. */
function longestThatFits(blanks: readonly number[], render: (blank: number) => readonly string[]): number {
  const fits = (at: number): boolean => {
    const blank = blanks[at];
    return blank !== undefined && render(blank).length <= ROWS_LEFT_OPEN;
  };
  let high = 1;
  while (fits(high)) high *= 2;
  let low = high >> 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return blanks[low] ?? 0;
}

/** Behind an address that is cut in two there are fewer rows again: places where the word stands that the rows begin with. */
function likely(line: string, blanks: readonly number[], [row = '']: readonly string[]): readonly number[] {
  const word = /[\p{L}\p{N}]+/u.exec(row.replace(/\x1b\[[0-9;]*m|\x1b\]8;[^\x1b]*\x1b\\/g, ''))?.[0];
  if (word === undefined) return [];
  const isHere = (blank: number): boolean => /[\p{L}\p{N}]/u.exec(line.slice(blank + 1, blank + 9))?.[0] === word[0];
  return blanks
    .slice(0, MOST_LOOKED_AT)
    .filter((blank) => isHere(blank) && line.slice(blank + 1, blank + 32).includes(word))
    .slice(0, MOST_TRIES);
}

/** The last blank of each run of blanks behind a place, the last one first. */
function blanksFromEnd(line: string, from: number): readonly number[] {
  const blanks: number[] = [];
  for (let blank = line.lastIndexOf(' '); blank > from; blank = line.lastIndexOf(' ', blank - 1))
    if (line[blank + 1] !== ' ') blanks.push(blank);
  return blanks;
}

function isSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((row, at) => row === other[at]);
}
