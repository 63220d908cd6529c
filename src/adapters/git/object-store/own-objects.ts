import {
  type BigIntStats,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import { readOwnFile } from '../../system/own-file.ts';
import { isProcessAlive } from '../../system/processes.ts';
import { NO_FOLDER, OTHER_OWNER, REPLACED, unusable } from './messages.ts';
import type { Repository } from './repository.ts';

/** Remembers a value for each repository. A repository is opened for one operation, so its folders are looked at once in it. */
export class OncePerRepository<T> {
  readonly #known = new WeakMap<Repository, { readonly value: T }>();

  /** The remembered value, or a new one. */
  get(repository: Repository, make: () => T): T {
    const known = this.#known.get(repository) ?? { value: make() };
    this.#known.set(repository, known);
    return known.value;
  }
}

/*
 * In a repository the objects of snapshots lie among the user's, where every git finds them. To take one away again, one must know that
 * nobody else needs it. So objects are made in a folder of ours, and come to the others by a second name for the same file: the first name
 * stays with us and tells which files we brought. Each of them bears a mark, a moment of change with just that fraction of a second. Git
 * that wants to keep content which is there already writes nothing but the moment anew, and the mark is gone: from then on the object is
 * the user's.
 */

/** The folders for the objects that we brought into a repository. */
export interface ObjectRooms {
  /** All objects of the repository. */
  readonly shared: string;
  /** New ones of this process, which nobody else sees yet. */
  readonly fresh: string;
  /** Those that lie among the user's, here without folders. */
  readonly own: string;
  /** Those that were taken away, until it is sure that nobody misses them. */
  readonly dropped: string;
  /** Says when the look for what is in use took too long. */
  readonly slow: string;
  /** Locked by who takes objects away. */
  readonly sweep: string;
}

/** One object by its file. */
export interface ObjectFile {
  readonly name: string;
  /** The path in a folder of objects. */
  readonly path: string;
}

/** A folder for new objects that nothing came into for so long may go. */
const IDLE_MS = 5000;

const MARK_NANOSECONDS = 250_000_000n;

/** The folders; null if files of ours cannot be told from others: in a store apart all are ours, and across disks no file has two names. */
export function openObjectRooms(repository: Repository): ObjectRooms | null {
  return ROOMS.get(repository, () => makeObjectRooms(repository));
}

const ROOMS = new OncePerRepository<ObjectRooms | null>();

function makeObjectRooms(repository: Repository): ObjectRooms | null {
  if (repository.place.env !== undefined) return null;
  const top = openSharedDirectory(repository);
  const shared = join(repository.commonDirectory, 'objects');
  if (statSync(shared).dev !== statSync(top).dev) return null;
  const base = makeOwnDirectory(join(top, 'objects'));
  const own = makeOwnDirectory(join(base, 'own'));
  const dropped = makeOwnDirectory(join(base, 'dropped'));
  const fresh = makeOwnDirectory(join(makeOwnDirectory(join(base, 'fresh')), String(process.pid)));
  return { shared, fresh, own, dropped, slow: join(base, 'slow'), sweep: join(base, 'sweep') };
}

/** Our folder in the git directory that all work trees share. */
export function openSharedDirectory(repository: Repository): string {
  return SHARED.get(repository, () => openOwnDirectory(repository.commonDirectory));
}

const SHARED = new OncePerRepository<string>();

/** The folder for new objects and that of the others; they are the same if no object of ours can be told from others. */
export function objectFolders(repository: Repository): Pick<ObjectRooms, 'fresh' | 'shared'> {
  const shared = join(repository.commonDirectory, 'objects');
  return openObjectRooms(repository) ?? { fresh: shared, shared };
}

/** The same for git. */
export function objectEnvironment(repository: Repository): Record<string, string> {
  const { fresh, shared } = objectFolders(repository);
  if (fresh === shared) return { GIT_OBJECT_DIRECTORY: shared };
  const quoted = `"${shared.replace(/[\\"]/g, '\\$&')}"`;
  return { GIT_OBJECT_DIRECTORY: fresh, GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted };
}

/** Brings the new objects among the others. Before this nothing may name them. */
export function adoptObjects(repository: Repository): void {
  const rooms = openObjectRooms(repository);
  if (rooms === null) return;
  for (const { path } of listObjects(rooms.fresh)) adoptFile(rooms, join(rooms.fresh, path), path);
  removeIdleShards(rooms.fresh);
}

/** To look into all of them takes its time. Git makes one anew that it misses, but not twice: one that it just made stays. */
function removeIdleShards(folder: string): void {
  const now = Date.now();
  for (const shard of shardsOf(folder)) {
    const path = join(folder, shard);
    const isIdle = (lstatSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) <= now - IDLE_MS;
    // It fails where the folder is in use again.
    if (isIdle) attempt(() => rmdirSync(path), null);
  }
}

/** Brings the new objects of processes that were killed among the others: an index that they left may name them. */
export function adoptLeftObjects(repository: Repository): void {
  const rooms = openObjectRooms(repository);
  if (rooms === null) return;
  const all = join(rooms.fresh, '..');
  for (const name of readdirSync(all)) {
    if (name === String(process.pid) || isProcessAlive(Number.parseInt(name, 10))) continue;
    const claimed = join(all, `${process.pid}~${crypto.randomUUID()}`);
    // Only one of several processes gets the folder of a dead one.
    if (!succeeds(() => renameSync(join(all, name), claimed))) continue;
    for (const { path } of listObjects(claimed)) adoptFile(rooms, join(claimed, path), path);
    rmSync(claimed, { recursive: true, force: true });
  }
}

/**
 * Brings the file of a new object among the others, under its path there. Killed at any point, it leaves the object where it was or in its
 * place, and at worst a file that nobody will call ours.
 */
export function adoptFile({ shared, own }: Pick<ObjectRooms, 'shared' | 'own'>, fresh: string, path: string): void {
  const [mine, target] = [mineOf({ own }, path), join(shared, path)];
  const isMarked = mark(fresh);
  if (link(fresh, target) || (makeShard(shared, path) && link(fresh, target))) {
    // A name of ours that is there already is that of a file which is gone among the others: git packed it, say.
    if (!isMarked || !move(fresh, mine)) rmSync(fresh, { force: true });
  } else if (existsSync(target)) rmSync(fresh, { force: true });
  // Not every file system gives a file two names.
  else renameSync(fresh, target);
}

/** The name of a file that we brought which stays with us. */
export function mineOf({ own }: Pick<ObjectRooms, 'own'>, path: string): string {
  return join(own, path.replace('/', ''));
}

function move(from: string, to: string): boolean {
  return succeeds(() => renameSync(from, to));
}

/** False where the file system keeps no such moments. */
function mark(path: string): boolean {
  const moment = Math.floor(Date.now() / 1000) + Number(MARK_NANOSECONDS) / 1e9;
  utimesSync(path, moment, moment);
  return isMarkedFile(path);
}

function isMarkedFile(path: string): boolean {
  const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
  return stat !== undefined && stat.mtimeNs % 1_000_000_000n === MARK_NANOSECONDS;
}

/**
 * The fate of an object that we brought: `wanted` if somebody else has wanted to keep it since, `gone` if the file is another one or none.
 */
export function standingOf({ shared, own }: ObjectRooms, { path }: ObjectFile): 'ours' | 'wanted' | 'gone' {
  const mine = mineOf({ own }, path);
  if (!isSameFile(mine, join(shared, path))) return 'gone';
  return isMarkedFile(mine) ? 'ours' : 'wanted';
}

/** Forgets that we brought an object; it stays where it is. */
export function disownObject(rooms: ObjectRooms, { path }: ObjectFile): void {
  rmSync(mineOf(rooms, path), { force: true });
}

/**
 * Takes an object away from among the user's, and keeps the file until it is sure that nobody misses it. A program that wanted to keep it
 * in the last moment has left a sign by then, and it goes back; one that wants to from now on writes another.
 */
export function dropObject(rooms: ObjectRooms, file: ObjectFile): void {
  if (standingOf(rooms, file) !== 'ours') return;
  const [mine, taken] = [mineOf(rooms, file.path), join(rooms.dropped, file.path)];
  makeShard(rooms.dropped, file.path);
  rmSync(taken, { force: true });
  renameSync(join(rooms.shared, file.path), taken);
  if (isSameFile(mine, taken) && isMarkedFile(taken)) rmSync(mine, { force: true });
  else restoreObject(rooms, file);
}

/** Puts an object back that was taken away. */
export function restoreObject({ shared, own, dropped }: ObjectRooms, { path }: ObjectFile): void {
  const [mine, taken, target] = [mineOf({ own }, path), join(dropped, path), join(shared, path)];
  if (!existsSync(taken)) return;
  makeShard(shared, path);
  if (!link(taken, target) && !existsSync(target)) copyFileSync(taken, target, constants.COPYFILE_EXCL);
  if (!existsSync(mine) && isSameFile(taken, target)) link(taken, mine);
  rmSync(taken, { force: true });
}

/** Removes an object for good that was taken away; one that somebody wanted to keep goes back. */
export function forgetDropped(rooms: ObjectRooms, file: ObjectFile): void {
  const taken = join(rooms.dropped, file.path);
  if (isMarkedFile(taken)) rmSync(taken, { force: true });
  else restoreObject(rooms, file);
}

/** All objects in a folder of them, the oldest first: none comes before those that it names. */
export function listObjects(folder: string): readonly ObjectFile[] {
  const names = shardsOf(folder).flatMap((shard) => readdirSync(join(folder, shard)).map((rest) => `${shard}${rest}`));
  return sortByAge(names, ({ path }) => join(folder, path));
}

/** The same for those that we brought. Before, these lay in folders, too: they are moved. */
export function listOwnObjects(rooms: ObjectRooms): readonly ObjectFile[] {
  for (const { path } of listObjects(rooms.own)) {
    const file = join(rooms.own, path);
    move(file, mineOf(rooms, path));
    rmSync(file, { force: true });
  }
  for (const shard of shardsOf(rooms.own)) succeeds(() => rmdirSync(join(rooms.own, shard)));
  return sortByAge(readdirSync(rooms.own), ({ path }) => mineOf(rooms, path));
}

function shardsOf(folder: string): readonly string[] {
  return readdirSync(folder).filter((name) => /^[0-9a-f]{2}$/.test(name));
}

const OBJECT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

function sortByAge(names: readonly string[], fileOf: (file: ObjectFile) => string): readonly ObjectFile[] {
  const files = names
    .filter((name) => OBJECT.test(name))
    .map((name) => ({ name, path: `${name.slice(0, 2)}/${name.slice(2)}` }));
  const birthOf = (file: ObjectFile) =>
    lstatSync(fileOf(file), { bigint: true, throwIfNoEntry: false })?.birthtimeNs ?? 0n;
  return files
    .map((file) => ({ file, birth: birthOf(file) }))
    .sort((one, other) => (one.birth < other.birth ? -1 : Number(one.birth > other.birth)))
    .map(({ file }) => file);
}

/** True if the folder was missing. */
function makeShard(folder: string, path: string): boolean {
  return mkdirSync(join(folder, path.slice(0, 2)), { recursive: true }) !== undefined;
}

/** False where something lies there, or the file system has no second names. */
function link(from: string, to: string): boolean {
  return succeeds(() => linkSync(from, to));
}

function isSameFile(one: string, other: string): boolean {
  const [mine, theirs] = [one, other].map((path) => lstatSync(path, { bigint: true, throwIfNoEntry: false }));
  if (mine === undefined || theirs === undefined || !mine.isFile()) return false;
  return mine.ino === theirs.ino && mine.dev === theirs.dev;
}

/*
 * Our folder inside a git directory holds caches that decide what a snapshot shows: an index that calls files unchanged, a list of
 * names to pass over. A repository that came as an archive may bring such a folder along, made so that snapshots miss what
 * matters. So the folder carries a stamp of its own inode and moment of birth, which nobody can know before it is
 * unpacked. One without the right stamp is thrown away; only the next snapshot takes longer for it.
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
  throw unusable(path, REPLACED);
}

/** Makes a directory below ours. */
export function makeOwnDirectory(path: string): string {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) mkdirSync(path, { mode: 0o700, recursive: true });
  else if (!stat.isDirectory()) throw unusable(path, NO_FOLDER);
  return path;
}

function refuseForeign(path: string, stat: BigIntStats): void {
  if (!stat.isDirectory()) throw unusable(path, NO_FOLDER);
  const own = process.getuid?.();
  if (own !== undefined && stat.uid !== BigInt(own)) throw unusable(path, OTHER_OWNER);
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
  const stamp = readOwnFile(join(path, STAMP));
  if (stamp === toStamp(stat)) return true;
  // A file system that keeps no moment of birth gives that of the last change instead, or none.
  const hasBirth = stat.birthtimeNs !== 0n && stat.birthtimeNs !== stat.ctimeNs;
  return !hasBirth && stamp === `${stat.ino}`;
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
