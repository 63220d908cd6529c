import { TextSanitizer } from '../../../core/sanitize.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { parseSpans, wrapSpans } from './markdown-line.ts';
import { isDelimiterRow, renderTable, visibleWidth } from './markdown-table.ts';
import { styled, type Theme } from './theme.ts';

/*
 * Markdown as it streams in.
 *
 * A line of the source is final with its line end, a table with its last row; only what is still open is drawn anew, and of
 * that only what differs. So everything finished is ordinary terminal output: it scrolls, selects and stays. Code is passed
 * through as it comes, unwrapped and without a frame, so that selecting it copies it.
 */

/** What the stream needs from its surroundings. */
export interface MarkdownStreamOptions {
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** False prints the sanitised text as it is: no wrapping, nothing drawn twice. */
  readonly tty: boolean;
}

/** Beginnings that do not show yet what the line will be: a fence, a heading, a list, a rule or a table. */
const UNDECIDED =
  /^\s*(`{1,2}|`{3,}[^`]*|~{1,}[^~]*|#{1,6}|[-*+_=]+|\d{1,9}[.)]?|>+|\|.*|[-*+] ?\[[ xX]?|([-*_] ?){2,})?\s*$/;
const MAX_OPEN_LINE = 4000;
const FENCE = /^(\s*)(`{3,}|~{3,})([^`]*)$/;

/** Shows a streamed answer. One per answer; `flush` at its end or when it is broken off. */
export class MarkdownStream {
  readonly #options: MarkdownStreamOptions;
  readonly #sanitizer = new TextSanitizer();
  /** The unfinished line of the source. */
  #line = '';
  /** Lines of a table that has not ended. */
  #table: string[] = [];
  #fence: string | null = null;
  /** What of the open part is on the screen, line by line; the cursor stands behind the last. */
  #painted: readonly string[] = [];
  #columns = 0;
  /** Characters of the unfinished code line that are out already. */
  #codeShown = 0;
  #atLineStart = true;

  constructor(options: MarkdownStreamOptions) {
    this.#options = options;
  }

  /** Takes the next piece of the answer. */
  push(text: string): void {
    const clean = this.#sanitizer.push(text);
    if (this.#options.tty) this.#take(clean);
    else this.#writePlain(clean);
  }

  /** Finishes what is open and leaves the cursor on a fresh line. */
  flush(): void {
    const clean = this.#sanitizer.end();
    if (!this.#options.tty) {
      this.#writePlain(clean);
      if (!this.#atLineStart) this.#writePlain('\n');
      return;
    }
    this.#take(clean);
    if (this.#line !== '') this.#endLine();
    this.#endTable();
    this.#fence = null;
  }

  #writePlain(text: string): void {
    if (text === '') return;
    this.#atLineStart = text.endsWith('\n');
    this.#options.write(text);
  }

  #take(text: string): void {
    const lines = text.split('\n');
    lines.forEach((piece, at) => {
      this.#line += piece;
      if (at < lines.length - 1) this.#endLine();
    });
    this.#breakLongLine();
    if (this.#line !== '') this.#showOpenLine();
  }

  /** Every piece draws the open line anew, so a line without end would cost its square. */
  #breakLongLine(): void {
    while (this.#line.length > MAX_OPEN_LINE && this.#fence === null && !/^\s*\|/.test(this.#line)) {
      const blank = this.#line.lastIndexOf(' ', MAX_OPEN_LINE);
      if (blank <= 0) return;
      const rest = this.#line.slice(blank + 1);
      this.#line = this.#line.slice(0, blank);
      this.#endLine();
      this.#line = rest;
    }
  }

  #showOpenLine(): void {
    if (this.#fence !== null) this.#showCode();
    else if (this.#table.length === 0 && !UNDECIDED.test(this.#line)) this.#paint(this.#render(this.#line));
  }

  #endLine(): void {
    const line = this.#line;
    if (this.#fence !== null) {
      this.#endCodeLine(line, this.#fence);
    } else if (this.#painted.length === 0 && this.#takeTableRow(line)) {
      this.#line = '';
      return;
    } else {
      this.#endTable();
      const fence = FENCE.exec(line);
      if (fence !== null) this.#fence = fence[2] ?? '```';
      this.#finish(fence === null ? this.#render(line) : [styled(this.#options.theme, 'dim', line)]);
    }
    this.#line = '';
  }

  /** Code goes out as it comes; only a beginning that may be the closing fence waits. */
  #showCode(): void {
    if (this.#codeShown === 0 && /^\s*[`~]*$/.test(this.#line)) return;
    const piece = this.#line.slice(this.#codeShown);
    this.#codeShown = this.#line.length;
    this.#options.write(styled(this.#options.theme, 'code', piece));
  }

  #endCodeLine(line: string, fence: string): void {
    const closes = this.#codeShown === 0 && line.trim().startsWith(fence) && /^\s*([`~])\1*\s*$/.test(line);
    const rest = line.slice(this.#codeShown);
    this.#codeShown = 0;
    if (closes) this.#fence = null;
    this.#options.write(`${styled(this.#options.theme, closes ? 'dim' : 'code', rest)}\r\n`);
  }

  /** True when the line belongs to a table that begins or goes on. */
  #takeTableRow(line: string): boolean {
    if (!/^\s*\|/.test(line)) return false;
    if (this.#table.length === 1 && !isDelimiterRow(line)) {
      this.#endTable();
    }
    this.#table.push(line);
    if (this.#table.length > 1) this.#painted = [];
    return true;
  }

  /** A table is drawn when it is whole: every row may change the width of its columns. */
  #endTable(): void {
    const rows = this.#table;
    if (rows.length === 0) return;
    this.#table = [];
    const { columns } = this.#options.size();
    if (rows.length > 1) this.#finish(renderTable(rows, columns, this.#options.theme));
    else for (const row of rows) this.#finish(this.#render(row));
  }

  #finish(lines: readonly string[]): void {
    this.#paint(lines);
    this.#painted = [];
    this.#options.write('\r\n');
  }

  #render(line: string): readonly string[] {
    const { columns } = this.#options.size();
    return renderLine(line, columns, this.#options.theme);
  }

  #paint(lines: readonly string[]): void {
    const { columns, rows } = this.#options.size();
    const output = columns === this.#columns ? '' : this.#eraseFolded(columns);
    this.#columns = columns;
    const update = output + difference(this.#painted, lines, rows, this.#options.theme);
    this.#painted = lines;
    if (update !== '') this.#options.write(update);
  }

  /** The window has another width: what is drawn of the open part was folded by the terminal. */
  #eraseFolded(columns: number): string {
    const widths = this.#painted.map(visibleWidth);
    const last = widths.pop();
    if (last === undefined) return '';
    this.#painted = [];
    const above =
      widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / columns)), 0) +
      Math.floor(last / (columns + 1));
    return `\r${above > 0 ? `\x1b[${above}A` : ''}\x1b[J`;
  }
}

