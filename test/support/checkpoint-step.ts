import { createCheckpoint, finalizeCheckpoint } from '../../src/adapters/git/snapshot/checkpoint.ts';
import { USUAL_RETENTION } from '../../src/core/session/settings.ts';

/** How the checkpoints of tests are made, but for the place. */
export const STEP = {
  label: 'before a step',
  toolName: 'write',
  mode: 'ref',
  limits: USUAL_RETENTION,
  sessionId: 's1',
  at: 1_700_000_000_000,
} as const;

/** Changes something as a step does: after a checkpoint, which is sealed when it is done. */
export async function runStep(cwd: string, change: () => unknown): ReturnType<typeof createCheckpoint> {
  const checkpoint = await createCheckpoint({ ...STEP, cwd });
  await change();
  await finalizeCheckpoint(checkpoint);
  return checkpoint;
}
