import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '../../../../test/fidelity/random.ts';
import { ADA, useGitHome, useRepository } from '../../../../test/support/git-place.ts';
import { undoStep } from '../../../../test/support/undo-step.ts';
import { createCheckpoint, finalizeCheckpoint } from '../snapshot/checkpoint.ts';
import { pruneCheckpoints } from '../snapshot/prune.ts';
import { directorySize, ownBytes, sweepOwnObjects } from './own-objects-sweep.ts';
import { openRepository } from './repository.ts';

const base = useGitHome('own-objects', ADA);
const STEPS = Number(process.env.AISH_SWEEP_STEPS ?? 25);
/** Steps of the test for the cap; the nightly run takes ten thousand. */
const CAP_STEPS = Number(process.env.AISH_STORE_STEPS ?? 48);
const SEED = Number(process.env.AISH_UNDO_SEED ?? 20_261_121);
setDefaultTimeout(STEPS > 25 || CAP_STEPS > 48 ? 3_600_000 : 120_000);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});

const gitIn = (place: string, ...args: string[]) =>
  execFileSync('git', args, { cwd: place, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
const git = (...args: string[]) => gitIn(cwd, ...args);
const put = (name: string, content: string) => writeFileSync(join(cwd, name), content);
const step = async (change: () => unknown, limits = { steps: 200, bytes: 1e9 }) => {
  const options = { cwd, label: 'x', toolName: 'write', mode: 'ref', sessionId: 's1', at: 1, limits } as const;
  const checkpoint = await createCheckpoint(options);
  await change();
  await finalizeCheckpoint(checkpoint);
};
/** A sweep as it would be in so many minutes. */
const sweep = async (minutes = 5) =>
  sweepOwnObjects(await openRepository(cwd), { above: 0, now: Date.now() + minutes * 60_000 });
const keepOne = async () =>
  pruneCheckpoints(await openRepository(cwd), { limits: { steps: 1, bytes: 1e9 }, live: new Set() });
const has = (name: string) => Bun.spawnSync(['git', 'cat-file', '-e', name], { cwd, env: process.env }).exitCode === 0;
const blobOf = (content: string) => {
  const hash = new Bun.CryptoHasher('sha1');
  return hash.update(`blob ${content.length}\0${content}`).digest('hex');
};
const fsck = () => git('fsck', '--full', '--no-dangling', '--no-progress');
const objects = () =>
  readdirSync(join(cwd, '.git/objects'), { recursive: true, encoding: 'utf8' }).filter((name) => name.length > 30);

/** A step with a middle of its own, which nothing names once the step is gone. */
async function leaveMiddle(content: string): Promise<void> {
  await step(() => put('a', content));
  await step(() => put('a', 'end'));
  await step(() => put('b', 'another'));
  await keepOne();
}

describe('what a step brought that is gone', () => {
  test('is taken away, and then removed, while all of the user stays', async () => {
    put('mine', 'mine');
    git('add', 'mine');
    git('commit', '-qm', 'first');
    const before = objects();
    await leaveMiddle('middle');
    await sweep();
    await sweep();
    const repository = await openRepository(cwd);
    expect([has(blobOf('middle')), before.every((name) => objects().includes(name)), fsck()]).toEqual([
      false,
      true,
      '',
    ]);
    expect(
      readdirSync(join(cwd, '.git/aish/objects/dropped'), { recursive: true }).filter((name) => `${name}`.length > 30),
    ).toEqual([]);
    expect(ownBytes(repository)).toBeLessThan(2000);
    await undoStep({ cwd, id: null });
    expect(existsSync(join(cwd, 'b'))).toBe(false);
  });

  test('is taken away where our names for it lie in folders, as they did before', async () => {
    await leaveMiddle('middle');
    const own = join(cwd, '.git/aish/objects/own');
    for (const name of readdirSync(own)) {
      mkdirSync(join(own, name.slice(0, 2)), { recursive: true });
      renameSync(join(own, name), join(own, name.slice(0, 2), name.slice(2)));
    }
    await sweep();
    await sweep();
    expect([has(blobOf('middle')), has(blobOf('end')), fsck()]).toEqual([false, true, '']);
    expect(readdirSync(own).every((name) => name.length === 40)).toBe(true);
  });

  test('stays for as long as it is young', async () => {
    await leaveMiddle('middle');
    await sweep(0);
    expect(has(blobOf('middle'))).toBe(true);
  });

  test('stays once somebody wanted to keep the same, though nothing names it yet', async () => {
    await leaveMiddle('middle');
    put('c', 'middle');
    git('hash-object', '-w', 'c');
    await sweep();
    await sweep();
    expect(has(blobOf('middle'))).toBe(true);
  });

  test('stays with all that it holds where somebody wanted its folder only', async () => {
    await leaveMiddle('middle');
    execFileSync('git', ['mktree'], { cwd, input: `100644 blob ${blobOf('middle')}\ta\n` });
    await sweep();
    await sweep();
    expect([has(blobOf('middle')), fsck()]).toEqual([true, '']);
  });

  test('stays where the index of a linked work tree names it, no matter who wrote that', async () => {
    git('commit', '-q', '--allow-empty', '-m', 'first');
    git('worktree', 'add', '-q', join(cwd, '../linked-for-index'));
    await leaveMiddle('middle');
    gitIn(join(cwd, '../linked-for-index'), 'update-index', '--add', '--cacheinfo', `100644,${blobOf('middle')},x`);
    await sweep();
    await sweep();
    expect(has(blobOf('middle'))).toBe(true);
  });

  test('comes back where a program names it that saw it a moment before', async () => {
    await leaveMiddle('middle');
    await sweep();
    expect(has(blobOf('middle'))).toBe(false);
    git('update-index', '--add', '--cacheinfo', `100644,${blobOf('middle')},x`);
    await sweep();
    expect([has(blobOf('middle')), git('cat-file', '-p', ':x')]).toEqual([true, 'middle']);
  });

  test('comes back where git cannot tell what is in use', async () => {
    await leaveMiddle('middle');
    await sweep();
    mkdirSync(join(cwd, '.git/refs/heads'), { recursive: true });
    put('.git/refs/heads/broken', `${'1'.repeat(40)}\n`);
    await sweep();
    expect(has(blobOf('middle'))).toBe(true);
  });

  test('stays while somebody writes the index', async () => {
    await leaveMiddle('middle');
    put('.git/index.lock', '');
    await sweep();
    expect(has(blobOf('middle'))).toBe(true);
  });

  test('is left to git once git packed it', async () => {
    put('mine', 'mine');
    git('add', 'mine');
    git('commit', '-qm', 'first');
    await step(() => put('a', 'middle'));
    await step(() => put('a', 'end'));
    await step(() => put('b', 'another'));
    git('gc', '-q', '--prune=now');
    await keepOne();
    await sweep();
    await sweep();
    expect([has(blobOf('middle')), fsck()]).toEqual([true, '']);
    git('gc', '-q', '--prune=now');
    expect([has(blobOf('middle')), fsck()]).toEqual([false, '']);
    await undoStep({ cwd, id: null });
    expect(existsSync(join(cwd, 'b'))).toBe(false);
  });
});

test('what a killed process had not brought yet is brought by the next', async () => {
  await step(() => put('a', '1'));
  const child = Bun.spawnSync(['true']);
  const rooms = join(cwd, '.git/aish/objects/fresh');
  put('c', 'theirs');
  const env = { ...process.env, GIT_OBJECT_DIRECTORY: join(rooms, String(process.pid)) };
  execFileSync('git', ['hash-object', '-w', 'c'], { cwd, env });
  renameSync(join(rooms, String(process.pid)), join(rooms, String(child.pid)));
  rmSync(join(cwd, 'c'));
  await step(() => put('a', '2'));
  expect([has(blobOf('theirs')), readdirSync(rooms)]).toEqual([true, [String(process.pid)]]);
});

test('whatever a user does between, nothing that is theirs is ever missing', async () => {
  const random = new Random(SEED);
  const contents = Array.from({ length: 6 }, (_, at) => `content ${at}\n`);
  const any = () => contents[random.below(contents.length)] ?? '';
  git('commit', '-q', '--allow-empty', '-m', 'first');
  const operations: readonly (() => unknown)[] = [
    () => put('p', any()),
    () => git('add', '-A'),
    () => git('commit', '-q', '--allow-empty', '-am', 'more'),
    () => git('commit', '-q', '--allow-empty', '--amend', '-m', 'again'),
    () => git('reset', '-q', '--soft', 'HEAD'),
    () => git('stash', 'push', '-q', '--include-untracked'),
    () => git('hash-object', '-w', '--stdin-paths'),
    () =>
      git('branch', '-f', 'rescued', git('for-each-ref', '--format=%(objectname)', '--count=1', 'refs/aish') || 'HEAD'),
    () => git('read-tree', '-m', 'HEAD'),
    () => git('gc', '-q'),
  ];
  for (let at = 0; at < STEPS; at += 1) {
    await step(() => put(['p', 'q', 'r'][random.below(3)] ?? 'p', `${any()}${random.below(4)}`), {
      steps: 3,
      bytes: 1e9,
    });
    for (let count = random.below(4); count > 0; count -= 1) operations[random.below(operations.length)]?.();
    await sweep(random.below(3));
    expect([at, fsck()]).toEqual([at, '']);
  }
});

test('what another git keeps in the very moment in which the same is taken away is there in the end', async () => {
  const script = `while read -r content; do printf %s "$content" | git hash-object -w --stdin; done`;
  const other = Bun.spawn({ cmd: ['sh', '-c', script], cwd, env: process.env, stdin: 'pipe', stdout: 'pipe' });
  const answers = other.stdout.getReader();
  const names: string[] = [];
  for (let at = 0; at < STEPS / 4; at += 1) {
    await leaveMiddle(`middle ${at}`);
    other.stdin.write(`middle ${at}\n`);
    other.stdin.flush();
    await sweep();
    await sweep();
    const { value } = await answers.read();
    names.push(new TextDecoder().decode(value).trim());
  }
  other.stdin.end();
  await other.exited;
  expect(names.map((name) => [name, has(name)])).toEqual(names.map((_, at) => [blobOf(`middle ${at}`), true]));
});

test('the objects of a repository stay under the cap, and the newest step can still be undone', async () => {
  const limits = { steps: 1000, bytes: 200_000 };
  const noise = (seed: number) =>
    Array.from({ length: 125 }, (_, at) => new Bun.CryptoHasher('sha256').update(`${seed} ${at}`).digest('hex')).join(
      '',
    );
  let most = 0;
  for (let at = 1; at <= CAP_STEPS; at += 1) {
    await step(() => put('a', noise(at)), limits);
    if (at % 16 !== 0) continue;
    await pruneCheckpoints(await openRepository(cwd), { limits, live: new Set(['s1']) });
    await sweep();
    await sweep();
    most = Math.max(most, directorySize(join(cwd, '.git/objects')));
  }
  expect([most > 0, most <= limits.bytes, fsck()]).toEqual([true, true, '']);
  await undoStep({ cwd, id: null });
  expect(readFileSync(join(cwd, 'a'), 'utf8')).toBe(noise(CAP_STEPS - 1));
});
