import { chmodSync, chownSync, lstatSync, mkdirSync, type Stats } from 'node:fs';
import { succeeds } from '../../../core/text/attempt.ts';
import type { Repository } from '../object-store/repository.ts';
import { foldersAbove, lstatOrNull, toFullPath } from '../process/raw-path.ts';

/*
 * A file that comes back is open to nobody to whom it was not open before: it and its folders get the owner and the mode that the snapshot
 * knows. A file that is there now keeps its own, if somebody changed them since the step, and else gets back those that the step changed.
 */

/** The access to a path that the snapshots before and after a step know; null if a snapshot is from before modes were kept. */
export interface KnownAccess {
  readonly was: Access | null;
  readonly left: Access | null;
  /** The same for a folder above it, with a `/` at its end. */
  folder(path: string): Access | null;
}

/** A folder that may only be closed when all is in it. */
export interface OpenFolder {
  readonly full: Buffer;
  readonly mode: number;
}

/** The owner and the readers of a file that comes to the place of `present`; null if nobody knows. `mode` is git's. */
export function chooseAccess(present: Stats | null, mode: string, { was, left }: KnownAccess): Access | null {
  const isFile = present?.isFile() === true;
  // A snapshot gives nobody the right to become somebody else, no matter who made it.
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

/** Gives a file or folder that was just made to whom it is to belong. If that is not possible, it is open to fewer. */
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
  // Only the superuser gives things away, and others only to groups of theirs.
  return succeeds(() => chownSync(full, uid, gid));
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

/*
 * Git knows of a file only whether it may be executed, and nothing of folders. A file that is deleted and comes back must not be open to
 * more users than it was, so a snapshot knows more: the owner and the readers of most of its files and folders, and by name those that
 * differ.
 */

/** The owner of something, and the rights to it. */
export interface Access {
  /** The bits of the mode, without the kind; of a file the nine for reading, writing and executing alone. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
}

/** The rights to everything in a snapshot. */
export interface ModeTable {
  /** The modes of all that is not named. */
  readonly usual: UsualModes;
  /** The exceptions, by raw path; that of a folder ends with a `/`. */
  readonly unusual: ReadonlyMap<string, Access>;
}

/** The modes of most files, of most that can be executed and of most folders, and whose they are. */
interface UsualModes {
  readonly file: number;
  readonly program: number;
  readonly folder: number;
  readonly uid: number;
  readonly gid: number;
}

/** The access that a table gives for a path; one that ends with a `/` is a folder. */
export function accessOf({ usual, unusual }: ModeTable, path: string, isProgram: boolean): Access {
  const mode = path.endsWith('/') ? usual.folder : isProgram ? usual.program : usual.file;
  return unusual.get(path) ?? { mode, uid: usual.uid, gid: usual.gid };
}

/** The access to a path, as a table has it; null for anything but a file or a folder. */
export function toAccess(stat: Stats): Access | null {
  const { uid, gid } = stat;
  if (stat.isDirectory()) return { mode: stat.mode & 0o7777, uid, gid };
  // The right to become somebody else is given by nobody but its holder.
  return stat.isFile() ? { mode: stat.mode & 0o777, uid, gid } : null;
}

/** True for the mode of a file that its owner may execute, as git tells. */
function isProgram(mode: number): boolean {
  return (mode & 0o100) !== 0;
}

/** The table that comes of another one by what was seen: null is what is gone. The same one where nothing differs. */
export function withSeen(table: ModeTable, seen: ReadonlyMap<string, Access | null>): ModeTable {
  const unusual = new Map(table.unusual);
  const plain = { usual: table.usual, unusual: new Map<string, Access>() };
  let isSame = true;
  for (const [path, access] of seen) {
    const isUsual = access === null || isSameAccess(access, accessOf(plain, path, isProgram(access.mode)));
    const known = unusual.get(path);
    if (isUsual ? known === undefined : known !== undefined && isSameAccess(known, access)) continue;
    isSame = false;
    if (isUsual) unusual.delete(path);
    else unusual.set(path, access);
  }
  return isSame ? table : { ...table, unusual };
}

/** The most frequent of all that was seen; what was not seen at all is as it is said. */
export function findUsual(seen: ReadonlyMap<string, Access | null>, otherwise: UsualModes): UsualModes {
  const counts = { file: new Map(), program: new Map(), folder: new Map(), uid: new Map(), gid: new Map() } as const;
  for (const [path, access] of seen) {
    if (access === null) continue;
    const { mode, uid, gid } = access;
    count(counts[path.endsWith('/') ? 'folder' : isProgram(mode) ? 'program' : 'file'], mode);
    count(counts.uid, uid);
    count(counts.gid, gid);
  }
  return {
    file: mostOf(counts.file) ?? otherwise.file,
    program: mostOf(counts.program) ?? otherwise.program,
    folder: mostOf(counts.folder) ?? otherwise.folder,
    uid: mostOf(counts.uid) ?? otherwise.uid,
    gid: mostOf(counts.gid) ?? otherwise.gid,
  };
}

function count(counts: Map<number, number>, value: number): void {
  counts.set(value, (counts.get(value) ?? 0) + 1);
}

function mostOf(counts: ReadonlyMap<number, number>): number | undefined {
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}

function isSameAccess(one: Access, other: Access): boolean {
  return one.mode === other.mode && one.uid === other.uid && one.gid === other.gid;
}

/** A table as bytes, the same for the same table. */
export function formatModes({ usual, unusual }: ModeTable): Buffer {
  const { file, program, folder, uid, gid } = usual;
  const head = [octal(file), octal(program), octal(folder), uid, gid].join(' ');
  const rows = [...unusual].map(([path, access]) => `${octal(access.mode)} ${access.uid} ${access.gid} ${path}`);
  return Buffer.from([head, ...rows.sort()].map((row) => `${row}\0`).join(''), 'latin1');
}

/** Reads a table back; null for bytes that are none. */
export function parseModes(content: Buffer): ModeTable | null {
  const [head = '', ...rows] = content.toString('latin1').split('\0');
  const [, file, program, folder, uid, gid] = /^([0-7]+) ([0-7]+) ([0-7]+) (\d+) (\d+)$/.exec(head) ?? [];
  if (file === undefined || program === undefined || folder === undefined) return null;
  const usual = {
    file: Number.parseInt(file, 8),
    program: Number.parseInt(program, 8),
    folder: Number.parseInt(folder, 8),
    uid: Number(uid),
    gid: Number(gid),
  };
  const unusual = new Map<string, Access>();
  for (const row of rows) {
    const [, mode, owner, group, path] = /^([0-7]+) (\d+) (\d+) (.+)$/s.exec(row) ?? [];
    if (mode === undefined || path === undefined) continue;
    unusual.set(path, { mode: Number.parseInt(mode, 8), uid: Number(owner), gid: Number(group) });
  }
  return { usual, unusual };
}

function octal(mode: number): string {
  return mode.toString(8);
}
