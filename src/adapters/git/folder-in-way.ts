import { readdirSync } from 'node:fs';
import { lstatOrNull, toFullPath } from './raw-path.ts';

/** What stands in the way of a file whose place a folder has taken. */
export const FOLDER_IN_WAY = 'a folder with other files is in its place; move it away first';

/** True where a folder is in the place of a file and holds something that does not go away before the file comes. */
export function isFolderInWay(root: string, path: string, leaving: ReadonlySet<string>): boolean {
  if (lstatOrNull(toFullPath(root, path))?.isDirectory() !== true) return false;
  const names = list(root, path);
  return names.length > 0 && !isCleared(root, path, leaving);
}

/** With its last file a folder goes, too; one that was empty before stays. */
function isCleared(root: string, path: string, leaving: ReadonlySet<string>): boolean {
  const names = list(root, path);
  return (
    names.length > 0 &&
    names.every((name) => {
      const below = `${path}/${name}`;
      const isFolder = lstatOrNull(toFullPath(root, below))?.isDirectory() === true;
      return isFolder ? isCleared(root, below, leaving) : leaving.has(below);
    })
  );
}

/** One that may not be read cannot be emptied either, so it counts as holding something. */
function list(root: string, path: string): readonly string[] {
  try {
    return readdirSync(toFullPath(root, path), { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  } catch {
    return ['.'];
  }
}
