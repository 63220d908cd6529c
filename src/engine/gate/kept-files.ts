import { realpathSync, statSync } from 'node:fs';
import { findPrivate } from '../../adapters/files/private-files.ts';
import { type Ground, locate } from '../../core/gate/place.ts';

/** A file that is not read unasked. */
export interface KeptFile {
  readonly path: string;
  /** What reading it does, in words. */
  readonly reading: string;
}

/** The first of some paths that holds credentials, or is open to its owner alone; null where all may be read. */
export function findKept(paths: Iterable<string>, ground: Ground): KeptFile | null {
  for (const path of paths) {
    if (holdsCredentials(path, ground)) return { path, reading: `prints credentials: ${path}` };
    const found = findPrivate(path, ground);
    if (found !== null) return { path: found, reading: `reads what only you may read: ${found}` };
  }
  return null;
}

/** True for a file that its name or its place tells to hold credentials, also by what a link leads to. */
export function holdsCredentials(path: string, ground: Ground): boolean {
  const real = realFile(path);
  if (real === 'folder') return false;
  return [path, real ?? path].some((one) => locate(one, ground.project, ground).isSecret);
}

/** Where a path leads to; null where nothing is there. */
function realFile(path: string): string | 'folder' | null {
  try {
    const real = realpathSync(path);
    return statSync(real).isDirectory() ? 'folder' : real;
  } catch {
    return null;
  }
}
