import { textWidth } from '../terminal/graphemes.ts';
import { type Style, styled, type Theme } from '../terminal/theme.ts';
import { parseSpans, type Span, visibleWidth, wrapSpans } from './markdown-line.ts';

/** The text before the first and before the further rows of a line. */
interface Lead {
  readonly first: string;
  readonly rest: string;
  readonly width: number;
}

const HEADING = /^\s{0,3}(#{1,6})\s+(.*)$/;
/** Signs that close a heading as they open it. */
const HEADING_END = /(?<!\s)\s+#+$/;
const RULE = /^\s{0,3}(?:([-*_])(?:\s*\1){2,}|={3,})\s*$/;
const QUOTE = /^(\s*)((?:>\s?)+)(.*)$/s;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\](?:\s+|$))?(.*)$/s;
/** More quotations inside each other than this are not told apart. */
const MAX_QUOTES = 3;
const LONGEST_RULE = 40;
/** Text with less room than this is no longer readable: rather the indent goes. */
const LEAST_ROOM = 6;

/** Renders one line of the source, which is anything but code or a table. No row is wider than `columns`. */
export function renderLine(line: string, columns: number, theme: Theme): readonly string[] {
  const heading = HEADING.exec(line);
  if (heading !== null) return renderHeading(heading, columns, theme);
  if (RULE.test(line)) return [theme.words ? '' : styled(theme, 'dim', '─'.repeat(Math.min(columns, LONGEST_RULE)))];
  const quote = QUOTE.exec(line);
  if (quote !== null) return renderQuote(quote, columns, theme);
  const item = ITEM.exec(line);
  if (item !== null) return renderItem(item, columns, theme);
  const [indent = ''] = /^\s*/.exec(line) ?? [];
  // Deeper than that of an item, whose text it may go on with.
  const blank = toIndent(indent, columns, 2);
  return withLead({ first: blank, rest: blank, width: blank.length }, parseSpans(line.trim(), theme), columns, theme);
}

/**
 * The beginning of a source line that goes on with another one: what is behind it stands where the further rows of that line do. Null for
 * lines that cannot be parted.
 */
export function continuationOf(line: string): string | null {
  if (HEADING.test(line) || RULE.test(line)) return null;
  const quote = QUOTE.exec(line);
  if (quote !== null) {
    const inner = continuationOf(quote[3] ?? '');
    return inner === null ? null : `${quote[1] ?? ''}${quote[2] ?? ''}${inner}`;
  }
  const item = ITEM.exec(line);
  if (item === null) return /^\s*/.exec(line)?.[0] ?? '';
  const [, indent = '', marker = '', task] = item;
  return indent + ' '.repeat((/^\d/.test(marker) ? marker.length : 1) + 1 + (task === undefined ? 0 : 4));
}

/** The bars before each row inside a quotation of some depth. */
export function quoteBars(depth: number, theme: Theme): string {
  if (theme.words) return 'quote: ';
  return styled(theme, 'dim', '│ '.repeat(Math.min(MAX_QUOTES, depth)));
}

function renderHeading(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, signs = '#', rest = ''] = found;
  const text = rest.trimEnd().replace(HEADING_END, '');
  const mark = theme.words ? 'heading: ' : theme.enabled ? '' : `${signs} `;
  const spans = parseSpans(text, theme, theme.sgr.heading);
  return wrapSpans([{ text: mark, style: '' }, ...spans], columns, theme);
}

function renderQuote(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, indent = '', marks = '>', text = ''] = found;
  const depth = Math.min(MAX_QUOTES, marks.split('>').length - 1);
  const blank = toIndent(indent, columns);
  const width = blank.length + (theme.words ? textWidth('quote: ') : 2 * depth);
  if (columns - width < LEAST_ROOM) return renderLine(text, columns, theme);
  const bars = blank + quoteBars(depth, theme);
  return renderLine(text, columns - width, theme).map((row, at) => (theme.words && at > 0 ? row : bars + row));
}

