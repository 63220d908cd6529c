import type { Stats } from 'node:fs';
import { readGit } from './git-process.ts';
import { lstatOrNull, splitRawPaths, toFullPath } from './raw-path.ts';
import type { Repository } from './repository.ts';

/** Files larger than this stay out of a picture, in bytes. */
export const LARGEST_FILE = 10_000_000;

/** Most files that git does not track which one picture takes in anew, and most bytes of them. */
export const MOST_NEW_FILES = 20_000;
const MOST_NEW_BYTES = 200_000_000;

/**
 * The new files that git does not track, where they are too many or too much for a picture; empty where they are not. All of
 * them stay out then: taking a part would have the next picture take the next part, and so on until all are kept.
 */
export async function findCrowd(repository: Repository, fresh: readonly string[]): Promise<ReadonlySet<string>> {
  if (!isTooMuch(repository.root, fresh)) return new Set();
  // What git tracks is new to our own index only; git holds most of it already.
  const listing = await readGit(
    { ...repository.place, args: ['ls-files', '-z', '--cached'] },
    'list the tracked files',
  );
  const tracked = new Set(splitRawPaths(listing));
  const untracked = fresh.filter((path) => !tracked.has(path));
  return new Set(isTooMuch(repository.root, untracked) ? untracked : []);
}

/** Why a crowd of new files keeps a change from being undone. */
export function describeCrowd(count: number, { place }: Pick<Repository, 'place'>): string {
  const files = count.toLocaleString('en-US');
  const most = `${MOST_NEW_FILES.toLocaleString('en-US')} files or ${MOST_NEW_BYTES / 1_000_000} MB`;
  if (place.env !== undefined) {
    return `no checkpoint holds the ${files} files here: it takes ${most} of them at once; name what need not be kept in .gitignore`;
  }
  return `no checkpoint holds the ${files} files here that git does not track: it takes ${most} of them; add them to .gitignore or to git`;
}

function isTooMuch(root: string, paths: readonly string[]): boolean {
  if (paths.length > MOST_NEW_FILES) return true;
  let bytes = 0;
  for (const path of paths) {
    bytes += keptBytes(lstatOrNull(toFullPath(root, path)));
    if (bytes > MOST_NEW_BYTES) return true;
  }
  return false;
}

function keptBytes(stat: Stats | null): number {
  return stat?.isFile() && stat.size <= LARGEST_FILE ? stat.size : 0;
}
