import { escapeForDisplay } from '../../../core/text/sanitize.ts';
import type { CheckpointStep, StepCause, StepCounts } from '../../../protocol/checkpoint.ts';
import { NO_CHECKPOINTS } from './messages.ts';
import { fitTable } from './table.ts';
import { formatAge } from './time.ts';

const CAUSES: Readonly<Record<StepCause, string>> = {
  tool: 'tool',
  'command-line': 'CMD: line',
  'approved-command': 'command',
  mcp: 'server',
  user: 'you',
  undo: 'undo',
  redo: 'redo',
};

/** The steps of a work tree, newest first, one a row: time, cause, counts, state, and purpose. */
export function formatTimeline(
  steps: readonly CheckpointStep[],
  now: number,
  columns = Number.POSITIVE_INFINITY,
): string {
  const listed = steps.filter((step) => !isIdle(step));
  if (listed.length === 0) return NO_CHECKPOINTS;
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

/** True for an undo or redo that changed no file: it exists only for the choices in it. */
function isIdle({ of, counts }: CheckpointStep): boolean {
  return of !== null && counts !== null && counts.added + counts.changed + counts.removed === 0;
}

/** `+2 ~1 -3`: paths added, changed and removed; a question mark if the step has no end. */
function formatCounts(counts: StepCounts | null): string {
  if (counts === null) return '?';
  const { added, changed, removed } = counts;
  const parts = [added > 0 ? `+${added}` : '', changed > 0 ? `~${changed}` : '', removed > 0 ? `-${removed}` : ''];
  return parts.filter((part) => part !== '').join(' ') || '0';
}

function formatState({ state, counts, isAtWork }: CheckpointStep): string {
  if (state === 'undone') return 'undone';
  if (state === 'partly') return 'partly undone';
  if (isAtWork === true) return 'running';
  return counts === null ? 'unfinished' : '';
}
