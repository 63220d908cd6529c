import { relative } from 'node:path';
import { DEFAULT_SNAPSHOT_LIMITS, type SnapshotLimits } from '../../../core/session/settings.ts';
import { lookForRepository, type Repository } from '../object-store/repository.ts';
import { readIgnored } from '../process/git-process.ts';
import { formatRawPath, lstatOrNull, toRawPath } from '../process/raw-path.ts';
import { isSurelyNotIgnored } from '../small-tree/look.ts';
import { formatIgnored, formatLeftOut, formatOutside, LARGE_FILE } from './messages.ts';
import { listSkippedUntracked } from './snapshot.ts';
import { describeSkippedUntracked, LARGEST_FILE } from './snapshot-limits.ts';
import { refusePath } from './work-file.ts';

/** Whether a write to one file could be taken back. `outside` tells why no checkpoint would hold it. */
type PathUndoable =
  | { readonly undoable: true }
  | { readonly undoable: false; readonly why: string; readonly outside: string; readonly everywhere?: true };

/** Why no checkpoint would hold something. */
interface Reason {
  readonly why: string;
  /** Nothing in this place is held by any. */
  readonly everywhere?: true;
}

interface UndoableLook {
  readonly signal?: AbortSignal | undefined;
  /** How much one snapshot takes in. */
  readonly most?: SnapshotLimits | undefined;
}

/** Tells whether a checkpoint made in `cwd` would hold the file at `path`, which is absolute and free of links. */
export async function checkPathUndoable(cwd: string, path: string, look: UndoableLook = {}): Promise<PathUndoable> {
  const found = await findReason(cwd, [path], look, (skippedUntracked, root) => {
    // A file that is kept already stays so, whatever lies beside it.
    return lstatOrNull(path) === null || skippedUntracked.has(toRawPath(relative(root, path)));
  });
  return found === null ? { undoable: true } : { undoable: false, ...found, outside: found.why };
}

/** The same for all that a call may touch: the files it names, and any others, as a checkpoint made in `cwd` would hold them. */
export async function checkPlaceUndoable(
  cwd: string,
  paths: readonly string[],
  look: UndoableLook = {},
): Promise<{ readonly undoable: true } | ({ readonly undoable: false } & Reason)> {
  const found = await findReason(cwd, paths, look, () => true);
  return found === null ? { undoable: true } : { undoable: false, ...found };
}

async function findReason(
  cwd: string,
  paths: readonly string[],
  { signal, most = DEFAULT_SNAPSHOT_LIMITS }: UndoableLook,
  isAffected: (skippedUntracked: ReadonlySet<string>, root: string) => boolean,
): Promise<Reason | null> {
  const repository = await lookForRepository(cwd, { signal, most });
  if ('why' in repository) return { why: repository.why, everywhere: true };
  for (const path of paths) {
    const why = findOwnReason(repository.root, path);
    if (why !== null) return { why };
  }
  const [ignored, skippedUntracked] = await Promise.all([
    findIgnored(repository, paths),
    listSkippedUntracked(repository),
  ]);
  if (ignored !== null && repository.place.env !== undefined) return { why: formatLeftOut(ignored) };
  if (ignored !== null) return { why: formatIgnored(paths.length === 1 ? 'this file' : ignored) };
  const hasSkipped = skippedUntracked.size > 0 && isAffected(skippedUntracked, repository.root);
  return hasSkipped ? { why: describeSkippedUntracked(skippedUntracked.size, repository) } : null;
}

function findOwnReason(root: string, path: string): string | null {
  const inside = relative(root, path);
  // A tool that looks for files names the root itself.
  if (inside === '') return null;
  if (inside === '..' || inside.startsWith('../')) return formatOutside(path, root);
  const refusal = refusePath(root, toRawPath(inside));
  if (refusal !== null) return refusal;
  const stat = lstatOrNull(path);
  const isLarge = stat?.isFile() === true && stat.size > LARGEST_FILE;
  return isLarge ? LARGE_FILE : null;
}

/** The first path that git ignores. Asked only of paths inside a work tree; elsewhere git has nothing to say. */
async function findIgnored(repository: Repository, paths: readonly string[]): Promise<string | null> {
  const open = paths.filter((path) => !isSurelyNotIgnored(repository, toRawPath(relative(repository.root, path))));
  if (open.length === 0) return null;
  const [first] = (await readIgnored(repository.place, open.map(toRawPath))).ignored;
  return first === undefined ? null : formatRawPath(first);
}
