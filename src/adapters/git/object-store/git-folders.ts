import { existsSync, lstatSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import { readGitLink, readRegular } from '../../system/file-status.ts';
import * as messages from './messages.ts';

/** Files that git opens for nearly everything it is asked. */
const OPENED = [
  'HEAD',
  'config',
  'config.worktree',
  'commondir',
  'index',
  'packed-refs',
  'info/exclude',
  'objects/info/alternates',
];

/** A folder and all above it, without links; none if it is gone. */
export function foldersUp(folder: string): readonly string[] {
  const up = (path: string): readonly string[] => (path === dirname(path) ? [path] : [path, ...up(dirname(path))]);
  return attempt(() => up(realpathSync(folder)), []);
}

/** The index of the first folder with a `.git` in it; -1 without. */
export function indexOfRoot(folders: readonly string[]): number {
  const look = (path: string) => attempt(() => lstatSync(path, { throwIfNoEntry: false }), undefined);
  return folders.findIndex((folder) => look(join(folder, '.git')) !== undefined);
}

/** The git directory that a work tree names, and the one that it shares if that is another; null if nothing names one. */
export function gitFoldersOf(root: string): readonly string[] | null {
  const path = join(root, '.git');
  const git = attempt(() => (lstatSync(path).isDirectory() ? path : readGitLink(root)), null);
  if (git === null) return null;
  const shared = join(git, 'commondir');
  const common = existsSync(shared) ? attempt(() => resolve(git, readRegular(shared).toString().trim()), git) : git;
  return [...new Set([git, common])];
}

/** Tells of a pipe or a device in the place of a file of the repository around a directory: git would wait for it without end. Null without. */
export function findSpecialFile(cwd: string): string | null {
  const folders = foldersUp(cwd);
  const root = folders[indexOfRoot(folders)];
  if (root === undefined) return null;
  const own = [join(root, '.git'), join(root, '.gitignore')];
  const names = (gitFoldersOf(root) ?? own.slice(0, 1)).flatMap((folder) => OPENED.map((name) => join(folder, name)));
  const found = [...own, ...names].find(isSpecial);
  return found === undefined ? null : messages.formatSpecial(found);
}

function isSpecial(path: string): boolean {
  const found = attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}