function renderItem(found: RegExpExecArray, columns: number, theme: Theme): readonly string[] {
  const [, indent = '', marker = '', task, text = ''] = found;
  const mark = /^\d/.test(marker) ? marker : theme.words ? '-' : '•';
  const box = task === undefined ? null : toBox(task !== ' ', theme);
  const blank = toIndent(indent, columns);
  const width = blank.length + mark.length + 1 + (box === null ? 0 : box.text.length + 1);
  const shown = box === null ? '' : `${box.style === null ? box.text : styled(theme, box.style, box.text)} `;
  const first = `${blank}${styled(theme, 'dim', mark)} ${shown}`;
  return withLead({ first, rest: ' '.repeat(width), width }, parseSpans(text.trim(), theme), columns, theme);
}

function toBox(isDone: boolean, theme: Theme): { readonly text: string; readonly style: Style | null } {
  if (theme.words) return { text: isDone ? 'done:' : 'to do:', style: null };
  return isDone ? { text: '[x]', style: 'ok' } : { text: '[ ]', style: null };
}

function withLead(lead: Lead, spans: readonly Span[], columns: number, theme: Theme): readonly string[] {
  if (columns - lead.width < LEAST_ROOM) {
    const first = { text: `${lead.first.replace(/\x1b\[[0-9;:]*m/g, '').trim()} `, style: '' };
    return wrapSpans(first.text === ' ' ? spans : [first, ...spans], columns, theme);
  }
  const rows = wrapSpans(spans, columns - lead.width, theme);
  return rows.map((row, at) => (row === '' && at > 0 ? '' : (at === 0 ? lead.first : lead.rest) + row));
}

/** Deep lists may not push their text out of a narrow window. */
function toIndent(indent: string, columns: number, part = 3): string {
  return indent.replaceAll('\t', '    ').slice(0, Math.floor(columns / part));
}

/** The lines of a cell; a table has `<br>` for their ends. */
type Cell = readonly (readonly Span[])[];

type Align = 'left' | 'right' | 'center';

const MIN_COLUMN = 4;
const GAP = 3;
const DELIMITER = /^:?-+:?$/;

/** True where a second line, `| --- | :-: |`, makes a table's head of the first. */
export function isTableStart(head: string, line: string): boolean {
  if (!line.includes('-') || !line.includes('|')) return false;
  const cells = splitRow(line);
  return cells.every((cell) => DELIMITER.test(cell)) && splitRow(head).length === cells.length;
}

/** A table laid out for one width of the window; the columns stay as its source lines need them. */
export class TableLayout {
  readonly rows: readonly string[];
  readonly width: number;
  readonly #theme: Theme;
  readonly #head: readonly string[];
  readonly #aligns: readonly Align[];
  /** Null where there is no room for columns. */
  readonly #widths: readonly number[] | null;
  #records: number;

