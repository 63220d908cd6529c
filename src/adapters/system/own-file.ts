import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';

/** Writes one of aish's own files, unless it has this content. */
export function ensureFile(path: string, content: string): void {
  if (readOwnFile(path) !== content) writeAtomically(path, content);
}

/** Replaces a private file in one step, so that no reader sees half of it; makes its folder. Replaces a link instead of following it. */
export function writeAtomically(path: string, content: string | Uint8Array): void {
  const fresh = `${path}.${crypto.randomUUID()}`;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

/** The text of one of aish's own files; null if it is missing, unreadable, or no regular file. */
export function readOwnFile(path: string): string | null {
  return attempt(() => (lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null), null);
}
