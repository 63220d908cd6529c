import { ObjectBatch } from '../object-store/loose-object.ts';
import { claimIndex, releaseIndex } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { isWithheld } from '../object-store/withheld.ts';
import { lstatOrNull, toFullPath } from '../process/raw-path.ts';
import type { SmallIndex } from '../small-tree/index-file.ts';
import { isSurelyNotIgnored, readSmallIndex } from '../small-tree/look.ts';
import { updateSmallTree } from '../small-tree/update.ts';
import type { Change } from './changes.ts';
import { type Access, toAccess } from './permissions.ts';
import { type HeldIndex, inspect, noteModes, type Snapshot } from './snapshot.ts';
import { findSkippedUntracked } from './snapshot-limits.ts';
import { isRecent, readModes } from './snapshot-modes.ts';
import { isFreshFile, isSameState, refusePath } from './work-file.ts';

/*
 * A step of file tools alone changes nothing but its files. So the snapshot after it is the one before with these, as long as they are plain
 * and the index is as that one left it: nobody looks at the rest of the tree, and what others change meanwhile is no part of the step.
 */

/** The snapshot after a step, on its way to the disk. To dispose of it frees the index that it holds. */
interface NewSnapshot extends AsyncDisposable {
  readonly snapshot: Snapshot;
  /** Its objects: nothing may name them before they are written. */
  readonly batch: ObjectBatch;
  /** The changes of the step. */
  readonly changes: readonly Change[];
}

/** The snapshot before a step, as its note has it. */
type KeptSnapshot = Omit<Snapshot, 'modes'> & { readonly modes: string | null };

/** The snapshot that one becomes by what a step wrote at some raw paths; null where only a look at all of the tree can tell. */
export async function takeWritten(
  repository: Repository,
  before: KeptSnapshot,
  paths: readonly string[],
): Promise<NewSnapshot | null> {
  await using stack = new AsyncDisposableStack();
  const held = { index: claimIndex(repository) };
  stack.defer(() => releaseIndex(repository, held.index, held.index.seen));
  const batch = stack.use(new ObjectBatch(repository, 'save the snapshot after the step'));
  const taken = await takeIn(repository, held, { before, paths, batch });
  if (taken === null) return null;
  const kept = stack.move();
  return { ...taken, batch, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

interface Written {
  readonly before: KeptSnapshot;
  readonly paths: readonly string[];
  readonly batch: ObjectBatch;
}

async function takeIn(repository: Repository, held: HeldIndex, { before, paths, batch }: Written) {
  const { path, modes } = held.index;
  const small = readSmallIndex(repository, path);
  if (small?.isOurs !== true || small.trees.get('') !== before.tree || modes !== before.modes) return null;
  const fresh = paths.filter((one) => !small.entries.has(one));
  if (before.skippedUntracked > 0 || paths.some((one) => before.skipped.includes(one))) return null;
  const found = inspectAll(repository, small, paths);
  const table = found === null ? null : await readModes(repository, modes);
  if (found === null || table === null || (await findSkippedUntracked(repository, fresh)).size > 0) return null;
  const seen = { ...found, dropped: [] };
  const next = noteModes(repository, held, table, { seen, isExact: true, isPart: true });
  const updated = await updateSmallTree(repository, held.index.path, small, { taken: paths, dropped: [], batch });
  if (updated === null) return null;
  const changes = paths.flatMap((one) => {
    const [old, present] = [small.entries.get(one) ?? null, updated.entries.get(one) ?? null];
    return isSameState(old, present) ? [] : [{ path: one, before: old, after: present }];
  });
  return { snapshot: { ...before, tree: updated.tree, modes: next }, changes };
}

/** Looks at the files that lie at the paths; null if a snapshot might leave one out, or take in more for it. */
function inspectAll(repository: Repository, { entries }: SmallIndex, paths: readonly string[]) {
  const { root } = repository;
  const taken = new Map<string, Access | null>();
  const recent: string[] = [];
  for (const path of paths) {
    const isPlain = !isWithheld(path, false) && !isFreshFile(path) && refusePath(root, path) === null;
    const isTaken = isPlain && (entries.has(path) || (isSurelyNotIgnored(repository, path) && hasOneName(root, path)));
    const found = isTaken ? inspect(root, path) : 'absent';
    if (typeof found === 'string' || !found.isFile() || found.nlink > 1) return null;
    taken.set(path, toAccess(found));
    if (isRecent(found)) recent.push(path);
  }
  return { taken, recent };
}

/** False for a file that has the same path in other letters as well: the tree may know it, or ignore it, by that one. */
function hasOneName(root: string, path: string): boolean {
  const other = path.replace(/[a-z]/gi, (letter) => String.fromCharCode(letter.charCodeAt(0) ^ 0x20));
  if (other === path) return true;
  const [one, same] = [path, other].map((name) => lstatOrNull(toFullPath(root, name)));
  return one == null || same == null || one.dev !== same.dev || one.ino !== same.ino;
}
