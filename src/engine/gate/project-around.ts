import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The work tree around a directory, else the directory. One that holds the home directory, or all there is, is nobody's project. */
export function projectAround(cwd: string, home: string): string {
  for (let folder = cwd; dirname(folder) !== folder; folder = dirname(folder)) {
    if (home.startsWith(`${folder}/`)) return cwd;
    if (existsSync(join(folder, '.git'))) return folder;
  }
  return cwd;
}
