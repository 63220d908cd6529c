import type { Stats } from 'node:fs';
import { DEFAULT_SNAPSHOT_LIMITS, parseSnapshotLimits, type SnapshotLimits } from '../../../core/session/settings.ts';
import { readOwnFile } from '../../system/own-file.ts';
import { limitsFile } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { readGit } from '../process/git-process.ts';
import { lstatOrNull, splitRawPaths, toFullPath } from '../process/raw-path.ts';
import { formatTooMany } from './messages.ts';

/** Files larger than this stay out of a snapshot, in bytes. */
export const LARGEST_FILE = 10_000_000;

/** The limits that hold for the next snapshot: those given, else those noted by the last process that was given some. */
function limitsFor(repository: Repository): SnapshotLimits {
  return repository.most ?? parseSnapshotLimits(readOwnFile(limitsFile(repository)) ?? '') ?? DEFAULT_SNAPSHOT_LIMITS;
}

/**
 * The new files that git does not track, where they are too many or too much for a snapshot; empty if they are not. All of them stay out
 * then: taking a part would have the next snapshot take the next part, and so on until all are kept.
 */
export async function findSkippedUntracked(
  repository: Repository,
  fresh: readonly string[],
): Promise<ReadonlySet<string>> {
  const most = limitsFor(repository);
  if (!isTooMuch(repository.root, fresh, most)) return new Set();
  // A tracked file is new to our own index only; git holds most of them already.
  const listing = await readGit(
    { ...repository.place, args: ['ls-files', '-z', '--cached'] },
    'list the tracked files',
  );
  const tracked = new Set(splitRawPaths(listing));
  const untracked = fresh.filter((path) => !tracked.has(path));
  return new Set(isTooMuch(repository.root, untracked, most) ? untracked : []);
}

/** Explains that too many new files keep a change from being undone. */
export function describeSkippedUntracked(count: number, repository: Repository): string {
  const files = count.toLocaleString('en-US');
  const limits = limitsFor(repository);
  const most = `${limits.files.toLocaleString('en-US')} files or ${(limits.bytes / 1_000_000).toLocaleString('en-US')} MB`;
  return formatTooMany(files, most, repository.place.env === undefined);
}

function isTooMuch(root: string, paths: readonly string[], most: SnapshotLimits): boolean {
  if (paths.length > most.files) return true;
  let bytes = 0;
  for (const path of paths) {
    bytes += keptBytes(lstatOrNull(toFullPath(root, path)));
    if (bytes > most.bytes) return true;
  }
  return false;
}

function keptBytes(stat: Stats | null): number {
  return stat?.isFile() && stat.size <= LARGEST_FILE ? stat.size : 0;
}
