import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { RestoreReport } from '../../../protocol/checkpoint.ts';
import { formatAge } from './duration.ts';
import { textWidth } from './graphemes.ts';
import { indentText, wrapProse } from './wrap.ts';

/** What an undo or redo did. */
interface RestoreFacts {
  readonly checkpoint: string | null;
  readonly direction?: 'redo';
  /** What the step was made for, and when. */
  readonly label?: string;
  readonly stepAt?: number;
  readonly report: RestoreReport;
  /** The checkpoint that takes it back. */
  readonly undo?: string;
}

/** When it is told, and how wide the rows may be. */
interface RestoreView {
  readonly now: number;
  readonly columns?: number;
}

/** Of more files than these the rest is only counted. */
const MOST_LISTED = 20;

/** What an undo or redo did, path by path, under the step that it was about. */
export function formatRestore(facts: RestoreFacts, { now, columns = Number.POSITIVE_INFINITY }: RestoreView): string {
  const { direction, report, undo } = facts;
  const { restored, removed = [], kept = [], refused } = report;
  const gone = new Set(removed);
  const shows = undo === undefined ? '' : `; :diff --step ${undo} shows all`;
  const rows = [
    ...listSome(restored, (path) => formatRow(gone.has(path) ? 'removed' : 'restored', path, columns), columns, shows),
    ...listSome(kept, (path) => formatRow('kept', path, columns), columns),
    ...listSome(refused, ({ path, why }) => formatRow('left as it is', `${path}: ${why}`, columns), columns),
  ];
  const back = direction !== 'redo' && gone.size > 0 ? wrapProse(':redo brings back what was removed', columns) : [];
  const told = rows.length > 0 ? [...rows, ...back] : formatIdle(facts).flatMap((line) => wrapProse(line, columns));
  return [...wrapProse(formatHead(facts, now), columns, ''), ...told].join('\n');
}

/**
 * Of files that are as they would be put already. A checkpoint is kept for it the first time, so that the next undo is for another step.
 */
function formatIdle({ direction, undo }: RestoreFacts): readonly string[] {
  const side = direction === 'redo' ? 'after' : 'before';
  const done = direction === 'redo' ? 'redone' : 'undone';
  const first = `nothing to do: its files are as they were ${side} it`;
  if (undo === undefined) return [first];
  const next = `the next ${direction ?? 'undo'} takes the step ${side} it`;
  return [first, `it can still be ${done} where they are other ones, as on another branch; ${next}`];
}

/** `undo c4: before $ gzip big.log (2 min ago)`: whoever meant another step sees it here. */
function formatHead({ checkpoint, direction, label = '', stepAt }: RestoreFacts, now: number): string {
  const name = `${direction ?? 'undo'} ${checkpoint ?? ''}`.trim();
  const what = label === '' ? '' : `: ${escapeForDisplay(label)}`;
  return `${name}${what}${stepAt === undefined ? '' : ` (${formatAge(stepAt, now)})`}`;
}

/** What goes on in another row is indented further, so that it cannot pass for a row of its own. */
function formatRow(done: string, text: string, columns: number): readonly string[] {
  const shown = escapeForDisplay(text);
  const row = `  ${done}  ${shown}`;
  return textWidth(row) <= columns ? [row] : [`  ${done}`, ...indentText(shown, '    ', columns)];
}

function listSome<T>(
  items: readonly T[],
  format: (item: T) => readonly string[],
  columns: number,
  shows = '',
): readonly string[] {
  const left = items.length - MOST_LISTED;
  const shown = items.slice(0, MOST_LISTED).flatMap(format);
  if (left <= 0) return shown;
  return [...shown, ...wrapProse(`… and ${left} more ${left === 1 ? 'file' : 'files'}${shows}`, columns)];
}
