import type { AppliedReport } from '../../protocol/rehearsal.ts';

/** So many paths are named. */
const MOST = 40;

/** What was applied of a rehearsal, for the model. */
export function formatApplied({ applied, left, conflicts }: AppliedReport): string {
  const isAll = left.length === 0 && conflicts.length === 0;
  if (isAll && applied.length === 0)
    return 'rehearsed on a view of the project; it changed no file, so there was nothing to apply';
  const parts = [
    isAll
      ? `rehearsed on a view of the project, and applied to it whole: ${namesOf(applied)}`
      : `rehearsed on a view of the project; applied to it: ${namesOf(applied) || 'nothing'}`,
    ...(left.length === 0 ? [] : [`left out by the person: ${namesOf(left)}`]),
    ...(conflicts.length === 0
      ? []
      : [`not applied: ${namesOf(conflicts.map(({ path, why }) => `${path} (${why})`))}`]),
  ];
  return parts.join('; ');
}

function namesOf(names: readonly string[]): string {
  const more = names.length > MOST ? `, and ${names.length - MOST} more` : '';
  return `${names.slice(0, MOST).join(', ')}${more}`;
}
