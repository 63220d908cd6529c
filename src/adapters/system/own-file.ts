import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';

/** Writes one of aish's own files, unless it holds just that. */
export function ensureFile(path: string, content: string): void {
  if (readOwnFile(path) !== content) writeAtomically(path, content);
}

/** Puts a file for its owner alone in place. Nobody ever reads half of it, and a link in its place is replaced, not followed. */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The text of a file of ours; null where it is not there or not to be read, or something else, such as a link, is in its place. */
export function readOwnFile(path: string): string | null {
  return attempt(() => (lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null), null);
}
