import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import { readGit } from './git-process.ts';
import { type Access, type ModeTable, toAccess } from './mode-table.ts';
import { adoptLeftObjects, adoptObjects } from './own-objects.ts';
import { findCrowd, LARGEST_FILE } from './picture-limits.ts';
import { isRecent, keepModes, lookAtModes, readModes, type SeenInPicture } from './picture-modes.ts';
import {
  type ClaimedIndex,
  claimIndex,
  discardIndex,
  makeIndex,
  privateEnvironment,
  releaseIndex,
  renameIndex,
} from './private-directory.ts';
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
  /** Names the table of modes. */
  readonly modes: string;
}

/**
 * Takes a picture of the work tree; nothing but objects and our own folder in the git directory is written. What lies at the
 * paths of `also` is in it even where a pattern ignores it.
 */
export async function takePicture(repository: Repository, also: readonly string[] = []): Promise<Picture> {
  const held = { index: claimIndex(repository) };
  // What a killed process left names objects that nobody but it could see.
  adoptLeftObjects(repository);
  try {
    return await fillAndWrite(repository, held, also);
  } catch (thrown) {
    const { index } = held;
    adoptObjects(repository);
    // What was stopped left the index as whole as before, and the next picture is quick with it.
    if (repository.place.signal?.aborted && index.seen !== '') releaseIndex(repository, index, index.seen);
    discardIndex(index);
    if (index.seen === '' || repository.place.signal?.aborted) throw thrown;
  }
  // A kept index may name objects that are gone since (refs deleted, then collected): start from nothing once.
  held.index = makeIndex(repository);
  try {
    return await fillAndWrite(repository, held, also);
  } catch (thrown) {
    discardIndex(held.index);
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

/** An index that gets another name with each new table of modes. */
interface HeldIndex {
  index: ClaimedIndex;
}

async function fillAndWrite(repository: Repository, held: HeldIndex, also: readonly string[]): Promise<Picture> {
  const { index } = held;
  const seen = describeIndex(repository);
  const [table, { changed, others, forced }] = await Promise.all([
    readModes(repository, index.modes),
    findChanges(repository, index, seen),
  ]);
  if (table === null) throw new AishError('git.failed', 'the modes that go with an index of pictures are gone');
  const crowd = await findCrowd(repository, others);
  const fresh = crowd.size === 0 ? others : others.filter((path) => !crowd.has(path));
  const sorted = sortCandidates(repository.root, [...changed, ...also], [...fresh, ...forced]);
  const modes = await noteModes(repository, held, table, sorted);
  const env = privateEnvironment(repository, held.index.path);
  await updateIndex(repository, env, ['--force-remove'], sorted.dropped);
  await updateIndex(repository, env, ['--add', '--remove', '--replace'], [...sorted.taken.keys()]);
  const tree = await readGit({ ...repository.place, args: ['write-tree'], env }, 'write the checkpoint');
  adoptObjects(repository);
  // A tracked and ignored file that was left out shows up in no other list: look those up again next time.
  const lookAgain = forced.some((path) => sorted.leftOut.includes(path));
  releaseIndex(repository, held.index, lookAgain ? '0' : seen);
  return { tree: tree.toString('latin1').trim(), leftOut: sorted.leftOut, crowd: crowd.size, modes };
}

async function noteModes(repository: Repository, held: HeldIndex, table: ModeTable, seen: SeenInPicture) {
  const { index } = held;
  const next = lookAtModes(repository, table, seen, { isFirst: !existsSync(index.path) });
  const modes = next === table ? index.modes : await keepModes(repository, next);
  held.index = renameIndex(repository, index, modes);
  return modes;
}

async function findChanges(repository: Repository, index: ClaimedIndex, seen: string) {
  const { place } = repository;
  const env = privateEnvironment(repository, index.path);
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
  const taken = new Map<string, Access | null>();
  const dropped: string[] = [];
  const leftOut: string[] = [];
  const recent: string[] = [];
  const known = new Set(changed);
  for (const path of new Set([...changed, ...added])) {
    // A directory in the list is another repository inside this one: it is not ours to picture.
    if (path.endsWith('/') || isFreshFile(path)) continue;
    const found = known.has(path) && isBeyondSymlink(root, path) ? 'absent' : inspect(root, path);
    if (found === 'leave-out') leftOut.push(path);
    if (typeof found !== 'string') {
      taken.set(path, toAccess(found));
      if (isRecent(found)) recent.push(path);
    } else if (known.has(path)) dropped.push(path);
  }
  return { taken, dropped, leftOut, recent };
}

/** True where a directory of the path has become a symbolic link: the file itself is gone then. */
function isBeyondSymlink(root: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  return parents.some((_, depth) => {
    const parent = toFullPath(root, parents.slice(0, depth + 1).join('/'));
    return lstatOrNull(parent)?.isSymbolicLink() === true;
  });
}

/** What is to be taken in, or why nothing is. */
function inspect(root: string, path: string): Stats | 'leave-out' | 'absent' {
  const full = toFullPath(root, path);
  try {
    const stat = lstatOrNull(full);
    if (stat?.isSymbolicLink()) return stat;
    if (!stat?.isFile()) return 'absent';
    if (stat.size > LARGEST_FILE) return 'leave-out';
    accessSync(full, constants.R_OK);
    return stat;
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
