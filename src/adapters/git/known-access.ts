import { type Access, accessOf, type ModeTable } from './mode-table.ts';
import type { KnownAccess } from './permissions.ts';
import { readModes } from './picture-modes.ts';
import type { Repository } from './repository.ts';
import type { SourceChange } from './restore-source.ts';

/** Reads what pictures know of all paths of a restore. */
export async function readKnownAccess(
  repository: Repository,
  changes: readonly SourceChange[],
): Promise<(path: string) => KnownAccess> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const names = new Set(changes.flatMap(({ record }) => [record.before.note.modes, record.after?.note.modes ?? null]));
  const tables = new Map<string | null, ModeTable | null>([[null, null]]);
  for (const name of names) if (name !== null) tables.set(name, await readModes(repository, name));
  const find = (name: string | null | undefined, path: string, mode = ''): Access | null => {
    const table = tables.get(name ?? null) ?? null;
    return table === null ? null : accessOf(table, path, mode === '100755');
  };
  return (path) => {
    const change = byPath.get(path);
    const before = change?.record.before.note.modes;
    return {
      was: find(before, path, change?.before?.mode),
      left: change?.after ? find(change.record.after?.note.modes, path, change.after.mode) : null,
      folder: (above) => find(before, above),
    };
  };
}
