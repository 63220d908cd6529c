import { afterAll, expect, test } from 'bun:test';
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RunStore } from '../../../adapters/store/run-store.ts';
import { DEFAULT_LIMITS } from '../../../core/contract/contract-line.ts';
import type { RunRecord } from '../../../protocol/contract.ts';
import { removeForgotten } from './working-copies.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'aish-runs-')));
const state = process.env.XDG_STATE_HOME;
process.env.XDG_STATE_HOME = join(root, 'state');
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
  if (state === undefined) delete process.env.XDG_STATE_HOME;
  else process.env.XDG_STATE_HOME = state;
});

const NOW = 1_800_000_000_000;
const DAY = 24 * 60 * 60 * 1000;

/** A run in a copy that is a repository, as `age` days ago. */
async function addRun(store: RunStore, days: number, changes: Partial<RunRecord>, edit = ''): Promise<RunRecord> {
  const contract = { goal: 'g', until: ['true'], only: ['.'], limits: DEFAULT_LIMITS };
  const project = join(root, 'site');
  const begun = { project, cwd: '', contract, owner: null, model: null, cloud: false, begunAt: NOW - days * DAY };
  const run = store.begin(begun);
  const { makeWorkingCopy } = await import('../../../adapters/git/restore/working-copy.ts');
  const base = await makeWorkingCopy(project, run.tree);
  if (edit !== '') writeFileSync(join(run.tree, edit), 'changed\n');
  store.update(run.id, { base, endedAt: run.begunAt, reason: 'stopped', ...changes });
  return run;
}

test('a working copy goes after some days if nobody works in it and nothing changed in it', async () => {
  mkdirSync(join(root, 'site'));
  Bun.spawnSync(['git', 'init', '-q'], { cwd: join(root, 'site') });
  writeFileSync(join(root, 'site/a'), 'a\n');
  const store = new RunStore(join(root, 'state/aish'));
  const forgotten = await addRun(store, 8, {});
  const torn = await addRun(store, 8, { base: null });
  const kept = [
    await addRun(store, 1, {}),
    await addRun(store, 8, {}, 'a'),
    await addRun(store, 8, { pid: process.pid, endedAt: null }),
  ];
  await removeForgotten(store, NOW);
  expect(store.list().map(({ id }) => id)).toEqual(kept.map(({ id }) => id));
  expect([forgotten, torn, ...kept].map(({ tree }) => existsSync(tree))).toEqual([false, false, true, true, true]);
});

test('at most twenty working copies wait', () => {
  const store = new RunStore(join(root, 'full/aish'));
  const contract = { goal: 'g', until: ['true'], only: ['.'], limits: DEFAULT_LIMITS };
  const run = { project: '/w/site', cwd: '', contract, owner: null, model: null, cloud: false, begunAt: NOW };
  const ids = Array.from({ length: 20 }, () => store.begin(run).id);
  expect(new Set(ids).size).toBe(20);
  expect(() => store.begin(run)).toThrow('the changes of 20 runs wait for you');
});
