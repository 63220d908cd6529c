import { accessSync, constants, existsSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { errorCode } from '../../../protocol/error.ts';
import { ensureFile, readOwnFile } from '../../system/own-file.ts';
import { ObjectBatch, readLooseObject } from '../object-store/loose-object.ts';
import { adoptLeftObjects, adoptObjects } from '../object-store/own-objects.ts';
import {
  type ClaimedIndex,
  claimIndex,
  discardIndex,
  findLastIndex,
  lookListFile,
  makeIndex,
  privateEnvironment,
  releaseIndex,
  renameIndex,
} from '../object-store/private-directory.ts';
import { escapePattern } from '../object-store/private-store.ts';
import type { Repository } from '../object-store/repository.ts';
import {
  isWithheld,
  keepWithheldContent,
  keepWithheldList,
  NO_LIST,
  readWithheldList,
  type SnapshotContent,
} from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { gitStopped } from '../process/messages.ts';
import { joinRawPaths, lstatOrNull, splitRawPaths, toFullPath } from '../process/raw-path.ts';
import type { SmallIndex } from '../small-tree/index-file.ts';
import { listOthersOfSmallTree, lookAtSmallTree } from '../small-tree/look.ts';
import { type IndexChanges, updateSmallTree } from '../small-tree/update.ts';
import { permissionsGone } from './messages.ts';
import { type Access, type ModeTable, toAccess } from './permissions.ts';
import { findSkippedUntracked, LARGEST_FILE } from './snapshot-limits.ts';
import { isRecent, keepModes, lookAtModes, readModes, type SeenInSnapshot } from './snapshot-modes.ts';
import { isFreshFile, readFile } from './work-file.ts';

/** The work tree byte for byte: a git tree, and the list of the files withheld from it. */
export interface Snapshot extends SnapshotContent {
  /** Raw paths of files that are not in it: too large, or not readable. */
  readonly skipped: readonly string[];
  /** Number of new files that are not in it because they were too many or too much. */
  readonly skippedUntracked: number;
  /** Names the table of modes. */
  readonly modes: string;
}

/**
 * Takes a snapshot of the work tree; nothing but objects and our own folder in the git directory is written. The files at the paths of
 * `also` are in it even if a pattern ignores them.
 */
export async function takeSnapshot(repository: Repository, also: readonly string[] = []): Promise<Snapshot> {
  const held = { index: claimIndex(repository) };
  // The index that a killed process left names objects that nobody but it could see.
  adoptLeftObjects(repository);
  try {
    return await fillAndWrite(repository, held, also);
  } catch (thrown) {
    const { index } = held;
    adoptObjects(repository);
    // A stopped snapshot left the index as whole as before, and the next snapshot is quick with it.
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

/** The new files that are too many or too much for a snapshot; empty if the next one would take all in. */
export async function listSkippedUntracked(repository: Repository): Promise<ReadonlySet<string>> {
  const last = findLastIndex(repository);
  const others = (last === null ? null : listOthersOfSmallTree(repository, last)) ?? (await askForOthers(repository));
  const known = readLastWithheld(repository);
  const news = others.filter((path) => known?.has(path) !== true);
  return findSkippedUntracked(repository, news);
}

async function askForOthers(repository: Repository): Promise<readonly string[]> {
  const index = claimIndex(repository);
  try {
    return await listOthers(repository, index);
  } finally {
    releaseIndex(repository, index, index.seen);
  }
}

type Environment = Readonly<Record<string, string>>;

/** An index that gets another name with each new table of modes. */
export interface HeldIndex {
  index: ClaimedIndex;
}

async function fillAndWrite(repository: Repository, held: HeldIndex, also: readonly string[]): Promise<Snapshot> {
  const { index } = held;
  const seen = describeFile(join(repository.gitDirectory, 'index'));
  const kept = readLastWithheld(repository);
  const [table, { changed, others, forced, small }] = await Promise.all([
    readModes(repository, index.modes),
    findChanges(repository, kept === null ? { ...index, seen: '' } : index, seen),
  ]);
  if (table === null) throw permissionsGone();
  const news = others.filter((path) => kept?.has(path) !== true);
  const skippedUntracked = await findSkippedUntracked(repository, news);
  const fresh = skippedUntracked.size === 0 ? news : news.filter((path) => !skippedUntracked.has(path));
  const sorted = sortCandidates(repository.root, {
    changed: [...changed, ...also],
    kept: [...(kept?.keys() ?? [])],
    added: [...fresh, ...forced],
  });
  const { withheld, unreadable } = withhold(repository, sorted.withheld.keys());
  const skipped = [...sorted.skipped, ...unreadable];
  const taken = new Map([...sorted.taken, ...sorted.withheld]);
  const seenNow = { taken, dropped: sorted.gone, recent: sorted.recent };
  const modes = noteModes(repository, held, table, { seen: seenNow, isExact: small !== null });
  const changes = { taken: [...sorted.taken.keys()], dropped: sorted.dropped };
  const tree = await takeIn(repository, held.index, small, changes);
  // A tracked and ignored file that was left out shows up in no other list: look those up again next time.
  const lookAgain = forced.some((path) => skipped.includes(path));
  releaseIndex(repository, held.index, lookAgain ? '0' : seen);
  return { tree, withheld, skipped, skippedUntracked: skippedUntracked.size, modes };
}

/** Notes the modes of what a snapshot came upon, and tells the name of their table. */
export function noteModes(
  repository: Repository,
  held: HeldIndex,
  table: ModeTable,
  { seen, ...how }: { readonly seen: SeenInSnapshot; readonly isExact: boolean; readonly isPart?: boolean },
): string {
  const { index } = held;
  const next = lookAtModes(repository, table, seen, { isFirst: !existsSync(index.path), ...how });
  const modes = next === table ? index.modes : keepModes(repository, next);
  held.index = renameIndex(repository, index, modes);
  return modes;
}

async function takeIn(
  repository: Repository,
  index: ClaimedIndex,
  small: SmallIndex | null,
  changes: IndexChanges,
): Promise<string> {
  if (repository.place.signal?.aborted) throw gitStopped();
  await using batch = new ObjectBatch(repository, 'read the work tree');
  const quick = small === null ? null : await updateSmallTree(repository, index.path, small, { ...changes, batch });
  if (quick !== null) {
    await batch.write();
    return quick.tree;
  }
  const env = privateEnvironment(repository, index.path);
  await updateIndex(repository, env, ['--force-remove'], changes.dropped);
  await updateIndex(repository, env, ['--add', '--remove', '--replace'], changes.taken);
  const tree = await writeTree(repository, index, env);
  adoptObjects(repository);
  return tree;
}

async function findChanges(repository: Repository, index: ClaimedIndex, seen: string) {
  const { place } = repository;
  if (place.signal?.aborted) throw gitStopped();
  const small = lookAtSmallTree(repository, index.path);
  const [changed, others, forced] = await Promise.all([
    small?.changed ?? listChangedFiles(repository, index),
    small?.others ?? listOthers(repository, index),
    // Files git tracks although a pattern ignores them; they can only change together with the user's index.
    index.seen === seen ? [] : readGit({ ...place, args: LIST_FORCED }, 'list the tracked files').then(splitRawPaths),
  ]);
  return { changed, others, forced, small: small?.index ?? null };
}

async function listChangedFiles(repository: Repository, { path }: ClaimedIndex): Promise<readonly string[]> {
  const args = ['diff-files', '-z', '--name-only', '--ignore-submodules=all'];
  const call = { ...repository.place, env: privateEnvironment(repository, path), args };
  return splitRawPaths(await readGit(call, 'compare the work tree'));
}

const LIST_FORCED = ['ls-files', '-z', '--cached', '--ignored', '--exclude-standard'];

async function listOthers(repository: Repository, { path }: ClaimedIndex): Promise<readonly string[]> {
  const { settings, files } = excludeArguments(repository);
  const args = [...settings, 'ls-files', '-z', '--others', '--exclude-standard', ...files];
  const call = { ...repository.place, env: privateEnvironment(repository, path), args };
  return splitRawPaths(await readGit(call, 'list the work tree'));
}

/**
 * Arguments for the paths ignored beside the ignore files of the tree: by a setting of the user, by the repository's git directory, and
 * aish's own files.
 */
function excludeArguments({ root, commonDirectory, excludesFile, stateFolder }: Repository) {
  const own = join(commonDirectory, 'info', 'exclude');
  const isInside = stateFolder.startsWith(`${root}/`);
  return {
    settings: excludesFile === null ? [] : ['-c', `core.excludesFile=${excludesFile}`],
    files: [
      ...(existsSync(own) ? [`--exclude-from=${own}`] : []),
      // If the home directory is a repository, the files that aish keeps there would be kept in themselves.
      ...(isInside ? [`--exclude=${escapePattern(stateFolder.slice(root.length))}/`] : []),
    ],
  };
}

interface Candidates {
  /** Changed against the index, or to be taken in whatever ignores them. */
  readonly changed: readonly string[];
  /** The files withheld from the last snapshot. */
  readonly kept: readonly string[];
  readonly added: readonly string[];
}

function sortCandidates(root: string, { changed, kept, added }: Candidates) {
  const taken = new Map<string, Access | null>();
  const withheld = new Map<string, Access | null>();
  const gone: string[] = [];
  const skipped: string[] = [];
  const recent: string[] = [];
  const known = new Set([...changed, ...kept]);
  for (const path of new Set([...known, ...added])) {
    // A directory in the list is another repository inside this one: it is not ours to snapshot.
    if (path.endsWith('/') || isFreshFile(path)) continue;
    const found = known.has(path) && isBeyondSymlink(root, path) ? 'absent' : inspect(root, path);
    if (found === 'leave-out') skipped.push(path);
    if (typeof found !== 'string') {
      (isWithheld(path, found.isSymbolicLink()) ? withheld : taken).set(path, toAccess(found));
      if (isRecent(found)) recent.push(path);
    } else if (known.has(path)) gone.push(path);
  }
  const dropped = changed.filter((path) => !path.endsWith('/') && !isFreshFile(path) && !taken.has(path));
  return { taken, withheld, dropped, gone, skipped, recent };
}

/** True if a directory of the path has become a symbolic link: the file itself is gone then. */
function isBeyondSymlink(root: string, path: string): boolean {
  const parents = path.split('/').slice(0, -1);
  return parents.some((_, depth) => {
    const parent = toFullPath(root, parents.slice(0, depth + 1).join('/'));
    return lstatOrNull(parent)?.isSymbolicLink() === true;
  });
}

/** The status of a file to take in, or why nothing is taken in. */
export function inspect(root: string, path: string): Stats | 'leave-out' | 'absent' {
  const full = toFullPath(root, path);
  try {
    const stat = lstatOrNull(full);
    if (stat?.isSymbolicLink()) return stat;
    if (!stat?.isFile()) return 'absent';
    if (stat.size > LARGEST_FILE) return 'leave-out';
    accessSync(full, constants.R_OK);
    return stat;
  } catch (thrown) {
    const code = errorCode(thrown);
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

/** Remembers the tree that the last index of each git directory made: an index that is still the same file makes the same again. */
class LastTrees {
  static readonly #MOST = 32;
  readonly #kept = new Map<string, { readonly index: string; readonly tree: string }>();

  find(gitDirectory: string, index: ClaimedIndex): string | null {
    const last = this.#kept.get(gitDirectory);
    return last?.index === describeFile(index.path) ? last.tree : null;
  }

  note(gitDirectory: string, index: ClaimedIndex, tree: string): void {
    this.#kept.delete(gitDirectory);
    this.#kept.set(gitDirectory, { index: describeFile(index.path), tree });
    const [oldest = ''] = this.#kept.keys();
    if (this.#kept.size > LastTrees.#MOST) this.#kept.delete(oldest);
  }
}

const LAST_TREES = new LastTrees();

async function writeTree(repository: Repository, index: ClaimedIndex, env: Environment): Promise<string> {
  const last = LAST_TREES.find(repository.gitDirectory, index);
  // As git does: a tree that is gone is made anew.
  if (last !== null && readLooseObject(repository, 'tree', last) !== null) return last;
  const written = await readGit({ ...repository.place, args: ['write-tree'], env }, 'write the checkpoint');
  const tree = written.toString('latin1').trim();
  LAST_TREES.note(repository.gitDirectory, index, tree);
  return tree;
}

/** The same for any index; git replaces the file with each change. */
function describeFile(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? '1' : `${stat.mtimeNs}x${stat.size}x${stat.ino}`;
}

/** The files that the last snapshot of the work tree withheld, to be looked at each time; null if nobody knows them any more. */
function readLastWithheld(repository: Repository): ReadonlyMap<string, FileVersion> | null {
  return readWithheldList(repository.withheldFolder, readOwnFile(lookListFile(repository, 'withheld')) ?? '');
}

/** Keeps files outside of the repository, and names their list. */
function withhold(
  repository: Repository,
  paths: Iterable<string>,
): { readonly withheld: string; readonly unreadable: readonly string[] } {
  const { withheldFolder, commonDirectory } = repository;
  const files = new Map<string, FileVersion>();
  const unreadable: string[] = [];
  for (const path of paths) {
    const file = readFile(repository, path);
    if (file === 'other') unreadable.push(path);
    if (file === null || file === 'other') continue;
    keepWithheldContent(withheldFolder, file.version.blob, file.content);
    files.set(path, file.version);
  }
  const last = lookListFile(repository, 'withheld');
  // The first snapshot lets the repository name its store, even if nothing is withheld.
  if (files.size === 0 && readOwnFile(last) === NO_LIST) return { withheld: NO_LIST, unreadable };
  const withheld = keepWithheldList(withheldFolder, commonDirectory, files);
  ensureFile(last, withheld);
  return { withheld, unreadable };
}
