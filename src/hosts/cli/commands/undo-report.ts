import { escapeForDisplay, sanitizeText } from '../../../core/sanitize.ts';
import type { CheckpointStep, RestoreReport, StepCause, StepCounts } from '../../../protocol/checkpoint.ts';
import { clipRows, formatAge, formatTable } from '../reports.ts';

/** What an undo or redo did. */
export interface RestoreFacts {
  readonly checkpoint: string | null;
  readonly direction?: 'redo';
  readonly report: RestoreReport;
}

/** What an undo or redo did, path by path. */
export function formatRestore({ checkpoint, direction, report }: RestoreFacts): string {
  const verb = direction ?? 'undo';
  const { restored, removed = [], kept = [], refused } = report;
  const lines = [
    ...restored.map((path) => `  ${removed.includes(path) ? 'removed' : 'restored'}  ${sanitizeText(path)}`),
    ...kept.map((path) => `  kept  ${sanitizeText(path)}`),
    ...refused.map(({ path, why }) => `  left as it is  ${sanitizeText(path)}: ${sanitizeText(why)}`),
  ];
  if (lines.length === 0) return `nothing to ${verb}${checkpoint === null ? '' : ` since ${checkpoint}`}`;
  return [`${verb} ${checkpoint ?? ''}`.trim(), ...lines].join('\n');
}

const CAUSES: Readonly<Record<StepCause, string>> = {
  tool: 'tool',
  'command-line': 'CMD: line',
  'approved-command': 'command',
  mcp: 'server',
  person: 'you',
  undo: 'undo',
  redo: 'redo',
};

/** The steps of a place, newest first, one a row: time, cause, counts, what became of them, and what they were made for. */
export function formatTimeline(
  steps: readonly CheckpointStep[],
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  if (steps.length === 0) return 'no checkpoints in this repository yet';
  const table = formatTable(
    steps.map((step) => [
      step.id,
      formatAge(step.at, now),
      step.of === null ? CAUSES[step.cause] : `${CAUSES[step.cause]} of ${step.of}`,
      formatCounts(step.counts),
      formatState(step),
      step.of === null ? escapeForDisplay(step.label) : '',
    ]),
  );
  return clipRows(table, columns);
}

/** `+2 ~1 -3`: paths added, changed and removed; a question mark where nobody knows. */
export function formatCounts(counts: StepCounts | null): string {
  if (counts === null) return '?';
  const { added, changed, removed } = counts;
  const parts = [added > 0 ? `+${added}` : '', changed > 0 ? `~${changed}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ') || '0';
}

function formatState({ state, counts }: CheckpointStep): string {
  if (state === 'undone') return 'undone';
  if (state === 'partly') return 'partly undone';
  return counts === null ? 'cut short' : '';
}
