import { afterAll, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { STEP } from '../../../../test/support/checkpoint-step.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { USUAL_RETENTION } from '../../../core/session/settings.ts';
import { toErrorFact } from '../../../protocol/error.ts';
import { applyRestore } from '../restore/apply.ts';
import { planRestore } from '../restore/plan.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { checkPathUndoable, checkPlaceUndoable } from '../snapshot/path-undoable.ts';
import { pruneCheckpoints } from '../snapshot/prune.ts';
import { timeline } from '../snapshot/timeline.ts';
import { directorySize } from './own-objects-sweep.ts';
import { listPrivateStores } from './private-store.ts';
import { openRepository } from './repository.ts';

const base = realpathSync(mkdtempSync(join(tmpdir(), 'aish-store-')));
const saved = { ...process.env };
/** Steps of the test for the cap; the nightly run takes ten thousand. */
const STEPS = Number(process.env.AISH_STORE_STEPS ?? 48);
setDefaultTimeout(STEPS > 48 ? 3_600_000 : 120_000);
let cwd = '';
let state = '';

afterAll(() => {
  process.env = saved;
  rmSync(base, { recursive: true, force: true });
});
beforeEach(() => {
  const home = mkdtempSync(join(base, 'home-'));
  process.env = { PATH: saved.PATH, HOME: home, TMPDIR: saved.TMPDIR, GIT_CONFIG_NOSYSTEM: '1' };
  state = join(home, '.local/state/aish/checkpoints');
  cwd = join(home, 'notes');
  mkdirSync(cwd);
});

const put = (name: string, content: string) => {
  mkdirSync(join(cwd, name, '..'), { recursive: true });
  writeFileSync(join(cwd, name), content);
};
const get = (name: string) => (existsSync(join(cwd, name)) ? readFileSync(join(cwd, name), 'utf8') : null);
const create = (where = cwd, sessionId = 's1') =>
  createCheckpoint({
    cwd: where,
    label: 'before x',
    toolName: 'write',
    mode: 'commit',
    limits: USUAL_RETENTION,
    sessionId,
    at: Date.now(),
  });
const step = async (change: () => unknown, where = cwd) => {
  const checkpoint = await create(where);
  await change();
  await finalizeCheckpoint(checkpoint);
  return checkpoint;
};
const undo = (where = cwd) => undoStep({ cwd: where, id: null });
const why = async (where = cwd) => {
  const answer = await checkPlaceUndoable(where, []);
  return answer.undoable ? null : answer.why;
};

test('outside of a repository a step is undone and redone, and the tree holds nothing of it', async () => {
  put('a', 'mine');
  put('run', '#!/bin/sh\n');
  chmodSync(join(cwd, 'run'), 0o755);
  symlinkSync('a', join(cwd, 'link'));
  await step(() => {
    put('a', 'theirs');
    put('new/b', 'b');
    rmSync(join(cwd, 'run'));
    rmSync(join(cwd, 'link'));
  });
  await undo();
  expect([get('a'), get('link'), get('run'), readdirSync(cwd).sort()]).toEqual([
    'mine',
    'mine',
    '#!/bin/sh\n',
    ['a', 'link', 'run'],
  ]);
  await applyRestore(
    await planRestore({ cwd, id: null, direction: 'redo' }),
    {},
    { limits: USUAL_RETENTION, sessionId: 's1' },
  );
  expect([get('a'), get('new/b'), readdirSync(cwd).sort()]).toEqual(['theirs', 'b', ['a', 'new']]);
});

test('a file that changed since is left alone', async () => {
  put('a', '1');
  await step(() => put('a', '2'));
  put('a', 'by the user');
  expect((await undo()).refused.map(({ path }) => path)).toEqual(['a']);
  expect(get('a')).toBe('by the user');
});

test('a write there can be undone, one beside it cannot', async () => {
  expect(await checkPathUndoable(cwd, join(cwd, 'a'))).toEqual({ undoable: true });
  const beside = join(cwd, '../other');
  expect(await checkPathUndoable(cwd, beside)).toEqual({
    undoable: false,
    why: `${beside} is outside the work tree ${cwd}`,
    outside: `${beside} is outside the work tree ${cwd}`,
  });
});

test('from a folder below, the store that holds steps already is taken', async () => {
  put('sub/a', '1');
  await step(() => put('sub/a', '2'));
  const checkpoint = await step(() => put('sub/a', '3'), join(cwd, 'sub'));
  expect(checkpoint.root).toBe(cwd);
  await undo(join(cwd, 'sub'));
  expect(get('sub/a')).toBe('2');
});

test('a link to the folder is the folder', async () => {
  symlinkSync(cwd, join(cwd, '../alias'));
  put('a', '1');
  await step(() => put('a', '2'), join(cwd, '../alias'));
  await undo();
  expect(get('a')).toBe('1');
});

test('the home directory is refused, and nothing is kept of it', async () => {
  expect(await why(join(cwd, '..'))).toBe('aish makes no checkpoints of your home directory');
  expect(existsSync(state)).toBe(false);
});

test('folders that programs fill again are passed over, and a write in them is told', async () => {
  put('node_modules/x/index.js', '1');
  put('a', '1');
  expect(await checkPathUndoable(cwd, join(cwd, 'node_modules/x/index.js'))).toMatchObject({ undoable: false });
  const checkpoint = await create();
  const [store] = listPrivateStores(process.env);
  const names = execFileSync('git', ['ls-tree', '-r', '--name-only', checkpoint.commit], {
    env: { ...process.env, GIT_DIR: store?.directory },
    encoding: 'utf8',
  });
  expect(names).toBe('a\n');
});

test('repositories in the tree, pipes and closed folders are passed over', async () => {
  put('a', '1');
  put('closed/b', '1');
  execFileSync('git', ['init', '-q', join(cwd, 'inner')]);
  put('inner/c', '1');
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  await step(() => put('a', '2'));
  await undo();
  expect([get('a'), get('inner/c'), existsSync(join(cwd, 'pipe'))]).toEqual(['1', '1', true]);
});

test('a tree with more files than the limit has no checkpoints, also for a reader without a limit of its own', async () => {
  const options = { ...STEP, cwd };
  const createWith = (files: number) => createCheckpoint({ ...options, most: { files, bytes: 1e9 } });
  for (const name of ['a', 'b', 'c']) put(name, '1');
  const error = await createWith(2).catch((thrown: unknown) => thrown);
  expect(toErrorFact(error).message).toEndWith(
    `${cwd} contains more than 2 files, the limit for checkpoints outside a git repository ([checkpoint] max_files)`,
  );
  await createWith(3);
  expect((await timeline(cwd)).length).toBe(1);
  put('d', '1');
  const later = await openRepository(cwd).catch((thrown: unknown) => thrown);
  expect(toErrorFact(later).message).toContain(`${cwd} contains more than 3 files`);
});

test('a broken repository is none that a store stands in for', async () => {
  mkdirSync(join(cwd, '.git'));
  expect(await why()).toBe(`git finds no repository here, because ${join(cwd, '.git')} is broken`);
});

test('a store that never came to hold a step goes after a day, one with steps stays', async () => {
  const folders = ['looked-at', 'used', 'new'].map((name) => join(cwd, '..', name));
  for (const folder of folders) mkdirSync(folder);
  const [lookedAt = '', used = '', fresh = ''] = folders;
  await why(lookedAt);
  await step(() => writeFileSync(join(used, 'a'), '1'), used);
  for (const { directory } of listPrivateStores(process.env)) utimesSync(directory, 1, 1);
  await why(fresh);
  expect(
    listPrivateStores(process.env)
      .map(({ root }) => root)
      .sort(),
  ).toEqual([fresh, used].map((path) => realpathSync(path)));
});

test('where the state folder cannot be written, it says so and nothing is lost', async () => {
  writeFileSync(join(cwd, '../.local'), 'no folder');
  put('a', '1');
  expect(await why()).toStartWith(`aish cannot save checkpoints in ${state}: ENOTDIR`);
  const error = await create().catch((thrown: unknown) => thrown);
  expect([toErrorFact(error).code, get('a')]).toEqual(['checkpoint.unavailable', '1']);
});

test('a folder that becomes a repository in the step keeps the step apart', async () => {
  put('a', '1');
  await step(() => {
    execFileSync('git', ['init', '-q', cwd]);
    put('a', '2');
  });
  rmSync(join(cwd, '.git'), { recursive: true });
  await undo();
  expect(get('a')).toBe('1');
});

test('a store stays under its cap, and the newest steps can still be undone', async () => {
  const limits = { steps: 1000, bytes: 200_000 };
  const noise = (seed: number) =>
    Buffer.concat(Array.from({ length: 250 }, (_, at) => createHash('sha256').update(`${seed} ${at}`).digest()));
  put('a', 'first');
  for (let at = 0; at < STEPS; at += 1) {
    const options = {
      cwd,
      label: 'x',
      toolName: 'write',
      mode: 'ref',
      sessionId: 's1',
      at,
      limits,
    } as const;
    const checkpoint = await createCheckpoint(options);
    writeFileSync(join(cwd, 'a'), noise(at));
    await finalizeCheckpoint(checkpoint);
  }
  const repository = await openRepository(cwd);
  const objects = join(repository.commonDirectory, 'objects');
  execFileSync('find', [objects, '-type', 'f', '-exec', 'touch', '-d', '1 hour ago', '{}', '+']);
  const { after, kept } = await pruneCheckpoints(repository, { limits, live: new Set(['s1']) });
  const isUnder = [after ?? Number.POSITIVE_INFINITY, directorySize(objects)].map((bytes) => bytes <= limits.bytes);
  expect([isUnder, kept > 5, kept < 48]).toEqual([[true, true], true, true]);
  await undo();
  expect(readFileSync(join(cwd, 'a'))).toEqual(noise(STEPS - 2));
});

test('a lock that a kill left keeps no step from being kept, and goes with the next prune', async () => {
  const limits = { steps: 1, bytes: 1e9 };
  const { commonDirectory } = await openRepository(cwd);
  await step(() => put('a', '1'));
  const lock = join(commonDirectory, 'packed-refs.lock');
  writeFileSync(lock, '');
  execFileSync('touch', ['-d', '1 hour ago', lock]);
  const options = {
    cwd,
    label: 'x',
    toolName: 'write',
    mode: 'ref',
    sessionId: 's1',
    at: 1,
    limits,
  } as const;
  const checkpoint = await createCheckpoint(options);
  put('a', '2');
  await finalizeCheckpoint(checkpoint);
  expect((await timeline(cwd)).map(({ id }) => id)).toEqual(['c2', 'c1']);
  const { removed } = await pruneCheckpoints(await openRepository(cwd), { limits, live: new Set() });
  expect([removed, existsSync(lock)]).toEqual([['c1'], false]);
});

test.skipIf(Bun.which('bwrap') === null)('where the disk is full, it says so, and nothing is lost', async () => {
  put('a', 'mine');
  await create();
  writeFileSync(join(cwd, 'big'), crypto.getRandomValues(new Uint8Array(3_000_000)));
  const script = `
    const { createCheckpoint } = await import(${JSON.stringify(join(import.meta.dir, '../snapshot/checkpoint.ts'))});
    const options = { cwd: ${JSON.stringify(cwd)}, label: 'x', toolName: 'write', mode: 'ref', limits: ${JSON.stringify(USUAL_RETENTION)}, sessionId: 's1', at: 1 };
    await createCheckpoint(options).then(() => console.log('kept'), (error) => console.log(error.code, error.message));`;
  const small = ['--dev-bind', '/', '/', '--size', '400000', '--tmpfs', join(state, '../..')];
  const said = Bun.spawnSync(['bwrap', ...small, process.execPath, '-e', script], { env: process.env });
  expect(said.stdout.toString()).toMatch(/^git\.disk-full cannot read the work tree: the disk is full\n$/);
  expect([get('a'), readdirSync(cwd).sort()]).toEqual(['mine', ['a', 'big']]);
  await step(() => put('a', 'theirs'));
  await undo();
  expect(get('a')).toBe('mine');
});

test('objects that no step names are swept once they are old enough', async () => {
  put('a', 'x'.repeat(10));
  await step(() => put('a', crypto.getRandomValues(new Uint8Array(50_000)).toString()));
  await step(() => put('a', 'small'));
  const [store] = listPrivateStores(process.env);
  const objects = join(store?.directory ?? '', 'objects');
  execFileSync('find', [objects, '-type', 'f', '-exec', 'touch', '-d', '1 hour ago', '{}', '+']);
  const before = directorySize(objects);
  const repository = await openRepository(cwd);
  const pruned = await pruneCheckpoints(repository, { limits: { steps: 1, bytes: 1e9 }, live: new Set() });
  expect([pruned.removed, (await timeline(cwd)).map(({ id }) => id)]).toEqual([['c1'], ['c2']]);
  // The big file is what c2 begins with.
  await step(() => put('a', 'smaller'));
  await pruneCheckpoints(repository, { limits: { steps: 1, bytes: 1e9 }, live: new Set() });
  expect(directorySize(objects)).toBeLessThan(before / 2);
  await undo();
  expect(get('a')).toBe('small');
});
