import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { isProcessAlive } from './process-alive.ts';
import type { SystemCalls } from './system-calls.ts';

/** Frees a lock that was taken. */
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
    const fd = openSync(lockPath, 'wx', 0o600);
    writeSync(fd, String(process.pid));
    closeSync(fd);
    return true;
  } catch (error) {
    if (isCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function isHeld(lockPath: string): boolean {
  try {
    return isProcessAlive(Number.parseInt(readFileSync(lockPath, 'utf8'), 10));
  } catch {
    // Freed meanwhile, or nothing that we wrote.
    return false;
  }
}

/** True for a system error with this code, e.g. `ENOENT`. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