/** Renders one line of the source, which is anything but code or a table. */
export function renderLine(line: string, columns: number, theme: Theme): readonly string[] {
  const heading = /^\s{0,3}(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
  if (heading !== null) {
    const marks = theme.enabled ? '' : `${heading[1]} `;
    return wrapSpans(
      [{ text: marks, style: '' }, ...parseSpans(heading[2] ?? '', theme, theme.sgr.heading)],
      columns,
      theme,
    );
  }
  if (/^\s{0,3}([-*_])(\s*\1){2,}\s*$/.test(line)) return [styled(theme, 'dim', '─'.repeat(Math.min(columns, 40)))];
  const found = /^(\s*)((?:>\s?)+|[-*+]\s+|\d{1,9}[.)]\s+)?(.*)$/s.exec(line);
  const [, indent = '', marker = '', text = ''] = found ?? [];
  const lead = leadOf(indent, marker, columns, theme);
  const lines = wrapSpans(parseSpans(text, theme), columns - visibleWidth(lead.first), theme);
  return lines.map((one, at) => (at === 0 ? lead.first : lead.rest) + one);
}

/** What stands before the first and before the further lines of an item or a quotation. */
function leadOf(indent: string, marker: string, columns: number, theme: Theme): { first: string; rest: string } {
  const blank = indent.replaceAll('\t', '    ').slice(0, Math.floor(columns / 3));
  if (marker.startsWith('>')) {
    const bars = styled(theme, 'dim', '│ '.repeat(Math.min(3, marker.split('>').length - 1)));
    return { first: blank + bars, rest: blank + bars };
  }
  if (marker === '') return { first: blank, rest: blank };
  const shown = /^\d/.test(marker) ? `${marker.trim()} ` : '• ';
  return { first: `${blank}${styled(theme, 'dim', shown.trimEnd())} `, rest: blank + ' '.repeat(shown.length) };
}

