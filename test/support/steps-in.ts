import { applyRestore, type RestoreOutcome } from '../../src/adapters/git/restore/apply.ts';
import { planRestore } from '../../src/adapters/git/restore/plan.ts';
import { timeline } from '../../src/adapters/git/snapshot/timeline.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';
import type { RestoreChoices, RestoreDirection, RestorePlan } from '../../src/protocol/checkpoint.ts';
import { runStep, STEP } from './checkpoint-step.ts';

/** The actions of tests with the steps of a work tree. */
export interface StepDeps {
  /** Changes something as a step does, and tells its id. */
  step(change: () => unknown): Promise<string>;
  plan(direction?: RestoreDirection, id?: string | null, paths?: readonly string[]): Promise<RestorePlan>;
  /** Plans a restore and carries it out. */
  run(direction: RestoreDirection, id?: string | null, choices?: RestoreChoices): Promise<RestoreOutcome>;
  /** The id of each step, the step it takes back, and its state. */
  states(): Promise<readonly string[]>;
}

/** Hands for the steps of the work tree that is the present one at the time of each call. */
export function stepsIn(where: () => string): StepDeps {
  const plan: StepDeps['plan'] = (direction = 'undo', id = null, paths) =>
    planRestore({ cwd: where(), id, direction, ...(paths === undefined ? {} : { paths }) });
  return {
    step: async (change) => (await runStep(where(), change)).id,
    plan,
    run: async (direction, id = null, choices = {}) =>
      applyRestore(await plan(direction, id), choices, {
        limits: USUAL_RETENTION,
        sessionId: STEP.sessionId,
        at: STEP.at + 1,
      }),
    states: async () => (await timeline(where())).map(({ id, of, state }) => [id, of, state].join(' ')),
  };
}
