import { liesInSecretFolder, mayHoldSecret } from '../../../core/commands/protected-files.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { formatRawPath, isForbiddenByGit } from '../process/raw-path.ts';
import type { Repository } from './repository.ts';
import { readWithheldList } from './withheld-store.ts';

/*
 * Everybody who reads the repository, or whom it is pushed to, reads its objects. So files that may hold a secret are withheld from the
 * trees of
 * snapshots, tracked or not, and so is what no tree can hold. A snapshot keeps them in a list of its own, in a folder outside of the
 * repository
 * that is open to its owner alone; in the repository there is only the name of the list, which reveals nothing of what is in it.
 */

/** What a snapshot holds: a tree of git, and a list of the files withheld from it. */
export interface SnapshotContent {
  readonly tree: string;
  /** Names the list; empty where nothing is withheld, null for a snapshot from before there were lists. */
  readonly withheld: string | null;
}

/** True where both hold the same. */
export function isSameContent(one: SnapshotContent, other: SnapshotContent): boolean {
  return one.tree === other.tree && one.withheld === other.withheld;
}

/** True for a raw path that is kept in no tree of a snapshot. */
export function isWithheld(path: string, isLink: boolean): boolean {
  const name = formatRawPath(path.slice(path.lastIndexOf('/') + 1)).toLowerCase();
  return mayHoldSecret(name) || liesInSecretFolder(path) || isForbiddenByGit(path, isLink);
}

/** True for a version of a path that is kept in no tree of a snapshot. */
export function isVersionWithheld(path: string, { mode }: FileVersion): boolean {
  return isWithheld(path, mode === '120000');
}

/** The files withheld from a snapshot, by raw path; null where nobody knows them any more. */
export function readWithheld(
  { withheldFolder }: Repository,
  { withheld }: Pick<SnapshotContent, 'withheld'>,
): ReadonlyMap<string, FileVersion> | null {
  return withheld === null ? null : readWithheldList(withheldFolder, withheld);
}
