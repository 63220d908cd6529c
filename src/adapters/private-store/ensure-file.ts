import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Sees to it that a file of ours holds just that; nobody ever reads half of it, and a link in its place is replaced, not followed. */
export function ensureFile(path: string, content: string): void {
  if (readOwnFile(path) === content) return;
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
  try {
    return lstatSync(path).isFile() ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}
