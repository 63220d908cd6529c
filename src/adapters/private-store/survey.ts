import { type Dirent, existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Folders that programs fill and can fill again. */
export const NOT_KEPT: readonly string[] = [
  'node_modules',
  '.venv',
  '__pycache__',
  '.cache',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
];

/** What a look over a tree found. */
export interface Survey {
  /** There are more entries than one may count. */
  readonly isTooLarge: boolean;
  /** Folders in which other disks begin, relative to the root. */
  readonly mounts: readonly string[];
  /** Folders that may not be read, relative to the root. */
  readonly closed: readonly string[];
}

/** Looks over a tree without following links, and stops at `most` entries. Other repositories in it are not looked into. */
export function survey(root: string, most: number): Survey {
  const disk = lstatSync(root).dev;
  const mounts: string[] = [];
  const closed: string[] = [];
  let left = most;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = list(join(root, folder));
    if (entries === null) closed.push(folder);
    left -= entries?.length ?? 0;
    if (left < 0) return { isTooLarge: true, mounts, closed };
    for (const entry of entries ?? []) {
      if (!entry.isDirectory() || NOT_KEPT.includes(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const full = join(root, path);
      if ((lstatSync(full, { throwIfNoEntry: false })?.dev ?? disk) !== disk) mounts.push(path);
      else if (!existsSync(join(full, '.git'))) waiting.push(path);
    }
  }
  return { isTooLarge: false, mounts, closed };
}

function list(path: string): readonly Dirent[] | null {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // What went meanwhile has no entries either.
    return existsSync(path) ? null : [];
  }
}
