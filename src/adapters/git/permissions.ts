import { chmodSync, chownSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { type Access, isProgram } from './mode-table.ts';
import { foldersAbove } from './picture-modes.ts';
import { lstatOrNull, toFullPath } from './raw-path.ts';
import type { Repository } from './repository.ts';

/*
 * What comes back is open to nobody to whom it was not open before: a file and its folders get the owner and the mode that the picture knows. What
 * is there now keeps its own, where somebody changed them since the step, and else gets back what the step changed.
 */

/** What the pictures before and after a step know of a path; null where a picture is from before modes were kept. */
export interface KnownAccess {
  readonly was: Access | null;
  readonly left: Access | null;
  /** Of a folder above it, with a `/` at its end. */
  folder(path: string): Access | null;
}

/** A folder that may only be closed when all is in it. */
export interface OpenFolder {
  readonly full: Buffer;
  readonly mode: number;
}

/** Whose a file is to be and who may read it that comes to a place where `present` is; null where nobody knows. `mode` is git's. */
export function chooseAccess(present: Stats | null, mode: string, { was, left }: KnownAccess): Access | null {
  const isFile = present?.isFile() === true;
  // A picture gives nobody the right to become somebody else, whoever made it.
  const base = isFile ? keepPresent(present, was, left) : was && { ...was, mode: was.mode & 0o777 };
  if (base === null) return null;
  const isWanted = mode === '100755';
  if (isProgram(base.mode) === isWanted) return base;
  return { ...base, mode: isWanted ? base.mode | ((base.mode & 0o444) >> 2) : base.mode & ~0o111 };
}

function keepPresent({ mode, uid, gid }: Stats, was: Access | null, left: Access | null): Access {
  const isAsLeft = was !== null && left !== null && (mode & 0o777) === left.mode;
  const own = mode & 0o7777;
  return { mode: isAsLeft ? (own & ~0o777) | (was.mode & 0o777) : own, uid, gid };
}

/** Gives a file or folder that was just made to whom it is to belong. Where that is not possible, it is open to fewer. */
export function giveAccess(full: Buffer, access: Access | null, usual: number): void {
  if (access === null) {
    chmodSync(full, usual & ~process.umask());
    return;
  }
  const { uid, gid } = access;
  const made = lstatSync(full);
  const isGiven = (made.uid === uid && made.gid === gid) || mayGive(full, uid, gid);
  if (!isGiven) mayGive(full, made.uid, gid);
  const given = lstatSync(full);
  let { mode } = access;
  if (given.uid !== uid) mode &= ~0o4000;
  // Another group may do what everybody may.
  if (given.gid !== gid) mode = (mode & ~0o2070) | (mode & 0o070 & ((mode & 0o007) << 3));
  chmodSync(full, mode);
}

function mayGive(full: Buffer, uid: number, gid: number): boolean {
  try {
    chownSync(full, uid, gid);
    return true;
  } catch {
    // Only the superuser gives things away, and others only to groups of theirs.
    return false;
  }
}

/** Makes the folders above a path that are missing, as they were. Tells those that are still open to their owner to be filled. */
export function makeFolders({ root }: Repository, path: string, known: KnownAccess): readonly OpenFolder[] {
  const open: OpenFolder[] = [];
  for (const folder of foldersAbove(path)) {
    const full = toFullPath(root, folder.slice(0, -1));
    if (lstatOrNull(full)?.isDirectory()) continue;
    const access = known.folder(folder);
    const filled = access === null ? null : { ...access, mode: access.mode | 0o300 };
    mkdirSync(full, { mode: (filled?.mode ?? 0o777) & 0o777 });
    giveAccess(full, filled, 0o777);
    if (access !== null && (access.mode & 0o300) !== 0o300) open.push({ full, mode: access.mode });
  }
  return open;
}

/** Closes folders in the end, the innermost first. */
export function closeFolders(open: readonly OpenFolder[]): void {
  for (const { full, mode } of open.toReversed()) chmodSync(full, mode);
}
