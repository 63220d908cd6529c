import type { PlanOptions } from '../../adapters/git/plan.ts';
import type { CheckpointStep, RestoreDirection, RestorePlan } from '../../protocol/checkpoint.ts';
import { AishError } from '../../protocol/error.ts';

/**
 * Plans an undo or redo. Where paths are named and no step is, the newest step is meant that changed one of them and has something of it
 * to take back.
 */
export async function planUndo(options: PlanOptions): Promise<RestorePlan> {
  const { planRestore } = await import('../../adapters/git/plan.ts');
  const { id, paths = [], direction } = options;
  if (id !== null || paths.length === 0) return planRestore(options);
  const { timeline } = await import('../../adapters/git/timeline.ts');
  for (const step of await timeline(options.cwd, options.signal, paths, options.apart)) {
    if (!mayBeMeant(step, direction)) continue;
    const plan = await planRestore({ ...options, id: step.id });
    if (plan.paths.some(({ state }) => state !== 'same')) return plan;
  }
  throw new AishError('checkpoint.none', `there is no step to ${direction} that changed ${paths.join(', ')}`, {
    hint: ':checkpoints lists what was kept; :diff ID shows what a step changed',
  });
}

/** A step that changed the paths, or never ended, and of which something is left to take. */
function mayBeMeant({ cause, counts, state }: CheckpointStep, direction: RestoreDirection): boolean {
  if (cause === 'undo' || cause === 'redo') return false;
  const isChanged = counts === null || counts.added + counts.changed + counts.removed > 0;
  return isChanged && (direction === 'undo' ? state !== 'undone' : state !== 'done');
}
