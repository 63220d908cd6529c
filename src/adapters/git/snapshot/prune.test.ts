import { beforeEach, describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { personalBytes } from '../../../../test/support/undo-tree.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { openRepository } from '../object-store/repository.ts';
import { createCheckpoint, finalizeCheckpoint } from './checkpoint.ts';
import { measureUsage, pruneCheckpoints } from './prune.ts';
import { timeline } from './timeline.ts';

const base = useGitHome('prune', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const git = (...args: string[]) =>
  execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
const put = (name: string, content: string | Buffer, where = cwd) => writeFileSync(join(where, name), content);
const noise = (seed: string) =>
  Buffer.concat(Array.from({ length: 1000 }, (_, at) => createHash('sha256').update(`${seed} ${at}`).digest()));
const step = async (change: () => unknown, { sessionId = 's1', at = 1, where = cwd } = {}) => {
  const checkpoint = await createCheckpoint({
    cwd: where,
    label: 'x',
    toolName: 'write',
    mode: 'ref',
    limits: USUAL_RETENTION,
    sessionId,
    at,
  });
  await change();
  await finalizeCheckpoint(checkpoint);
  return checkpoint.id;
};
const prune = async (options: Partial<Parameters<typeof pruneCheckpoints>[1]> = {}) =>
  pruneCheckpoints(await openRepository(cwd), { limits: { steps: 200, bytes: 1e9 }, live: new Set(), ...options });
const ids = async () => (await timeline(cwd)).map(({ id }) => id);

beforeEach(() => {
  put('big', noise('committed'));
  put('a', '0');
  git('add', '.');
  git('commit', '-qm', 'one');
});

describe('what checkpoints take', () => {
  test('is without what git holds anyway', async () => {
    await step(() => put('a', '1'));
    const { steps, bytes } = await measureUsage(await openRepository(cwd));
    expect([steps, (bytes ?? 0) > 100, (bytes ?? 0) < 2_000]).toEqual([1, true, true]);
  });

  test('counts what only they hold', async () => {
    await step(() => put('a', noise('a')));
    const { bytes } = await measureUsage(await openRepository(cwd));
    expect([(bytes ?? 0) > 32_000, (bytes ?? 0) < 35_000]).toEqual([true, true]);
  });
});

describe('a prune', () => {
  test('within the limits takes nothing', async () => {
    await step(() => put('a', '1'));
    expect((await prune()).removed).toEqual([]);
  });

  test('takes the oldest until the bytes fit, and nothing of the user', async () => {
    for (const at of [1, 2, 3, 4, 5, 6]) await step(() => put('a', noise(`${at}`)), { at });
    const personal = personalBytes(cwd);
    const { removed, kept, after } = await prune({ limits: { steps: 200, bytes: 130_000 } });
    expect([removed, kept, (after ?? 1e9) <= 130_000]).toEqual([['c4', 'c3', 'c2', 'c1'], 2, true]);
    expect([await ids(), personalBytes(cwd) === personal]).toEqual([['c6', 'c5'], true]);
    await undoStep({ cwd, id: null });
    expect(readFileSync(join(cwd, 'a'))).toEqual(noise('5'));
    expect(git('fsck', '--connectivity-only', '--no-dangling', '--no-progress')).toBe('');
  });

  test('lets the newest stay, however much it is', async () => {
    await step(() => put('a', '1'));
    await step(() => put('a', noise('a')));
    expect((await prune({ limits: { steps: 1, bytes: 1 } })).removed).toEqual(['c1']);
  });

  test('takes what is older than a moment, with its undo, and tells it beforehand', async () => {
    await step(() => put('a', '1'), { at: 1000 });
    await step(() => put('a', '2'), { at: 2000 });
    await step(() => put('a', '3'), { at: 3000 });
    expect((await prune({ before: 2500, isDryRun: true })).removed).toEqual(['c2', 'c1']);
    expect(await ids()).toEqual(['c3', 'c2', 'c1']);
    expect((await prune({ before: 2500 })).removed).toEqual(['c2', 'c1']);
    expect(await ids()).toEqual(['c3']);
  });

  test('takes steps of a session that goes on last', async () => {
    await step(() => put('a', '1'), { sessionId: 'now' });
    await step(() => put('a', '2'), { sessionId: 'ended' });
    await step(() => put('a', '3'), { sessionId: 'ended' });
    expect((await prune({ limits: { steps: 2, bytes: 1e9 }, live: new Set(['now']) })).removed).toEqual(['c2']);
  });

  test('counts the steps of each work tree by itself, and the newest of each stays', async () => {
    const linked = join(cwd, '../linked');
    git('worktree', 'add', '-q', linked);
    for (const at of [1, 2, 3]) await step(() => put('a', `${at}`), { at });
    for (const at of [4, 5]) await step(() => put('a', `${at}`, linked), { at, where: linked });
    const limits = { steps: 2, bytes: 1e9 };
    expect((await prune({ limits, isDryRun: true })).places).toEqual([
      { root: linked, removed: [], kept: 2 },
      { root: cwd, removed: ['c1'], kept: 2 },
    ]);
    expect((await prune({ limits: { steps: 1, bytes: 1 }, root: cwd })).places).toEqual([
      { root: cwd, removed: ['c2', 'c1'], kept: 1 },
    ]);
    expect((await prune({ limits: { steps: 2, bytes: 1 } })).removed).toEqual(['c4']);
    expect([await ids(), (await timeline(linked)).map(({ id }) => id)]).toEqual([['c3'], ['c5']]);
    rmSync(linked, { recursive: true });
    expect([(await prune({ before: 5 })).removed, (await prune({ before: 6 })).removed]).toEqual([[], ['c5']]);
  });

  test('of a step takes steps of its own work tree alone', async () => {
    const linked = join(cwd, '../linked-too');
    git('worktree', 'add', '-q', linked);
    await step(() => put('a', '1'));
    for (const content of ['2', '3', '4']) {
      const limits = { steps: 2, bytes: 1e9 };
      const checkpoint = await createCheckpoint({ ...STEP, cwd: linked, limits });
      put('a', content, linked);
      await finalizeCheckpoint(checkpoint);
    }
    expect([await ids(), (await timeline(linked)).map(({ id }) => id)]).toEqual([['c1'], ['c4', 'c3']]);
  });
});

test('where somebody holds the refs, a step is kept all the same', async () => {
  await step(() => put('a', '1'));
  put('.git/packed-refs.lock', '');
  const options = { ...STEP, cwd };
  const { id } = await createCheckpoint({ ...options, limits: { steps: 1, bytes: 1e9 } });
  expect([id, await ids()]).toEqual(['c2', ['c2', 'c1']]);
}, 60_000);
