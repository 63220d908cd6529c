import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The folders from the root of the work tree around a directory down to it; null outside of a work tree. */
export function projectFolders(cwd: string): readonly string[] | null {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return null;
  }
}

/** The work tree around a directory, else the directory. One that holds the home directory, or all there is, is nobody's project. */
export function projectAround(cwd: string, home: string): string {
  const root = projectFolders(cwd)?.[0];
  return root === undefined || root === '/' || home.startsWith(`${root}/`) ? cwd : root;
}
