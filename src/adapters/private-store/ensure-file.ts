import { lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Sees to it that a file of ours holds just that; nobody ever reads half of it, and a link in its place is replaced, not followed. */
export function ensureFile(path: string, content: string): void {
  if (holds(path, content)) return;
  const fresh = `${path}.${crypto.randomUUID()}`;
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: 0o600 });
    renameSync(fresh, path);
  } finally {
    rmSync(fresh, { force: true });
  }
}

function holds(path: string, content: string): boolean {
  try {
    return lstatSync(path).isFile() && readFileSync(path, 'utf8') === content;
  } catch {
    // Not there, or not to be read: it is written then.
    return false;
  }
}
