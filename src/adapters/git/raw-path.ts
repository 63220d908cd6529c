import { lstatSync, type Stats } from 'node:fs';

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

/** A raw path as people read it. */
export function formatRawPath(path: string): string {
  return Buffer.from(path, 'latin1').toString('utf8');
}

/** A path people wrote, as raw bytes. */
export function toRawPath(path: string): string {
  return Buffer.from(path, 'utf8').toString('latin1');
}

/** What lies at a path, links not followed; null for nothing, also where a parent is a file. */
export function lstatOrNull(path: string | Buffer): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null;
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOTDIR') return null;
    throw thrown;
  }
}
