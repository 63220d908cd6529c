import { TextSanitizer } from '../../../core/sanitize.ts';
import { renderLine } from './markdown-block.ts';
import { CodeBlock, type CodePainter, parseFence } from './markdown-code.ts';
import { isTableStart, renderTable } from './markdown-table.ts';
import type { Theme } from './theme.ts';
import { withoutLinks } from './wrap-spans.ts';

/*
 * Markdown as it streams in, to what stays and what is still open.
 *
 * A line of the source is final with its line end, a table with the first line behind it. What is final is handed out once and
 * never drawn again, so it is ordinary terminal output: it scrolls, selects and stays. The open rest is drawn anew with every
 * piece, at whatever width the window has by then. What is handed out depends on the source alone, never on how it was cut.
 */

/** What a piece of the answer changed. */
export interface StreamUpdate {
  /** Whole rows that are final, each with its line end; empty when nothing ended. */
  readonly finished: string;
  /** Rows of the part that is still open, none wider than the window. They take the place of those before. */
  readonly live: readonly string[];
}

/** How an answer is shown. */
export interface MarkdownStreamOptions {
  readonly theme: Theme;
  /** Colours for code, where they are loaded; asked for at every fence. */
  readonly codePainter?: () => CodePainter | null;
}

/** Beginnings that do not show yet what the line will be: a fence, a heading, a list, a rule or a table. */
const UNDECIDED =
  /^\s*(`{1,2}|`{3,}[^`]*|~{1,}[^~]*|#{1,6}|[-*+_=]+|\d{1,9}[.)]?|>+|\|.*|[-*+] ?(\[[ xX]?\]?)?|([-*_] ?){2,})?\s*$/;
/** Every piece draws the open line anew, so a line without end would cost its square. */
const MAX_OPEN_LINE = 4000;

/** Shows a streamed answer. One per answer; `end` at its end or when it is broken off. */
export class MarkdownStream {
  readonly #options: MarkdownStreamOptions;
  readonly #sanitizer = new TextSanitizer();
  /** The unfinished line of the source. */
  #line = '';
  /** Lines of a table that has not ended, or one line that may be the head of one. */
  #table: string[] = [];
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
      this.#line += piece;
      this.#breakLongLine(columns);
      if (at < lines.length - 1) this.#endLine(columns);
    });
  }

  #breakLongLine(columns: number): void {
    while (this.#line.length > MAX_OPEN_LINE && this.#code === null && !/^\s*\|/.test(this.#line)) {
      const blank = this.#line.lastIndexOf(' ', MAX_OPEN_LINE);
      const end = blank > 0 ? blank : MAX_OPEN_LINE;
      const rest = this.#line.slice(blank > 0 ? end + 1 : end);
      this.#line = this.#line.slice(0, end);
      this.#endLine(columns);
      this.#line = rest;
    }
  }

  #endLine(columns: number): void {
    const line = this.#line;
    this.#line = '';
    if (this.#code !== null) this.#endCodeLine(this.#code, line);
    else if (!this.#takeTableRow(line)) this.#endTextLine(line, columns);
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
  #takeTableRow(line: string): boolean {
    const [head] = this.#table;
    if (head === undefined) return false;
    const belongs =
      this.#table.length === 1 ? isTableStart(head, line) : line.includes('|') && parseFence(line) === null;
    if (belongs) this.#table.push(line);
    return belongs;
  }

  #endTable(columns: number): void {
    this.#finish(this.#tableRows(columns));
    this.#table = [];
  }

  /** Every row may change the width of the columns, so a table is final only when it is whole. */
  #tableRows(columns: number): readonly string[] {
    const { theme } = this.#options;
    const [only = ''] = this.#table;
    if (this.#table.length === 0) return [];
    return this.#table.length === 1 ? renderLine(only, columns, theme) : renderTable(this.#table, columns, theme);
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
    if (this.#table.length > 0 && (line.includes('|') || UNDECIDED.test(line))) return [];
    return UNDECIDED.test(line) ? [] : renderLine(line, columns, this.#options.theme);
  }
}

/** The rows of a whole text of markdown. */
export function renderMarkdown(text: string, columns: number, theme: Theme): string {
  const stream = new MarkdownStream({ theme });
  return stream.push(text, columns).finished + stream.end(columns);
}
