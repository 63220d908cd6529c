import { type BigIntStats, lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AishError } from '../../protocol/error.ts';

/*
 * Our folder inside a git directory holds caches that decide what a picture shows: an index that calls files unchanged, a list of
 * names to pass over. A repository that came as an archive may bring such a folder along, made so that pictures miss what
 * matters. So the folder carries a stamp of its own inode and moment of birth, which nobody can know before it is
 * unpacked. One without the right stamp is thrown away; only the next picture takes longer for it.
 */

const STAMP = 'stamp';

/** Our folder in a git directory, made where it is missing and made anew where it did not come from us. */
export function openOwnDirectory(gitDirectory: string): string {
  const path = join(gitDirectory, 'aish');
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) putStamped(path);
    else {
      refuseForeign(path, stat);
      if (isStamped(path, stat)) return path;
      throwAway(path);
    }
  }
  throw unusable(path, 'is replaced again and again');
}

/** Makes a directory below ours. */
export function makeOwnDirectory(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) mkdirSync(path, { mode: 0o700, recursive: true });
  else if (!stat.isDirectory()) throw unusable(path, 'is not a directory of its own');
  return path;
}

function refuseForeign(path: string, stat: BigIntStats): void {
  if (!stat.isDirectory()) throw unusable(path, 'is not a directory of its own');
  const own = process.getuid?.();
  if (own !== undefined && stat.uid !== BigInt(own)) throw unusable(path, 'belongs to another user');
}

/** Nobody ever sees it without its stamp: it is made elsewhere and moved into place. */
function putStamped(path: string): void {
  const fresh = `${path}-${crypto.randomUUID()}`;
  mkdirSync(fresh, { mode: 0o700 });
  writeFileSync(join(fresh, STAMP), toStamp(lstatSync(fresh, { bigint: true })), { flag: 'wx', mode: 0o600 });
  const after = lstatSync(fresh, { bigint: true });
  if (!isStamped(fresh, after)) writeFileSync(join(fresh, STAMP), `${after.ino}`);
  try {
    renameSync(fresh, path);
  } catch {
    // Somebody else was first; theirs is looked at next.
    rmSync(fresh, { recursive: true, force: true });
  }
}

function isStamped(path: string, stat: BigIntStats): boolean {
  const stamp = readStamp(path);
  if (stamp === toStamp(stat)) return true;
  // A file system that keeps no moment of birth gives that of the last change instead, or none.
  const hasBirth = stat.birthtimeNs !== 0n && stat.birthtimeNs !== stat.ctimeNs;
  return !hasBirth && stamp === `${stat.ino}`;
}

function readStamp(path: string): string | null {
  try {
    const file = join(path, STAMP);
    return lstatSync(file).isFile() ? readFileSync(file, 'utf8') : null;
  } catch {
    return null;
  }
}

function toStamp(stat: BigIntStats): string {
  return `${stat.ino}-${stat.birthtimeNs}`;
}

/** Moved away first, so that of several processes one does it; what turns out to be good by then is put back. */
function throwAway(path: string): void {
  const away = `${path}-${crypto.randomUUID()}`;
  try {
    renameSync(path, away);
    if (isStamped(away, lstatSync(away, { bigint: true }))) renameSync(away, path);
  } catch {
    // Somebody else moved it, or put another in its place.
  }
  rmSync(away, { recursive: true, force: true });
}

function unusable(path: string, why: string): AishError {
  return new AishError('checkpoint.unavailable', `${path} ${why}`, { hint: `remove ${path} and try again` });
}
