import { expect, setDefaultTimeout, test } from 'bun:test';
import { mkdtempSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../test/fidelity/random.ts';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome } from '../../../../test/support/git-place.ts';
import { hearDriver, killDriver, startDriver } from '../../../../test/support/start-driver.ts';
import {
  hasIndexLock,
  makeBusyRepository,
  personalBytes,
  putInTree,
  readTree,
  removeFromTree,
  type Tree,
} from '../../../../test/support/undo-tree.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import type { RestoreDirection } from '../../../protocol/checkpoint.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { timeline } from '../snapshot/timeline.ts';
import { applyRestore } from './apply.ts';
import { planRestore } from './plan.ts';

const base = useGitHome('killed', ADA);
const KILLS = Number(process.env.AISH_UNDO_KILLS ?? 8);
const SEED = Number(process.env.AISH_UNDO_SEED ?? 20_261_121);
setDefaultTimeout(KILLS > 20 ? 3_600_000 : 120_000);
const FILES = 24;

/** A tree of many files, and a step that changed, removed and made some of each kind. */
async function makeStep(root: string): Promise<{ readonly id: string; readonly before: Tree; readonly after: Tree }> {
  const put = (path: string, content: string) => putInTree(root, path, { mode: '100644', content });
  makeBusyRepository(root);
  for (let file = 0; file < FILES; file += 1) put(`many/${file % 4}/${file}`, `old ${file}\n`.repeat(2000));
  const before = readTree(root);
  const options = { ...STEP, cwd: root };
  const checkpoint = await createCheckpoint(options);
  for (let file = 0; file < FILES; file += 1) {
    if (file % 3 === 0) removeFromTree(root, `many/${file % 4}/${file}`);
    else put(`many/${file % 4}/${file}`, `new ${file}\n`.repeat(2000));
    if (file % 5 === 0) putInTree(root, `made/${file}`, { mode: '120000', content: `to ${file}` });
  }
  await finalizeCheckpoint(checkpoint);
  return { id: checkpoint.id, before, after: readTree(root) };
}

/** Kills the restore with all its git processes after a while, counted from the moment one begins, or comes to its files. */
async function killDuring(root: string, id: string, direction: RestoreDirection, random: Random): Promise<void> {
  const driver = await startDriver('undo-driver', root, id, direction);
  const isAmongFiles = random.below(3) === 0;
  if (isAmongFiles) await hearDriver(driver, 'files');
  await Bun.sleep(random.below(isAmongFiles ? 60 : 220));
  await killDriver(driver);
}

/** Checks what holds at any moment: each path has one of its two versions, and everything of the user's is as it was. */
function look(root: string, before: Tree, after: Tree, personal: string): readonly string[] {
  const now = readTree(root);
  const paths = new Set([...now.keys(), ...before.keys(), ...after.keys()]);
  const wrong = [...paths].filter((path) => {
    const found = JSON.stringify(now.get(path));
    return found !== JSON.stringify(before.get(path)) && found !== JSON.stringify(after.get(path));
  });
  return [
    ...wrong,
    ...(hasIndexLock(root) ? ['index.lock'] : []),
    ...(personalBytes(root) === personal ? [] : ['.git']),
  ];
}

test('killed at any moment, an undo or redo leaves each file old or new, and the next one goes on from there', async () => {
  const root = mkdtempSync(join(base, 'work-'));
  const { id, before, after } = await makeStep(root);
  const personal = personalBytes(root);
  const random = new Random(SEED);
  const run = async (direction: RestoreDirection) => {
    const report = await applyRestore(
      await planRestore({ cwd: root, id, direction }),
      {},
      { limits: USUAL_RETENTION, sessionId: 's1' },
    );
    return report.refused;
  };
  let halfway = 0;
  for (let kill = 0; kill < KILLS; kill += 1) {
    const isBack = (await timeline(root)).find((step) => step.id === id)?.state === 'undone';
    await killDuring(root, id, isBack ? 'redo' : 'undo', random);
    expect(look(root, before, after, personal)).toEqual([]);
    const tree = JSON.stringify([...readTree(root)].sort());
    if (![before, after].some((one) => JSON.stringify([...one].sort()) === tree)) halfway += 1;
    expect(await run('undo')).toEqual([]);
    expect(readTree(root)).toEqual(before);
    if (random.below(2) === 0) continue;
    expect(await run('redo')).toEqual([]);
    expect(readTree(root)).toEqual(after);
  }
  expect(readdirSync(join(root, '.git/aish/fresh')).length).toBeLessThan(2);
  // Else the kills fell where nothing was at stake.
  expect(halfway).toBeGreaterThanOrEqual(Math.floor(KILLS / 20));
});
