import { createHash } from 'node:crypto';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { LARGEST_FILE } from './picture-limits.ts';
import { lstatOrNull, toFullPath } from './raw-path.ts';
import type { Repository } from './repository.ts';

/** What lies at a path, as a picture names it; null for nothing. */
export interface FileState {
  /** `100644`, `100755` or `120000`. */
  readonly mode: string;
  /** Object name of the exact bytes. */
  readonly blob: string;
}

/** Why a path may not be touched; null where it may. Nothing is reached through a symbolic link, and nothing of git's own. */
export function refusePath(root: string, path: string): string | null {
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.' || part === '..')) return 'the path leaves the work tree';
  if (parts.some((part) => part.toLowerCase() === '.git')) return 'the path is inside git data';
  for (let depth = 1; depth < parts.length; depth += 1) {
    const stat = lstatOrNull(toFullPath(root, parts.slice(0, depth).join('/')));
    if (stat?.isSymbolicLink()) return 'a directory of the path has become a symbolic link since';
    if (stat?.isDirectory() && lstatOrNull(toFullPath(root, `${parts.slice(0, depth).join('/')}/.git`))) {
      return 'the path is inside another repository';
    }
  }
  return null;
}

/** Reads what lies at a path now; `other` for what no picture can hold. */
export function readFileState(repository: Repository, path: string): FileState | null | 'other' {
  const full = toFullPath(repository.root, path);
  const stat = lstatOrNull(full);
  if (stat === null || stat.isDirectory()) return null;
  if (stat.isSymbolicLink())
    return { mode: '120000', blob: hashBlob(repository, readlinkSync(full, { encoding: 'buffer' })) };
  if (!stat.isFile() || stat.size > LARGEST_FILE) return 'other';
  const mode = (stat.mode & 0o100) === 0 ? '100644' : '100755';
  return { mode, blob: hashBlob(repository, readFileSync(full)) };
}

/** True where both name the same thing. */
export function isSameState(one: FileState | null | 'other', other: FileState | null): boolean {
  if (one === null || other === null || one === 'other') return one === other;
  return one.mode === other.mode && one.blob === other.blob;
}

/** Puts a file or link in place in one step: readers see the old one or the new one. */
export function putFile(root: string, path: string, mode: string, content: Buffer): void {
  const full = toFullPath(root, path);
  const parent = path.split('/').slice(0, -1).join('/');
  mkdirSync(toFullPath(root, parent), { recursive: true });
  const fresh = toFullPath(root, join(parent, `.aish-${crypto.randomUUID()}`));
  const permissions = permissionsFor(full, mode);
  try {
    if (mode === '120000') symlinkSync(content, fresh);
    else writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 });
    if (mode !== '120000') chmodSync(fresh, permissions);
    if (lstatOrNull(full)?.isDirectory()) rmdirSync(full);
    renameSync(fresh, full);
  } catch (thrown) {
    rmSync(fresh, { force: true });
    throw thrown;
  }
}

/** Removes a file, and the directories that are empty without it, except `keep`. */
export function removeFile(root: string, path: string, keep: string): void {
  rmSync(toFullPath(root, path));
  const parents = path.split('/').slice(0, -1);
  for (let depth = parents.length; depth > 0; depth -= 1) {
    const directory = toFullPath(root, parents.slice(0, depth).join('/'));
    if (directory.toString('utf8') === keep || readdirSync(directory).length > 0) return;
    rmdirSync(directory);
  }
}

/** Keeps who may read and write a file, and takes only the right to execute from the picture. */
function permissionsFor(full: Buffer, mode: string): number {
  const stat = lstatOrNull(full);
  const base = stat?.isFile() ? stat.mode & 0o777 : 0o666 & ~process.umask();
  return mode === '100755' ? base | ((base & 0o444) >> 2) : base & ~0o111;
}

function hashBlob(repository: Repository, content: Buffer): string {
  return createHash(repository.objectFormat).update(`blob ${content.length}\0`).update(content).digest('hex');
}
