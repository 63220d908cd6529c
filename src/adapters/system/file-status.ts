import fs, {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';

/** The status of a path, through links; rejects if it does not exist. Does not block. */
export function readStatus(path: string | Buffer): Promise<Stats> {
  return fs.promises.stat(path);
}

/** The text of a file; rejects if it is unreadable. Does not block. */
export function readText(path: string): Promise<string> {
  return fs.promises.readFile(path, 'utf8');
}

/** All bytes of a file; rejects if it is unreadable. Does not block. */
export function readBytes(path: string): Promise<Buffer> {
  return fs.promises.readFile(path);
}

/** Whether this user may execute a path. Does not block. */
export function mayRun(path: string | Buffer): Promise<boolean> {
  return fs.promises.access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

/** Whether a path exists; an inaccessible one counts as missing. */
export async function isThere(path: string): Promise<boolean> {
  return (await readStatus(path).catch(() => null)) !== null;
}

/** Whether a path is a regular file, through links; false if a folder on the way is closed to us. */
export function isFile(path: string): boolean {
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isFile() === true, false);
}

/** Whether a path is a directory, through links. */
export async function isDirectory(path: string | Buffer): Promise<boolean> {
  return (await readStatus(path).catch(() => null))?.isDirectory() === true;
}

/** Whether a path is an executable file. Does not block. */
export async function isExecutable(path: string): Promise<boolean> {
  return (await mayRun(path)) && (await readStatus(path).catch(() => null))?.isFile() === true;
}

/** The blocking form of `isExecutable`. */
export function isExecutableNow(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a path leads to a script for a shell, by its name (`x.sh`, also if it is missing) or by its first line (`#!/bin/sh`). */
export function isShellScript(path: string): boolean {
  try {
    if (!statSync(path).isFile()) return false;
    if (SCRIPT.test(path)) return true;
    return /^#![^\n]*\b(?:ba|z|da|k)?sh\b/.test(readBeginning(path, 64)?.bytes.toString('latin1') ?? '');
  } catch {
    return SCRIPT.test(path) && !/\s/.test(path);
  }
}

const SCRIPT = /\.(?:ba|z)?sh$/;

/** Opens a file for some work and closes it, whatever comes of that. */
export function withFile<T>(path: string, flags: string | number, work: (fd: number) => T): T {
  const fd = openSync(path, flags, 0o600);
  try {
    return work(fd);
  } finally {
    closeSync(fd);
  }
}

/** The content of a regular file. Throws for anything else, so that no pipe in a project is waited for. */
export function readRegular(path: string): Buffer<ArrayBuffer> {
  return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
    if (!fstatSync(fd).isFile()) throw new Error(`${path} is no regular file`);
    return readFileSync(fd);
  });
}

/** The git directory that the file `.git` of a work tree names; null if it names none. Throws if it is no file that can be read. */
export function readGitLink(root: string): string | null {
  const named = /^gitdir: (.+)$/m.exec(readRegular(join(root, '.git')).toString())?.[1];
  return named === undefined ? null : resolve(root, named);
}

/** The beginning of a regular file, and its status; null for anything else, so that no pipe or device is waited for. Throws if it is unreadable. */
export function readBeginning(path: string, most: number): { readonly bytes: Buffer; readonly stat: Stats } | null {
  return withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, (fd) => {
    const stat = fstatSync(fd);
    if (!stat.isFile()) return null;
    const bytes = Buffer.alloc(Math.min(stat.size, most));
    return { bytes: bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, 0)), stat };
  });
}

/** The real target of a path; for a path that does not exist, the part that exists counts. */
export function toRealPath(path: string): string {
  try {
    // An error takes longer than a look.
    if (existsSync(path)) return realpathSync.native(path);
  } catch {
    // It went meanwhile.
  }
  const parent = dirname(path);
  return parent === path ? path : join(toRealPath(parent), basename(path));
}