  constructor(source: readonly string[], width: number, theme: Theme) {
    const [head = [], delimiter = [], ...body] = source.map(splitRow);
    this.width = width;
    this.#theme = theme;
    this.#head = head;
    this.#aligns = delimiter.map(toAlign);
    const cells = [head, ...body].map((row) => this.#toCells(row));
    const natural = head.map((_, at) => Math.max(1, ...cells.map((row) => cellWidth(row[at] ?? []))));
    this.#widths = theme.words ? null : fit(natural, width - GAP * (head.length - 1));
    this.#records = body.length;
    this.rows = this.#widths === null ? this.#toRecords(body) : this.#toRows(cells, this.#widths);
  }

  /** Renders a further row of the table below those that stand there already. */
  addRow(line: string): readonly string[] {
    const row = splitRow(line);
    if (this.#widths !== null) return renderRow(this.#toCells(row), this.#widths, this.#aligns, this.#theme);
    const rows = renderRecord(this.#head, row, this.width, this.#theme);
    this.#records += 1;
    return this.#records === 1 ? rows : [recordRule(this.width, this.#theme), ...rows];
  }

  #toCells(row: readonly string[]): readonly Cell[] {
    return this.#head.map((_, at) => toCell(row[at] ?? '', this.#theme));
  }

  #toRows([first = [], ...rest]: readonly (readonly Cell[])[], widths: readonly number[]): readonly string[] {
    const theme = this.#theme;
    const bold = first.map((cell) => cell.map((spans) => spans.map(({ text, style }) => ({ text, style: theme.sgr.bold + style }))));
    const rule = widths.map((size) => '─'.repeat(size)).join('─┼─');
    return [
      ...renderRow(bold, widths, this.#aligns, theme),
      styled(theme, 'dim', rule),
      ...rest.flatMap((row) => renderRow(row, widths, this.#aligns, theme)),
    ];
  }

  /** A table too wide for columns becomes a list of records: no text is lost at twenty columns either. */
  #toRecords(body: readonly (readonly string[])[]): readonly string[] {
    const [head, width, theme] = [this.#head, this.width, this.#theme];
    if (body.length === 0) return wrapSpans(parseSpans(head.flatMap(splitLines).join(' | '), theme, theme.sgr.bold), width, theme);
    const records = body.map((row) => renderRecord(head, row, width, theme));
    const between = recordRule(width, theme);
    return records.flatMap((record, at) => (at === 0 ? record : [between, ...record]));
  }
}

function renderRow(row: readonly Cell[], widths: readonly number[], aligns: readonly Align[], theme: Theme): readonly string[] {
  const cells = row.map((cell, at) => cell.flatMap((spans) => wrapSpans(spans, widths[at] ?? 1, theme)));
  const height = Math.max(1, ...cells.map((lines) => lines.length));
  const separator = styled(theme, 'dim', ' │ ');
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((lines, at) => pad(lines[line] ?? '', widths[at] ?? 1, aligns[at] ?? 'left'))
      .join(separator)
      .trimEnd(),
  );
}

function renderRecord(head: readonly string[], row: readonly string[], width: number, theme: Theme): readonly string[] {
  return head.flatMap((name, at) => {
    const label = { text: `${name}:`, style: theme.sgr.bold };
    const spans = parseSpans(splitLines(row[at] ?? '').join(' '), theme);
    return wrapSpans([label, { text: ' ', style: '' }, ...spans], width, theme);
  });
}

function recordRule(width: number, theme: Theme): string {
  return theme.words ? '' : styled(theme, 'dim', '─'.repeat(Math.min(width, 8)));
}

/** Shrinks the widest columns until all fit; null when the columns would become too narrow to read. */
function fit(natural: readonly number[], space: number): readonly number[] | null {
  if (space < natural.length * MIN_COLUMN) return natural.reduce((sum, one) => sum + one, 0) <= space ? natural : null;
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one, 0) - space;
  while (excess > 0) {
    const widest = Math.max(...widths);
    const at = widths.indexOf(widest);
    const second = Math.max(MIN_COLUMN, ...widths.filter((_, other) => other !== at));
    const cut = Math.min(excess, Math.max(1, widest - second));
    widths[at] = widest - cut;
    excess -= cut;
  }
  return widths;
}

function splitRow(line: string): readonly string[] {
  const inner = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '');
  return inner.split(/(?<!\\)\|/).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function toCell(text: string, theme: Theme): Cell {
  return splitLines(text).map((line) => parseSpans(line, theme));
}

/** Text in code marks is code. */
function splitLines(cell: string): readonly string[] {
  if (!/<br/i.test(cell)) return [cell];
  const marked = cell.replace(/(?<!`)(`+)(?!`)[^`]*\1|<br ?\/?>/gi, (found) => (found.startsWith('`') ? found : '\n'));
  return marked.split('\n').map((line) => line.trim());
}

function toAlign(cell: string): Align {
  if (cell.startsWith(':') && cell.endsWith(':')) return 'center';
  return cell.endsWith(':') ? 'right' : 'left';
}

function pad(text: string, width: number, align: Align): string {
  const space = Math.max(0, width - visibleWidth(text));
  const before = align === 'right' ? space : align === 'center' ? Math.floor(space / 2) : 0;
  return ' '.repeat(before) + text + ' '.repeat(space - before);
}

function cellWidth(cell: Cell): number {
  return Math.max(0, ...cell.map((spans) => spans.reduce((sum, span) => sum + textWidth(span.text), 0)));
}
