import { realpathSync, statSync } from 'node:fs';
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

/** Tells of a pipe or a device in the place of a file of the repository around a directory: git would wait for it without end. Null without. */
export function findSpecialFile(cwd: string): string | null {
  const root = findRoot(attempt(() => realpathSync(cwd), cwd));
  if (root === null) return null;
  const git = attempt(() => readGitLink(root), null) ?? join(root, '.git');
  const common = attempt(() => resolve(git, readRegular(join(git, 'commondir')).toString().trim()), git);
  const names = [...new Set([git, common])].flatMap((folder) => OPENED.map((name) => join(folder, name)));
  const found = [join(root, '.git'), join(root, '.gitignore'), ...names].find(isSpecial);
  return found === undefined ? null : messages.formatSpecial(found);
}

function findRoot(folder: string): string | null {
  if (kindOf(join(folder, '.git')) !== undefined) return folder;
  return folder === dirname(folder) ? null : findRoot(dirname(folder));
}

function isSpecial(path: string): boolean {
  const found = kindOf(path);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

function kindOf(path: string) {
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
}
