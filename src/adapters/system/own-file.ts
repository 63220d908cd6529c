/* aish's own files and folders: replaced in one step, and locked against other processes. */

import {
  closeSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';
import { isProcessAlive } from './processes.ts';
import { type SystemCalls, systemCalls } from './system-calls.ts';

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

/** Frees a lock. */
export type ReleaseLock = () => void;

/**
 * Takes an open file for this process, or gives null when another one has it. With a libc that is `flock` on the file itself,
 * which the kernel frees when it is closed, however the process ends. Without one it is a file beside it that holds our process id;
 * that of a process that is gone is taken over.
 */
export function takeLock(fd: number, path: string, calls: SystemCalls | null): ReleaseLock | null {
  if (calls !== null) return calls.lock(fd) ? () => {} : null;
  const lockPath = `${path}.lock`;
  if (writeLockFile(lockPath)) return () => rmSync(lockPath, { force: true });
  if (isHeld(lockPath)) return null;
  rmSync(lockPath, { force: true });
  return writeLockFile(lockPath) ? () => rmSync(lockPath, { force: true }) : null;
}

function writeLockFile(lockPath: string): boolean {
  try {
    writeFileSync(lockPath, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false;
    throw error;
  }
}

function isHeld(lockPath: string): boolean {
  // Freed by now, or not a lock of aish.
  return attempt(() => isProcessAlive(Number.parseInt(readFileSync(lockPath, 'utf8'), 10)), false);
}

/** The maker of a younger folder may not hold it yet. */
const YOUNG_MS = 5_000;
const LOCK = 'lock';

/** Holds a folder until this process ends, so that no other removes it. Returns a function that frees it. */
export function holdFolder(folder: string): () => void {
  const fd = openSync(join(folder, LOCK), 'w', 0o600);
  systemCalls()?.lock(fd);
  let isHeld = true;
  return () => {
    if (isHeld) closeSync(fd);
    isHeld = false;
  };
}

/**
 * Removes the folders of killed processes: they hold the exports of a shell, secrets among them. Only folders that were held and are no
 * more; without locks, none. Never throws.
 */
export function removeAbandoned(parent: string, isOurs: (name: string) => boolean, now: number): void {
  const calls = systemCalls();
  if (calls === null) return;
  for (const name of attempt(() => readdirSync(parent), []).filter(isOurs)) {
    const folder = join(parent, name);
    try {
      if (now - statSync(folder).mtimeMs < YOUNG_MS) continue;
      const fd = openSync(join(folder, LOCK), 'r+');
      const isAbandoned = calls.lock(fd);
      if (isAbandoned) rmSync(folder, { recursive: true, force: true });
      closeSync(fd);
    } catch {
      // Never held, gone by now, or of another user.
    }
  }
}
