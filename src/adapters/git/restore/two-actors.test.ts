import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../test/fidelity/random.ts';
import { ADA, useGitHome } from '../../../../test/support/git-place.ts';
import { TwoActors } from '../../../../test/support/two-actors.ts';

const base = useGitHome('two-actors', ADA);

/**
 * The nightly run takes ten thousand: `AISH_UNDO_STEPS=10000`, and some in a tree of `AISH_UNDO_FILES=30000`. The same seed brings the same
 * steps.
 */
const STEPS = Number(process.env.AISH_UNDO_STEPS ?? 80);
const FILES = Number(process.env.AISH_UNDO_FILES ?? 0);
const SEED = Number(process.env.AISH_UNDO_SEED ?? 16);
setDefaultTimeout(STEPS > 80 ? 3_600_000 : 120_000);
const STEPS_BETWEEN_CHECKS = 50;

test('whatever a user and a model do to one tree and take back, no byte of the user is lost and nothing else is touched', async () => {
  const root = mkdtempSync(join(base, 'work-'));
  const actors = new TwoActors(root, new Random(SEED), { files: FILES });
  for (let step = 1; step <= STEPS; step += 1) {
    try {
      await actors.step();
      if (step % STEPS_BETWEEN_CHECKS === 0) await actors.check();
    } catch (cause) {
      throw new Error(`step ${step} of seed ${SEED}`, { cause });
    }
  }
  await actors.check();
  await actors.bringBack(20);
  if (STEPS > 80) process.stderr.write(`seed ${SEED}, ${STEPS} steps: ${JSON.stringify(actors.tally)}\n`);
  // So many objects take longer to remove than what follows a test may take.
  rmSync(root, { recursive: true });
  expect(Object.entries(actors.tally).filter(([, count]) => count === 0)).toEqual([]);
});
