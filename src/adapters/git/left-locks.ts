import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/** Removes the locks of refs that are older than a moment from a git directory of ours, in milliseconds since the epoch. */
export function clearLocks(directory: string, before: number): void {
  const refs = join(directory, 'refs', 'aish');
  const inRefs = existsSync(refs) ? readdirSync(refs, { recursive: true, encoding: 'utf8' }) : [];
  const locks = [...inRefs.filter((name) => name.endsWith('.lock')).map((name) => join(refs, name))];
  for (const path of [...locks, join(directory, 'packed-refs.lock')]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < before) rmSync(path, { force: true });
  }
}
