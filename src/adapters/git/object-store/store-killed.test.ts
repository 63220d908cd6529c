import { afterAll, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Random } from '../../../../test/fidelity/random.ts';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { killDriver, startDriver } from '../../../../test/support/start-driver.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { timeline } from '../snapshot/timeline.ts';
import { listPrivateStores } from './private-store.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-store-killed-')));
const saved = { ...process.env };
const KILLS = Number(process.env.AISH_STORE_KILLS ?? 4);
const SEED = Number(process.env.AISH_UNDO_SEED ?? 20_261_121);
setDefaultTimeout(KILLS > 6 ? 3_600_000 : 120_000);

process.env = { PATH: saved.PATH, HOME: join(base, 'home'), GIT_CONFIG_NOSYSTEM: '1' };
const cwd = join(base, 'home/notes');
mkdirSync(cwd, { recursive: true });
afterAll(() => {
  process.env = saved;
  rmSync(base, { recursive: true, force: true });
});

/** The faults that git finds in the store. */
function check(): string {
  const [store] = listPrivateStores(process.env);
  const env = { ...process.env, GIT_DIR: store?.directory };
  const args = ['fsck', '--connectivity-only', '--no-dangling', '--no-progress'];
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

test('two at work in one store and killed at any moment leave whole steps, and the next one can be undone', async () => {
  const random = new Random(SEED);
  for (let kill = 0; kill < KILLS; kill += 1) {
    const drivers = [await startDriver('store-driver', cwd, 'one'), await startDriver('store-driver', cwd, 'two')];
    for (const driver of drivers) {
      await Bun.sleep(random.below(300));
      await killDriver(driver);
    }
    expect(check()).toBe('');
    writeFileSync(join(cwd, 'mine'), `before ${kill}`);
    const options = { ...STEP, cwd, sessionId: 'me', at: kill };
    const checkpoint = await createCheckpoint(options);
    writeFileSync(join(cwd, 'mine'), `after ${kill}`);
    await finalizeCheckpoint(checkpoint);
    expect((await undoStep({ cwd, id: null })).restored).toEqual(['mine']);
    expect(readFileSync(join(cwd, 'mine'), 'utf8')).toBe(`before ${kill}`);
  }
  expect((await timeline(cwd)).length).toBeGreaterThan(2);
});
