import { describe, expect, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { ADA, useGitHome, useRepository, workIn } from '../../../../test/support/git-place.ts';
import { SEED } from '../../../../test/support/seed.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { privateEnvironment } from '../object-store/private-directory.ts';
import { openRepository, type Repository } from '../object-store/repository.ts';
import { foldersAbove, joinRawPaths, splitRawPaths, toFullPath } from '../process/raw-path.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { parseIndex } from './index-file.ts';
import { lookAtSmallTree } from './look.ts';

const base = useGitHome('small-tree', ADA);
let cwd = '';
useRepository(base, (made) => {
  cwd = made;
});
const { git, put, commit } = workIn(() => cwd);

type Random = (below: number) => number;

/** Numbers that look random and are the same in each run. */
function openRandom(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

const FOLDERS = ['', 'd/', 'd/e/', 'd-/', 'node_modules/', 'x y/', 'd/e/f/', 'l/'];
const NAMES = ['a', 'b.log', 'd', 'e', '-n', '#h', 'new\nline', '"q"', 'c.txt', '\xff\xfe', 'l', 'keep.log', '!x'];
const RULES = ['*.log', '!keep.log', 'node_modules/', '/d/e', '*', '!*/', 'd/**/c.txt', '[a-c].*', 'x y'];
const TEXTS = ['1', '2', '', 'long '.repeat(2000), 'two\nlines\n'];

/** Changes a tree as somebody does who does not care what was there. */
function changeTree(random: Random): unknown {
  const pick = <T>(all: readonly T[]): T => all[random(all.length)] as T;
  const path = `${pick(FOLDERS)}${pick(NAMES)}`;
  const full = toFullPath(cwd, path);
  if (random(3) > 0) {
    makeRoom(path);
    return writeFileSync(full, pick(TEXTS));
  }
  const isFile = statOf(full)?.isFile() === true;
  switch (random(8)) {
    case 0:
      return makeRoom(path);
    case 1:
      return isFile ? chmodSync(full, pick([0o644, 0o755, 0o600])) : undefined;
    case 2:
      makeRoom(path);
      return symlinkSync(pick(['a', '.', 'nowhere']), full);
    case 3:
      makeRoom(`${path}/a`);
      return writeFileSync(toFullPath(cwd, `${path}/a`), pick(TEXTS));
    case 4:
      return isFile ? utimesSync(full, 1_600_000_000, 1_600_000_000) : undefined;
    case 5: {
      const name = pick(['.gitignore', 'd/.gitignore']);
      makeRoom(name);
      return writeFileSync(join(cwd, name), `${pick(RULES)}\n${pick(RULES)}\n`);
    }
    case 6:
      return writeFileSync(join(cwd, '.git/info/exclude'), `${pick(RULES)}\n`);
    default:
      makeRoom(path);
      return statOf(toFullPath(cwd, 'a'))?.isFile() ? renameSync(join(cwd, 'a'), full) : undefined;
  }
}

/** Makes the folders above a raw path, and removes what stands in their place or in that of the path. */
function makeRoom(path: string): void {
  for (const above of foldersAbove(path)) {
    const place = toFullPath(cwd, above.slice(0, -1));
    if (statOf(place)?.isDirectory() === false) rmSync(place);
    mkdirSync(place, { recursive: true });
  }
  const place = toFullPath(cwd, path);
  const there = statOf(place);
  if (there?.isDirectory() === true) execFileSync('xargs', ['-0', 'rm', '-rf', '--'], { input: place });
  else if (there !== undefined) rmSync(place);
}

function statOf(full: Buffer) {
  return attempt(() => lstatSync(full, { throwIfNoEntry: false }), undefined);
}

function askGit(repository: Repository, index: string, args: readonly string[], input?: Buffer): Buffer {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, ...privateEnvironment(repository, index) };
  return execFileSync('git', args, {
    cwd,
    env,
    ...(input === undefined ? {} : { input }),
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

/** The index of the last snapshot; null before the first one. */
function lastIndex(): string | null {
  const pool = join(cwd, '.git/aish/index');
  const [name] = existsSync(pool) ? readdirSync(pool).filter((one) => one.startsWith('free')) : [];
  return name === undefined ? null : join(pool, name);
}

const excludes = () => ['ls-files', '-z', '--others', '--exclude-standard', `--exclude-from=${cwd}/.git/info/exclude`];

/** The tree that git makes from nothing of the files that a snapshot has to hold: those of the last one, and what is new. */
function buildTree(repository: Repository, known: readonly string[]): string {
  const copy = join(cwd, '.git/copy');
  const last = lastIndex();
  if (last !== null) copyFileSync(last, copy);
  const others = splitRawPaths(askGit(repository, copy, excludes())).filter((path) => !path.endsWith('/'));
  const isReal = (path: string) =>
    foldersAbove(path).every((folder) => statOf(toFullPath(cwd, folder.slice(0, -1)))?.isDirectory()) &&
    statOf(toFullPath(cwd, path))?.isDirectory() === false;
  rmSync(copy, { force: true });
  const all = joinRawPaths([...known.filter(isReal), ...others]);
  askGit(repository, copy, ['update-index', '--add', '--replace', '-z', '--stdin'], all);
  const tree = askGit(repository, copy, ['write-tree']).toString().trim();
  rmSync(copy);
  return tree;
}

function listTree(repository: Repository, tree: string): readonly string[] {
  return splitRawPaths(askGit(repository, 'none', ['ls-tree', '-r', '-z', '--name-only', tree]));
}

for (const format of ['sha1', 'sha256']) {
  describe(`in a repository of ${format}`, () => {
    for (const round of [1, 2]) {
      test(`random changes are seen as git sees them, ${round}`, async () => {
        rmSync(join(cwd, '.git'), { recursive: true });
        git('init', '-q', `--object-format=${format}`);
        const random = openRandom(SEED + round + (format === 'sha1' ? 0 : 100));
        let known: readonly string[] = [];
        const counts = { here: 0, git: 0 };
        for (let number = 0; number < 40; number += 1) {
          for (let change = random(4); change >= 0; change -= 1) changeTree(random);
          const repository = await openRepository(cwd);
          const expected = buildTree(repository, known);
          const last = lastIndex();
          const look = last === null ? null : lookAtSmallTree(repository, last);
          counts[look === null ? 'git' : 'here'] += 1;
          const { tree, skipped } = await takeSnapshot(repository);
          expect({ number, tree, skipped }).toEqual({ number, tree: expected, skipped: [] });
          known = listTree(repository, tree);
          const index = lastIndex() ?? '';
          expect(splitRawPaths(askGit(repository, index, ['ls-files', '-z']))).toEqual(known);
          expect(askGit(repository, index, ['write-tree']).toString().trim()).toBe(tree);
        }
        expect(counts.here).toBeGreaterThan(10);
        expect(git('fsck', '--strict', '--no-dangling')).toBe('');
      });
    }
  });
}

test('a change of the same size in the same moment as a snapshot is seen', async () => {
  put('a', '0');
  commit();
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  const seen = new Set<string>();
  for (let number = 10; number < 60; number += 1) {
    put('a', `${number}`);
    seen.add((await takeSnapshot(repository)).tree);
  }
  expect(seen.size).toBe(50);
});

test('an index that git wrote becomes one of ours, however many files changed in its second', async () => {
  for (let number = 0; number < 80; number += 1) put(`d${number % 4}/${number}`, `${number}`);
  commit();
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  put('d1/1', 'changed');
  const { tree } = await takeSnapshot(repository);
  expect(parseIndex(readFileSync(lastIndex() ?? ''), 'sha1', 100)?.isOurs).toBe(true);
  expect(git('cat-file', 'blob', `${tree}:d1/1`)).toBe('changed');
});

test('a file that becomes empty in the same moment is seen', async () => {
  put('b', 'b');
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  for (let number = 0; number < 20; number += 1) {
    put('a', 'text');
    const { tree } = await takeSnapshot(repository);
    put('a', '');
    expect((await takeSnapshot(repository)).tree).not.toBe(tree);
  }
});

test('what is not plain is left to git', async () => {
  put('a', '1');
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  const isLeft = () => lookAtSmallTree(repository, lastIndex() ?? '') === null;
  expect(isLeft()).toBe(false);
  mkdirSync(join(cwd, 'sub/.git'), { recursive: true });
  expect(isLeft()).toBe(true);
  rmSync(join(cwd, 'sub'), { recursive: true });
  symlinkSync('a', join(cwd, '.gitignore'));
  expect(isLeft()).toBe(true);
  rmSync(join(cwd, '.gitignore'));
  put('.gitignore', '[[:alpha:]]\n');
  expect(isLeft()).toBe(true);
  rmSync(join(cwd, '.gitignore'));
  expect(isLeft()).toBe(false);
  const index = lastIndex() ?? '';
  writeFileSync(index, 'DIRC');
  expect(isLeft()).toBe(true);
});

test('an index that names objects which are gone is not gone by', async () => {
  for (const name of ['a', 'd/b', 'd/c']) put(name, name);
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  put('d/c', 'changed');
  await takeSnapshot(repository);
  git('prune', '--expire=now');
  put('d/c', 'again');
  const { tree } = await takeSnapshot(await openRepository(cwd));
  expect(git('ls-tree', '-r', '--name-only', tree)).toBe('a\nd/b\nd/c\n');
  expect(git('cat-file', 'blob', `${tree}:d/b`)).toBe('d/b');
});

test('packed objects are there', async () => {
  for (const name of ['a', 'd/b']) put(name, name);
  commit();
  git('gc', '-q');
  const repository = await openRepository(cwd);
  await takeSnapshot(repository);
  put('d/c', 'new');
  const { tree } = await takeSnapshot(repository);
  expect(git('ls-tree', '-r', '--name-only', tree)).toBe('a\nd/b\nd/c\n');
});
