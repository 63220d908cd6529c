import { applyRestore, type RestoreOutcome } from '../../src/adapters/git/restore/apply.ts';
import { planRestore } from '../../src/adapters/git/restore/plan.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';

/** The step to take back, and the signal that may end it. */
export interface UndoStepOptions {
  readonly cwd: string;
  /** Null: the newest step that is not undone. */
  readonly id: string | null;
  readonly paths?: readonly string[];
  readonly shouldEnd?: () => boolean;
}

/** Takes a step back without a user to decide: paths changed since are left alone. */
export async function undoStep(options: UndoStepOptions): Promise<RestoreOutcome> {
  const plan = await planRestore({ ...options, direction: 'undo' });
  return applyRestore(plan, {}, { ...options, limits: USUAL_RETENTION, sessionId: 's1', keep: options.cwd });
}
