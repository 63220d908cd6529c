import { textWidth } from './graphemes.ts';
import { clipText } from './wrap.ts';

/** Rows with their columns aligned; the last column is as wide as it is. */
export function formatTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => textWidth(row[column] ?? ''))));
  return rows.map((row) => formatRow(row, widths)).join('\n');
}

function formatRow(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + cell.length - textWidth(cell))))
    .join('  ')
    .trimEnd();
}

/** A table under a head. In a window that is too narrow for it, each row is a sentence of its facts. */
export function formatFacts(head: readonly string[], rows: readonly (readonly string[])[], columns: number): string {
  const table = formatTable([head, ...rows]);
  if (table.split('\n').every((row) => textWidth(row) <= columns)) return table;
  return rows.map(([name, ...cells]) => `${name}: ${cells.map((cell, at) => `${head[at + 1]} ${cell}`).join(', ')}`).join('\n');
}

/** A table whose rows are cut to the window. */
export function clipRows(table: string, columns: number): string {
  return table
    .split('\n')
    .map((row) => clipText(row, columns))
    .join('\n');
}

/** Fewer columns than these are no room for a text. */
const LEAST_TEXT = 24;

/**
 * A table whose last column is a text, in a window: cut to it where enough of the text is left, else with the text in a row of its own
 * under the facts.
 */
export function fitTable(rows: readonly (readonly string[])[], columns: number): string {
  const facts = formatTable(rows.map((row) => row.slice(0, -1))).split('\n');
  const widest = Math.max(0, ...facts.map((row) => textWidth(row)));
  const table = formatTable(rows);
  const isFitting = table.split('\n').every((row) => textWidth(row) <= columns);
  if (isFitting || columns - widest - 2 >= LEAST_TEXT) return clipRows(table, columns);
  const stacked = rows.flatMap((row, at) => {
    const text = row.at(-1) ?? '';
    return [facts[at] ?? '', ...(text === '' ? [] : [`    ${text}`])];
  });
  return clipRows(stacked.join('\n'), columns);
}
