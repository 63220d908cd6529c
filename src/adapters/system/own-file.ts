import { existsSync, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
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

/** Removes a folder with all in it, whatever rights a command gave to folders in it. */
export async function removeFolder(folder: string): Promise<void> {
  // Each folder is opened before its content is listed.
  const script = 'find "$1" -type d ! -perm -700 -exec chmod u+rwx {} \\; 2>/dev/null; rm -rf -- "$1"';
  const child = Bun.spawn(['/bin/sh', '-c', script, 'sh', folder], { stdio: ['ignore', 'ignore', 'ignore'] });
  await child.exited;
  if (existsSync(folder)) rmSync(folder, { recursive: true, force: true });
}
