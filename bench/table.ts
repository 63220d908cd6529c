import { type Measured, median, misses, quantile } from './row.ts';

const HEAD = ['what', 'min', 'median', 'p99', 'max', 'unit', 'floor', 'ratio', 'budget', ''];

/** The measured lines as a Markdown table, columns aligned. */
export function formatTable(lines: readonly Measured[]): string {
  const rows = [HEAD, ...lines.map(toCells)];
  const widths = HEAD.map((_, column) => Math.max(3, ...rows.map((row) => Bun.stringWidth(row[column] ?? ''))));
  const pad = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)))).join(' | ')} |`;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`;
  const [head = HEAD, ...body] = rows;
  return [pad(head), rule, ...body.map(pad)].join('\n');
}

function toCells(line: Measured): string[] {
  const over = misses(line);
  const baseline = line.baseline === undefined ? '' : `${line.baseline.what} ${round(median(line.baseline.values))}`;
  const ratio =
    line.baseline === undefined ? '' : `${(median(line.values) / median(line.baseline.values)).toFixed(2)} ×`;
  const figures = [0, 0.5, 0.99, 1].map((share) => round(quantile(line.values, share)));
  const budget = formatBudget(line);
  return [
    line.what,
    ...figures,
    line.unit,
    baseline,
    ratio,
    budget,
    budget === '' ? '' : over.length === 0 ? 'met' : `MISSED: ${over.join(', ')}`,
  ];
}

function formatBudget(line: Measured): string {
  const parts = [
    line.atMost === undefined ? '' : `≤ ${line.atMost}`,
    line.timesBaseline === undefined ? '' : `≤ ${line.timesBaseline} × floor`,
    line.p99AtMost === undefined ? '' : `p99 ≤ ${line.p99AtMost}`,
  ];
  return parts.filter((part) => part !== '').join(', ');
}

function round(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
}
