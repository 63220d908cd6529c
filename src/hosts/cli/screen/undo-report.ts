import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { RestoreReport } from '../../../protocol/checkpoint.ts';
import { textWidth } from './graphemes.ts';
import { formatMoreFiles, formatRestoredAlready, formatStillOpen, LEFT, REDO_RESTORES } from './messages.ts';
import { formatAge } from './time.ts';
import { indentText, wrapProse } from './wrap.ts';

interface RestoreFacts {
  readonly checkpoint: string | null;
  readonly direction?: 'redo';
  /** The purpose of the step, and its time. */
  readonly label?: string;
  readonly stepAt?: number;
  readonly report: RestoreReport;
  /** The checkpoint that undoes it. */
  readonly undo?: string;
}

/** The time, and the width of the rows. */
interface RestoreView {
  readonly now: number;
  readonly columns?: number;
}

/** Most files that are named; more are counted. */
const MOST_LISTED = 20;

/** The result of an undo or redo, path by path, below the name of its step. */
export function formatRestore(facts: RestoreFacts, { now, columns = Number.POSITIVE_INFINITY }: RestoreView): string {
  const { direction, report, undo } = facts;
  const { restored, removed = [], kept = [], refused } = report;
  const gone = new Set(removed);
  const rows = [
    ...listSome(restored, (path) => formatRow(gone.has(path) ? 'removed' : 'restored', path, columns), columns, undo),
    ...listSome(kept, (path) => formatRow('kept', path, columns), columns),
    ...listSome(refused, ({ path, why }) => formatRow(LEFT, `${path}: ${why}`, columns), columns),
  ];
  const back = direction !== 'redo' && gone.size > 0 ? wrapProse(REDO_RESTORES, columns) : [];
  const body = rows.length > 0 ? [...rows, ...back] : formatIdle(facts).flatMap((line) => wrapProse(line, columns));
  return [...wrapProse(formatHead(facts, now), columns, ''), ...body].join('\n');
}

/** A restore without a change. The first one makes a checkpoint, so that the next undo is for another step. */
function formatIdle({ checkpoint, undo, ...facts }: RestoreFacts): readonly string[] {
  const direction = facts.direction ?? 'undo';
  const isFirst = undo !== undefined && checkpoint !== null;
  return [formatRestoredAlready(direction), ...(isFirst ? [formatStillOpen(direction, checkpoint)] : [])];
}

/** `undo c4: before $ gzip big.log (2 min ago)`: the step, so that the user notices a wrong one. */
function formatHead({ checkpoint, direction, label = '', stepAt }: RestoreFacts, now: number): string {
  const name = `${direction ?? 'undo'} ${checkpoint ?? ''}`.trim();
  const what = label === '' ? '' : `: ${escapeForDisplay(label)}`;
  return `${name}${what}${stepAt === undefined ? '' : ` (${formatAge(stepAt, now)})`}`;
}

/** A continued row is indented further, so that it cannot pass for a row of its own. */
function formatRow(done: string, text: string, columns: number): readonly string[] {
  const shown = escapeForDisplay(text);
  const row = `  ${done}  ${shown}`;
  return textWidth(row) <= columns ? [row] : [`  ${done}`, ...indentText(shown, '    ', columns)];
}

function listSome<T>(
  items: readonly T[],
  format: (item: T) => readonly string[],
  columns: number,
  undo?: string,
): readonly string[] {
  const left = items.length - MOST_LISTED;
  const shown = items.slice(0, MOST_LISTED).flatMap(format);
  if (left <= 0) return shown;
  return [...shown, ...wrapProse(formatMoreFiles(left, undo), columns)];
}
