import { textWidth } from '../editor/graphemes.ts';
import { parseSpans, type Span } from './markdown-line.ts';
import { styled, type Theme } from './theme.ts';
import { visibleWidth, wrapSpans } from './wrap-spans.ts';

/** The lines of a cell; a table has `<br>` for their ends. */
type Cell = readonly (readonly Span[])[];

type Align = 'left' | 'right' | 'center';

const MIN_COLUMN = 4;
const GAP = 3;
const DELIMITER = /^\s*\|?(\s*:?-+:?\s*\|)*\s*:?-+:?\s*\|?\s*$/;

/** True where a second line, `| --- | :-: |`, makes a table's head of the first. */
export function isTableStart(head: string, line: string): boolean {
  if (!line.includes('-') || !line.includes('|')) return false;
  return DELIMITER.test(line) && splitRow(head).length === splitRow(line).length;
}

/** Renders the source lines of a table, head and delimiter first, into lines no wider than `width`. */
export function renderTable(source: readonly string[], width: number, theme: Theme): readonly string[] {
  return layOutTable(source, [], width, theme);
}

/** Renders a further row of a table whose beginning stands there already, in the columns that the beginning has. */
export function renderTableRow(
  beginning: readonly string[],
  row: string,
  width: number,
  theme: Theme,
): readonly string[] {
  const before = layOutTable(beginning, [], width, theme).length;
  return layOutTable(beginning, [row], width, theme).slice(before);
}

/** The rows of a table; those of `more` have no say in the widths. */
function layOutTable(
  source: readonly string[],
  more: readonly string[],
  width: number,
  theme: Theme,
): readonly string[] {
  const [head = [], delimiter = [], ...measured] = source.map(splitRow);
  const body = [...measured, ...more.map(splitRow)];
  const aligns = delimiter.map(toAlign);
  const rows = [head, ...body].map((row) => head.map((_, at) => toCell(row[at] ?? '', theme)));
  const widths = fit(
    head.map((_, at) => Math.max(1, ...rows.slice(0, source.length - 1).map((row) => cellWidth(row[at] ?? [])))),
    width - GAP * (head.length - 1),
  );
  if (widths === null || theme.words) return renderRecords(head, body, width, theme);
  const [first = [], ...rest] = rows;
  const bold = first.map((cell) =>
    cell.map((spans) => spans.map(({ text, style }) => ({ text, style: theme.sgr.bold + style }))),
  );
  const rule = widths.map((size) => '─'.repeat(size)).join('─┼─');
  return [
    ...renderRow(bold, widths, aligns, theme),
    styled(theme, 'dim', rule),
    ...rest.flatMap((row) => renderRow(row, widths, aligns, theme)),
  ];
}

function renderRow(
  row: readonly Cell[],
  widths: readonly number[],
  aligns: readonly Align[],
  theme: Theme,
): readonly string[] {
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

/** A table too wide for columns becomes a list of records: no text is lost at twenty columns either. */
function renderRecords(
  head: readonly string[],
  body: readonly (readonly string[])[],
  width: number,
  theme: Theme,
): readonly string[] {
  if (body.length === 0)
    return wrapSpans(parseSpans(head.flatMap(splitLines).join(' | '), theme, theme.sgr.bold), width, theme);
  const records = body.map((row) =>
    head.flatMap((name, at) => {
      const label = { text: `${name}:`, style: theme.sgr.bold };
      return wrapSpans(
        [label, { text: ' ', style: '' }, ...parseSpans(splitLines(row[at] ?? '').join(' '), theme)],
        width,
        theme,
      );
    }),
  );
  const between = theme.words ? '' : styled(theme, 'dim', '─'.repeat(Math.min(width, 8)));
  return records.flatMap((record, at) => (at === 0 ? record : [between, ...record]));
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

/** What stands in code is code. */
function splitLines(cell: string): readonly string[] {
  if (!/<br/i.test(cell)) return [cell];
  const marked = cell.replace(/(`+)[^`]*\1|\s*<br ?\/?>\s*/gi, (found) => (found.startsWith('`') ? found : '\n'));
  return marked.split('\n');
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
