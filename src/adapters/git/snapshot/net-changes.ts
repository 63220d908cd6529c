import type { FileVersion } from '../../../protocol/checkpoint.ts';
import { openRepository } from '../object-store/repository.ts';
import { formatRawPath } from '../process/raw-path.ts';
import { readChanges } from './changes.ts';
import { readRecords } from './checkpoint-record.ts';
import { isSameState } from './work-file.ts';

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
  for (const { id, before, after } of (await readRecords(repository)).toReversed()) {
    if (!wanted.has(id) || after === null) continue;
    for (const change of await readChanges(repository, before, after)) {
      const known = net.get(change.path);
      net.set(change.path, { before: known === undefined ? change.before : known.before, after: change.after });
    }
  }
  const changed = [...net].filter(([, { before, after }]) => !isSameState(before, after));
  return changed
    .map(([path, { before, after }]) => ({ path: formatRawPath(path), kind: kindOf(before, after) }))
    .sort(byPath);
}

function kindOf(before: FileVersion | null, after: FileVersion | null): NetChange['kind'] {
  return before === null ? 'added' : after === null ? 'removed' : 'changed';
}

function byPath(one: NetChange, other: NetChange): number {
  return one.path < other.path ? -1 : 1;
}
