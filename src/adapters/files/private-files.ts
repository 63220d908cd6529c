import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { mayMatch } from '../../core/gate/glob.ts';
import { GUARDED_NAMES } from '../../core/gate/protected-paths.ts';
import { isCode } from '../../core/gate/secret-paths.ts';

/** Where a file is looked at from. */
export interface PrivateGround {
  readonly home: string;
  readonly project: string;
}

/** More files of folders are not looked at. */
const MOST_ENTRIES = 2000;
/** Settings that many a program writes for one person alone, and that hold nothing but settings. */
const PLAIN: ReadonlySet<string> = new Set([...GUARDED_NAMES, 'known_hosts', 'known_hosts.old', 'authorized_keys']);

/**
 * A file in the dot folders of the home directory, at a path or below it, that its owner alone may read; null where there is none. So programs
 * keep what nobody is to know, whatever they call it. The path may hold glob characters.
 */
export function findPrivate(path: string, ground: PrivateGround): string | null {
  const left = { entries: MOST_ENTRIES };
  for (const one of expand(path, left)) {
    const real = realOf(one);
    if (real === null || !isKept(real, ground)) continue;
    const found = lookAt(real, left);
    if (found !== null) return found;
  }
  return null;
}

function isKept(path: string, { home, project }: PrivateGround): boolean {
  if (!path.startsWith(`${realOf(home) ?? home}/.`) && !path.startsWith(`${home}/.`)) return false;
  return !(path.startsWith(`${project}/`) && existsSync(join(project, '.git')));
}

function lookAt(path: string, left: { entries: number }): string | null {
  left.entries -= 1;
  if (left.entries < 0) return null;
  const stat = statusOf(path);
  if (stat?.isFile()) return isPrivate(path, stat) ? path : null;
  if (stat?.isDirectory() !== true) return null;
  for (const name of namesIn(path)) {
    const found = lookAt(join(path, name), left);
    if (found !== null) return found;
  }
  return null;
}

function isPrivate(path: string, { mode, size }: Stats): boolean {
  const name = basename(path).toLowerCase();
  if ((mode & 0o077) !== 0 || size === 0 || isCode(name) || PLAIN.has(name)) return false;
  return !(name === 'config' && basename(dirname(path)) === '.ssh');
}

/** The paths that a glob stands for. */
function expand(path: string, left: { entries: number }): readonly string[] {
  if (!/[*?[]/.test(path)) return [path];
  let found: readonly string[] = ['/'];
  for (const part of path.split('/').filter(Boolean)) {
    if (!/[*?[]/.test(part)) found = found.map((folder) => join(folder, part));
    else found = found.flatMap((folder) => namesLike(folder, part)).slice(0, Math.max(0, left.entries));
  }
  return found;
}

function namesLike(folder: string, pattern: string): readonly string[] {
  const names = namesIn(folder).filter((name) => name.startsWith('.') === pattern.startsWith('.'));
  return names.filter((name) => mayMatch(pattern, name)).map((name) => join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // Not there, or closed to us, so to the command as well.
  }
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // A folder on the way is closed to us.
  }
}

function realOf(path: string): string | null {
  try {
    return realpathSync(path);
  } catch {
    return null;
  }
}