/** The bytes that turn the lines on the screen into others; the cursor stands behind the last line before and after. */
function difference(old: readonly string[], lines: readonly string[], height: number, theme: Theme): string {
  if (old.length === 0) return lines.join('\r\n');
  let at = 0;
  while (at < old.length && old[at] === lines[at]) at++;
  if (at >= old.length)
    return lines
      .slice(at)
      .map((line) => `\r\n${line}`)
      .join('');
  // What has scrolled off the screen cannot be drawn again.
  at = Math.max(Math.min(at, lines.length - 1), old.length - height);
  const up = old.length - 1 - at;
  const [first = '', ...rest] = lines.slice(at);
  const before = up > 0 ? `\x1b[${up}A` : '';
  const output =
    before + rewrite(old[at] ?? '', first, up > 0, theme) + rest.map((line) => `\r\n${clear(line, up > 0)}`).join('');
  return up > 0 ? `\x1b[?2026h${output}${lines.length < old.length ? '\x1b[J' : ''}\x1b[?2026l` : output;
}

/** Turns one line into another: what is only longer is gone on with, what differs late is drawn from there. */
function rewrite(old: string, line: string, moved: boolean, theme: Theme): string {
  const open = theme.reset !== '' && old.endsWith(theme.reset) ? old.slice(0, -theme.reset.length) : old;
  if (!moved && line.startsWith(open)) return lastStyle(open, old) + line.slice(open.length);
  const { length, column, style } = commonStart(old, line);
  const shorter = visibleWidth(line) < visibleWidth(old) ? '\x1b[K' : '';
  return `\r${column > 0 ? `\x1b[${column}C` : ''}${style}${line.slice(length)}${shorter}`;
}

/** What two lines begin with: how many characters, the column behind them and the look in force there. */
function commonStart(old: string, line: string): { length: number; column: number; style: string } {
  let length = 0;
  let column = 0;
  let style = '';
  while (length < old.length && old[length] === line[length]) {
    if (old[length] === '\x1b') {
      const sequence = /^\x1b\[[0-9;:]*m/.exec(old.slice(length, length + 32))?.[0];
      if (sequence === undefined || !line.startsWith(sequence, length)) break;
      style = sequence === '\x1b[0m' ? '' : style + sequence;
      length += sequence.length;
    } else {
      if (!isNarrow(old.charCodeAt(length))) break;
      length++;
      column++;
    }
  }
  return { length, column, style };
}

/** Letters that surely take one column and join with nothing but what follows. */
function isNarrow(code: number): boolean {
  return (code >= 0x20 && code <= 0x7e) || (code > 0xa0 && code < 0x300) || (code >= 0x386 && code <= 0x481);
}

function clear(line: string, dirty: boolean): string {
  return dirty ? `\x1b[2K${line}` : line;
}

/** The SGR sequences in force where a line was closed, to go on in the same look. */
function lastStyle(open: string, old: string): string {
  if (open === old) return '';
  return /(?:\x1b\[[0-9;:]*m)+(?=[^\x1b]*$)/.exec(open)?.[0] ?? '';
}
