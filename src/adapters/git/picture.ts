import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readGit } from './git-process.ts';
import { adoptLeftObjects, adoptObjects } from './own-objects.ts';
import { findCrowd, LARGEST_FILE } from './picture-limits.ts';
import { type ClaimedIndex, claimIndex, discardIndex, privateEnvironment, releaseIndex } from './private-directory.ts';
import { joinRawPaths, lstatOrNull, splitRawPaths, toFullPath } from './raw-path.ts';
import type { Repository } from './repository.ts';
import { isFreshFile } from './work-file.ts';

/** The work tree as a git tree, byte for byte. */
export interface Picture {
  readonly tree: string;
  /** Raw paths of files that are not in it: too large, or not readable. */
  readonly leftOut: readonly string[];
  /** Number of new files that are not in it because they were too many or too much. */
  readonly crowd: number;
}

/**
 * Takes a picture of the work tree; nothing but objects and our own folder in the git directory is written. What lies at the
 * paths of `also` is in it even where a pattern ignores it.
 */
export async function takePicture(repository: Repository, also: readonly string[] = []): Promise<Picture> {
  const index = claimIndex(repository);
  // What a killed process left names objects that nobody but it could see.
  adoptLeftObjects(repository);
  try {
    return await fillAndWrite(repository, index, also);
  } catch (thrown) {
    adoptObjects(repository);
    // What was stopped left the index as whole as before, and the next picture is quick with it.
    if (repository.place.signal?.aborted) releaseIndex(repository, index, index.seen);
    discardIndex(index);
    if (index.seen === '' || repository.place.signal?.aborted) throw thrown;
  }
  // A kept index may name objects that are gone since (refs deleted, then collected): start from nothing once.
  const fresh = { path: `${index.path}-0`, seen: '' };
  try {
    return await fillAndWrite(repository, fresh, also);
  } catch (thrown) {
    discardIndex(fresh);
    throw thrown;
  }
}

/** The new files that are too many or too much for a picture; empty where the next one would take all in. */
export async function lookForCrowd(repository: Repository): Promise<ReadonlySet<string>> {
  const index = claimIndex(repository);
  try {
    const others = splitRawPaths(await listOthers(repository, privateEnvironment(repository, index.path)));
    return await findCrowd(repository, others);
  } finally {
    releaseIndex(repository, index, index.seen);
  }
}

type Environment = Readonly<Record<string, string>>;

async function fillAndWrite(repository: Repository, index: ClaimedIndex, also: readonly string[]): Promise<Picture> {
  const env = privateEnvironment(repository, index.path);
  const seen = describeIndex(repository);
  const { changed, others, forced } = await findChanges(repository, index, seen, env);
  const crowd = await findCrowd(repository, others);
  const fresh = crowd.size === 0 ? others : others.filter((path) => !crowd.has(path));
  const sorted = sortCandidates(repository.root, [...changed, ...also], [...fresh, ...forced]);
  await updateIndex(repository, env, ['--force-remove'], sorted.drop);
  await updateIndex(repository, env, ['--add', '--remove', '--replace'], sorted.take);
  const tree = await readGit({ ...repository.place, args: ['write-tree'], env }, 'write the checkpoint');
  adoptObjects(repository);
  // A tracked and ignored file that was left out shows up in no other list: look those up again next time.
  const lookAgain = forced.some((path) => sorted.leftOut.includes(path));
  releaseIndex(repository, index, lookAgain ? '0' : seen);
  return { tree: tree.toString('latin1').trim(), leftOut: sorted.leftOut, crowd: crowd.size };
}

async function findChanges(repository: Repository, index: ClaimedIndex, seen: string, env: Environment) {
  const { place } = repository;
  const [changed, others, forced] = await Promise.all([
    readGit(
      { ...place, env, args: ['diff-files', '-z', '--name-only', '--ignore-submodules=all'] },
      'compare the work tree',
    ),
    listOthers(repository, env),
    // Files git tracks although a pattern ignores them; they can only change together with the person's index.
    index.seen === seen ? Buffer.alloc(0) : readGit({ ...place, args: LIST_FORCED }, 'list the tracked files'),
  ]);
  return { changed: splitRawPaths(changed), others: splitRawPaths(others), forced: splitRawPaths(forced) };
}

const LIST_FORCED = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'];

async function listOthers(repository: Repository, env: Environment): Promise<Buffer> {
  const { settings, files } = excludeArguments(repository);
  const args = [...settings, 'ls-files', '-z', '--others', '--exclude-standard', ...files];
  return readGit({ ...repository.place, env, args }, 'list the work tree');
}

/** The person's own ignore files: named by setting, and the one in the repository's git directory. */
function excludeArguments({ commonDirectory, excludesFile }: Repository) {
  const own = join(commonDirectory, 'info', 'exclude');
  return {
    settings: excludesFile === null ? [] : ['-c', `core.excludesFile=${excludesFile}`],
    files: existsSync(own) ? [`--exclude-from=${own}`] : [],
  };
}

function sortCandidates(root: string, changed: readonly string[], added: readonly string[]) {
  const take: string[] = [];
  const drop: string[] = [];
  const leftOut: string[] = [];
  const known = new Set(changed);
  for (const path of new Set([...changed, ...added])) {
    // A directory in the list is another repository inside this one: it is not ours to picture.
    if (path.endsWith('/') || isFreshFile(path)) continue;
    const kind = known.has(path) && isBeyondSymlink(root, path) ? 'absent' : inspect(root, path);
    if (kind === 'take') take.push(path);
    else if (known.has(path)) drop.push(path);
    if (kind === 'leave-out') leftOut.push(path);
  }
  return { take, drop, leftOut };
}

/** True where a directory of the path has become a symbolic link: the file itself is gone then. */
function isBeyondSymlink(root: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  return parents.some((_, depth) => {
    const parent = toFullPath(root, parents.slice(0, depth + 1).join('/'));
    return lstatOrNull(parent)?.isSymbolicLink() === true;
  });
}

function inspect(root: string, path: string): 'take' | 'leave-out' | 'absent' {
  const full = toFullPath(root, path);
  try {
    const stat = lstatOrNull(full);
    if (stat?.isSymbolicLink()) return 'take';
    if (!stat?.isFile()) return 'absent';
    if (stat.size > LARGEST_FILE) return 'leave-out';
    accessSync(full, constants.R_OK);
    return 'take';
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : '';
    return code === 'EACCES' || code === 'EPERM' ? 'leave-out' : 'absent';
  }
}

async function updateIndex(
  repository: Repository,
  env: Environment,
  flags: readonly string[],
  paths: readonly string[],
): Promise<void> {
  if (paths.length === 0) return;
  const args = ['update-index', ...flags, '-z', '--stdin'];
  await readGit({ ...repository.place, env, args, input: joinRawPaths(paths) }, 'read the work tree');
}

/** A short text that changes whenever the person's index does. */
function describeIndex(repository: Repository): string {
  const stat = statSync(join(repository.gitDirectory, 'index'), { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '1' : `${stat.mtimeNs}x${stat.size}x${stat.ino}`;
}
