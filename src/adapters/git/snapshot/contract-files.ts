import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import type { FileVersion } from '../../../protocol/checkpoint.ts';
import type { PinnedFile } from '../../../protocol/contract.ts';
import { openRepository } from '../object-store/repository.ts';
import { readGit } from '../process/git-process.ts';
import { formatRawPath, splitRawPaths } from '../process/raw-path.ts';
import { readChanges } from './changes.ts';
import { readRecords } from './checkpoint-record.ts';
import { takeSnapshot } from './snapshot.ts';
import { isSameState } from './work-file.ts';

/** The files of a project that git does not ignore, relative to it. Throws `AishError` if no snapshot is possible here. */
export async function readProject(project: string, signal: AbortSignal): Promise<readonly string[]> {
  const { place } = await openRepository(project, { signal });
  const args = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = await readGit({ ...place, cwd: project, args }, 'list the files of the project');
  return [...new Set(splitRawPaths(listed).map(formatRawPath))];
}

/** The files at these paths, relative to the project, with a hash of each; a link counts as its target's content. */
export function readPinned(project: string, paths: readonly string[]): readonly PinnedFile[] {
  return paths.map((path) => ({ path, sha256: attempt(() => hashFile(join(project, path)), null) }));
}

/** Null for anything but a file: reading a pipe or a device that a link leads to may never end. */
function hashFile(path: string): string | null {
  if (!statSync(path).isFile() || realpathSync(path).startsWith('/proc/')) return null;
  return new Bun.CryptoHasher('sha256').update(readFileSync(path)).digest('hex');
}

/** A hash of the project's files, as far as a snapshot holds them. */
export async function hashProject(project: string, signal: AbortSignal): Promise<string> {
  return (await takeSnapshot(await openRepository(project, { signal }))).tree;
}

/** A file that some steps together changed, relative to the work tree. */
export interface NetChange {
  readonly path: string;
  readonly kind: 'added' | 'changed' | 'removed';
}

/** The changes that some steps of a work tree made together: a file that is as it was before them has none. Paths are sorted. */
export async function readNetChanges(cwd: string, ids: readonly string[]): Promise<readonly NetChange[]> {
  if (ids.length === 0) return [];
  const repository = await openRepository(cwd);
  const wanted = new Set(ids);
  const net = new Map<string, { before: FileVersion | null; after: FileVersion | null }>();
  // The newest record comes first.
  const records = (await readRecords(repository)).toReversed();
  for (const [at, { id, before, after }] of records.entries()) {
    if (!wanted.has(id)) continue;
    // A step that was cut short changed at most what differs at the next one.
    const end = after ?? records[at + 1]?.before ?? (await takeSnapshot(repository));
    for (const change of await readChanges(repository, before, end)) {
      const known = net.get(change.path);
      net.set(change.path, { before: known === undefined ? change.before : known.before, after: change.after });
    }
  }
  const changed = [...net].filter(([, { before, after }]) => !isSameState(before, after));
  return changed
    .map(([path, { before, after }]) => ({ path: formatRawPath(path), kind: kindOf(before, after) }))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

function kindOf(before: FileVersion | null, after: FileVersion | null): NetChange['kind'] {
  return before === null ? 'added' : after === null ? 'removed' : 'changed';
}
