import { lstatSync, type Stats } from 'node:fs';
import { errorCode } from '../../../protocol/error.ts';

/*
 * A raw path holds one character per byte. Git and the file system know bytes, not text, and a name in another encoding
 * must come back exactly as it was.
 */

/** Splits NUL-separated output into raw paths: one character per byte, so that names in any encoding survive. */
export function splitRawPaths(output: Buffer): readonly string[] {
  return output
    .toString('latin1')
    .split('\0')
    .filter((path) => path !== '');
}

/** Bytes of raw paths as git reads them with `-z --stdin`. */
export function joinRawPaths(paths: readonly string[]): Buffer {
  return Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
}

/** The bytes of a raw path below a directory, for file system calls. */
export function toFullPath(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
}

/** A raw path as users read it. */
export function formatRawPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** A path users wrote, as raw bytes. */
export function toRawPath(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** The status of a path, links not followed; null if nothing lies there, also if a parent is a file. */
export function lstatOrNull(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOTDIR') return null;
    throw thrown;
  }
}

/** The folders that a path is in, the outermost first, with a `/` at the end of each. */
export function foldersAbove(path: string): readonly string[] {
  const found: string[] = [];
  for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) found.push(path.slice(0, at + 1));
  return found;
}

/*
 * Some file systems take several names for one: HFS+ ignores certain invisible characters, NTFS drops trailing dots and blanks, has short
 * names and streams, and both ignore case. Git refuses every name that means `.git` on any of them, and so do we.
 * https://git-scm.com/docs/git-config#Documentation/git-config.txt-coreprotectHFS
 */

/** Characters that HFS+ does not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g;

/** NTFS takes a name for the same if these follow it: blanks and dots, the end of a folder's name, a stream. */
const GIT_DATA = /^(?:\.git|git~1)[ .]*(?:[\\:].*)?$/is;
const GIT_MODULES = /^(?:\.gitmodules[ .]*(?::.*)?|g[^~]{0,6}~\d+)$/is;

/** True for a part of a raw path that some file system takes for `.git`. */
export function isGitDataName(part: string): boolean {
  // A backslash parts folders on Windows.
  return formatRawPath(part)
    .replace(UNSEEN, '')
    .split('\\')
    .some((name) => GIT_DATA.test(name));
}

/**
 * True for a raw path that no tree of git can hold: a part of it stands for git's own data, or it is a link that git would take its modules
 * from.
 */
export function isForbiddenByGit(path: string, isLink: boolean): boolean {
  const parts = path.split('/');
  if (parts.some(isGitDataName)) return true;
  return isLink && GIT_MODULES.test(formatRawPath(parts.at(-1) ?? '').replace(UNSEEN, ''));
}
