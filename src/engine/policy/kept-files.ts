import { realpathSync, statSync } from 'node:fs';
import { findPrivate } from '../../adapters/files/private-files.ts';
import { locate, type PathContext } from '../../core/commands/place.ts';
import { formatCredentials, formatPrivate } from './messages.ts';

/** A file that needs an approval to be read. */
export interface KeptFile {
  readonly path: string;
  /** The effect of reading it, in words. */
  readonly reading: string;
}

/** The first of some paths that holds credentials, or is open to its owner alone; null where all may be read. */
export function findKept(paths: Iterable<string>, context: PathContext): KeptFile | null {
  for (const path of paths) {
    if (holdsCredentials(path, context)) return { path, reading: formatCredentials(path) };
    const found = findPrivate(path, context);
    if (found !== null) return { path: found, reading: formatPrivate(found) };
  }
  return null;
}

/** True for a file that holds credentials by its name or place, also through a link. */
function holdsCredentials(path: string, context: PathContext): boolean {
  const real = realFile(path);
  if (real === 'folder') return false;
  return [path, real ?? path].some((one) => locate(one, context.project, context).isSecret);
}

/** The target of a path; null if nothing is there. */
function realFile(path: string): string | 'folder' | null {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? 'folder' : real;
  } catch {
    return null;
  }
}
