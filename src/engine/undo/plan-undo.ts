import type { PlanOptions } from '../../adapters/git/plan.ts';
import type { RestorePlan } from '../../protocol/checkpoint.ts';
import { AishError } from '../../protocol/error.ts';

/** Steps that are looked through for one that changed a path. */
const MOST_LOOKED_AT = 100;

/**
 * Plans an undo or redo. Where paths are named and no step is, the newest step is meant that changed one of them and has something of it
 * to take back.
 */
export async function planUndo(options: PlanOptions): Promise<RestorePlan> {
  const { planRestore } = await import('../../adapters/git/plan.ts');
  const { id, paths = [], direction } = options;
  if (id !== null || paths.length === 0) return planRestore(options);
  const { timeline } = await import('../../adapters/git/timeline.ts');
  const steps = await timeline(options.cwd, options.signal);
  const candidates = steps.filter(
    ({ state, cause }) =>
      cause !== 'undo' && cause !== 'redo' && (direction === 'undo' ? state !== 'undone' : state !== 'done'),
  );
  for (const step of candidates.slice(0, MOST_LOOKED_AT)) {
    const plan = await planRestore({ ...options, id: step.id });
    if (plan.paths.some(({ state }) => state !== 'same')) return plan;
  }
  throw new AishError('checkpoint.none', `there is no step to ${direction} that changed ${paths.join(', ')}`, {
    hint: ':checkpoints lists what was kept; :diff ID shows what a step changed',
  });
}
