import { expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../test/fidelity/random.ts';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { killDriver, startDriver } from '../../../../test/support/start-driver.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { sweepOwnObjects } from './own-objects-sweep.ts';
import { openRepository } from './repository.ts';

const base = useGitHome('own-objects-killed', ADA);
const KILLS = Number(process.env.AISH_SWEEP_KILLS ?? 4);
const SEED = Number(process.env.AISH_UNDO_SEED ?? 20_261_121);
setDefaultTimeout(KILLS > 4 ? 3_600_000 : 120_000);
const HOUR_MS = 3_600_000;
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();

/** A sweep as it would be in an hour. The next sweep puts right whatever a kill cut short. */
const sweep = async () => sweepOwnObjects(await openRepository(cwd), { above: 0, now: Date.now() + HOUR_MS });

test('two that make steps and take away what they leave, killed at any moment, leave a whole repository', async () => {
  const random = new Random(SEED);
  git('commit', '-q', '--allow-empty', '-m', 'first');
  for (let kill = 0; kill < KILLS; kill += 1) {
    const drivers = [await startDriver('sweep-driver', cwd, 'one'), await startDriver('sweep-driver', cwd, 'two')];
    writeFileSync(join(cwd, 'mine'), `content ${kill % 7}`);
    git('add', 'mine');
    for (const driver of drivers) {
      await Bun.sleep(random.below(400));
      await killDriver(driver);
    }
    await sweep();
    git('commit', '-q', '--allow-empty', '-m', 'more');
    expect(git('fsck', '--connectivity-only', '--no-dangling', '--no-progress')).toBe('');
    const options = { ...STEP, cwd, sessionId: 'me', at: kill };
    const checkpoint = await createCheckpoint(options);
    writeFileSync(join(cwd, 'mine'), `after ${kill}`);
    await finalizeCheckpoint(checkpoint);
    await sweep();
    expect((await undoStep({ cwd, id: null })).restored).toEqual(['mine']);
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe(`content ${kill % 7}`);
  }
});
