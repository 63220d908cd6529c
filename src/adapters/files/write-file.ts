import { chmodSync, chownSync, mkdirSync, renameSync, rmSync, type Stats, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Writes a file in one step: whoever reads it sees the old content or the new. Rights and owner of an old file are kept. */
export function replaceFile(path: string, content: Buffer, old: Stats | null): void {
  mkdirSync(dirname(path), { recursive: true });
  const fresh = join(dirname(path), `.aish-${crypto.randomUUID()}`);
  try {
    writeFileSync(fresh, content, { flag: 'wx', mode: old === null ? 0o666 : 0o600 });
    if (old !== null) keepOwner(fresh, old);
    if (old !== null) chmodSync(fresh, old.mode & 0o7777);
    renameSync(fresh, path);
  } catch (thrown) {
    rmSync(fresh, { force: true });
    throw thrown;
  }
}

function keepOwner(path: string, old: Stats): void {
  if (old.uid === process.getuid?.() && old.gid === process.getgid?.()) return;
  try {
    chownSync(path, old.uid, old.gid);
  } catch {
    // Only root may give files away; the file then belongs to who wrote it.
  }
}
