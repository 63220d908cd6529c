import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { CheckpointStep, StepCause, StepCounts } from '../../../protocol/checkpoint.ts';
import { formatAge } from './duration.ts';
import { fitTable } from './table.ts';

const CAUSES: Readonly<Record<StepCause, string>> = {
  tool: 'tool',
  'command-line': 'CMD: line',
  'approved-command': 'command',
  mcp: 'server',
  user: 'you',
  undo: 'undo',
  redo: 'redo',
};

/** The steps of a place, newest first, one a row: time, cause, counts, what became of them, and what they were made for. */
export function formatTimeline(
  steps: readonly CheckpointStep[],
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const listed = steps.filter((step) => !isIdle(step));
  if (listed.length === 0) return 'no checkpoints here yet';
  return fitTable(
    listed.map((step) => [
      step.id,
      formatAge(step.at, now),
      step.of === null ? CAUSES[step.cause] : `${CAUSES[step.cause]} of ${step.of}`,
      formatCounts(step.counts),
      formatState(step),
      step.of === null ? escapeForDisplay(step.label) : '',
    ]),
    columns,
  );
}

/** An undo or redo that changed no file is kept for what was chosen in it alone; a step that changed none is not kept at all. */
function isIdle({ of, counts }: CheckpointStep): boolean {
  return of !== null && counts !== null && counts.added + counts.changed + counts.removed === 0;
}

/** `+2 ~1 -3`: paths added, changed and removed; a question mark where nobody knows. */
function formatCounts(counts: StepCounts | null): string {
  if (counts === null) return '?';
  const { added, changed, removed } = counts;
  const parts = [added > 0 ? `+${added}` : '', changed > 0 ? `~${changed}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ') || '0';
}

function formatState({ state, counts, isAtWork }: CheckpointStep): string {
  if (state === 'undone') return 'undone';
  if (state === 'partly') return 'partly undone';
  if (isAtWork === true) return 'at work';
  return counts === null ? 'cut short' : '';
}
