import {
  closeSync,
  existsSync,
  fdatasync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import { readRegular } from '../../system/file-status.ts';
import { objectFolders } from '../object-store/own-objects.ts';
import type { Repository } from '../object-store/repository.ts';
import { SpareFiles } from '../object-store/spare-files.ts';
import { lstatOrNull } from '../process/raw-path.ts';

/*
 * A process of git costs more than a ref. So where refs are plain files, those of a checkpoint are written and listed here by the rules of
 * git: a lock file with the new value takes the place of the ref.
 */

const SETGID = 0o2000;

/** True if refs are files, and a new one needs no other permissions than the process gives it: a shared repository has its own. */
function hasPlainRefs({ commonDirectory }: Repository): boolean {
  if (existsSync(join(commonDirectory, 'reftable'))) return false;
  return attempt(() => (statSync(join(commonDirectory, 'refs')).mode & SETGID) === 0, false);
}

/** A line of `update-ref --stdin`. */
interface RefChange {
  readonly verb: 'create' | 'update' | 'delete';
  readonly name: string;
  /** The new value; of a ref that goes, the value that it has to have, or an empty text. */
  readonly value: string;
}

/**
 * Changes refs as `update-ref --stdin` would, once the objects are there that they name; false where git has to do it, or to tell why it
 * cannot be done.
 */
export async function writeLooseRefs(
  repository: Repository,
  lines: readonly string[],
  objects: Promise<void> = Promise.resolve(),
): Promise<boolean> {
  const changes = lines.flatMap((line) => parseChange(line) ?? []);
  if (changes.length < lines.length || !hasPlainRefs(repository)) return false;
  const locks: Lock[] = [];
  const isLocked = succeeds(() => {
    for (const change of changes) {
      locks.push(lockRef(repository, change));
      if (!isAllowed(repository, change)) throw new Error(change.name);
    }
  });
  const outcomes = await Promise.allSettled([objects, ...locks.map(({ synced }) => synced)]);
  for (const { fd } of locks) closeSync(fd);
  const isReady = isLocked && outcomes.every(({ status }) => status === 'fulfilled');
  const isDone = isReady && repository.place.signal?.aborted !== true && succeeds(() => apply(repository, changes));
  if (!isDone) for (const { path } of locks) rmSync(path, { force: true });
  return isDone;
}

/** The lock of a ref, which holds the new value. */
interface Lock {
  readonly fd: number;
  readonly path: string;
  readonly synced: Promise<void>;
}

function lockRef(repository: Repository, { verb, name, value }: RefChange): Lock {
  const path = join(repository.commonDirectory, `${name}.lock`);
  if (verb !== 'delete') mkdirSync(dirname(path), { recursive: true });
  dropLeftLock(path);
  const fd = (verb === 'delete' ? null : linkSpare(repository, path)) ?? openSync(path, 'wx', 0o666);
  if (verb === 'delete') return { fd, path, synced: Promise.resolve() };
  try {
    writeFileSync(fd, `${value}\n`);
  } catch (thrown) {
    closeSync(fd);
    rmSync(path, { force: true });
    throw thrown;
  }
  return { fd, path, synced: syncLater(fd) };
}

/** No change of refs takes as long: who made a lock before that was killed, and it would stand in the way for ever. */
const LONGEST_LOCK_MS = 600_000;

function dropLeftLock(path: string): void {
  const stat = lstatOrNull(path);
  if (stat !== null && stat.mtimeMs < Date.now() - LONGEST_LOCK_MS) rmSync(path, { force: true });
}

/** Gives a file that was made ahead the name of a lock; null where that cannot be done. */
function linkSpare(repository: Repository, path: string): number | null {
  const { fresh, shared } = objectFolders(repository);
  const spare = fresh === shared ? null : SPARE.take(fresh);
  if (spare === null) return null;
  const isLinked = succeeds(() => linkSync(spare.file, path));
  rmSync(spare.file, { force: true });
  if (isLinked) return spare.fd;
  closeSync(spare.fd);
  return null;
}

const SPARE = new SpareFiles(0o666);

const syncLater = promisify(fdatasync);

function apply({ commonDirectory: top }: Repository, changes: readonly RefChange[]): void {
  // The ref of the snapshot itself comes last: it is what makes the checkpoint.
  for (const { verb, name } of changes.toReversed())
    if (verb !== 'delete') renameSync(join(top, `${name}.lock`), join(top, name));
  for (const { verb, name } of changes) if (verb === 'delete') removeRef(join(top, name));
}

function parseChange(line: string): RefChange | null {
  const [, made, name, value] = /^(create|update) (refs\/[^ ]+) ([0-9a-f]+)$/.exec(line) ?? [];
  if (name !== undefined && value !== undefined) return { verb: made === 'create' ? made : 'update', name, value };
  const [, gone, was = ''] = /^delete (refs\/[^ ]+)(?: ([0-9a-f]+))?$/.exec(line) ?? [];
  return gone === undefined ? null : { verb: 'delete', name: gone, value: was };
}

function isAllowed(repository: Repository, { verb, name, value }: RefChange): boolean {
  if (verb === 'update') return true;
  if (verb === 'create') return !isTaken(repository, name);
  const path = join(repository.commonDirectory, name);
  // Git alone takes a ref out of the packed ones.
  if (lstatOrNull(path)?.isFile() !== true || readPacked(repository.commonDirectory).includes(` ${name}\n`))
    return false;
  return value === '' || readFileSync(path, 'latin1').trim() === value;
}

/** As git does, with the folder above it if that is empty then. */
function removeRef(path: string): void {
  rmSync(path);
  rmSync(`${path}.lock`, { force: true });
  succeeds(() => rmdirSync(dirname(path)));
}

function isTaken({ commonDirectory }: Repository, name: string): boolean {
  const packed = readPacked(commonDirectory);
  const names = [name, dirname(name)];
  return lstatOrNull(join(commonDirectory, name)) !== null || names.some((one) => packed.includes(` ${one}\n`));
}

function readPacked(commonDirectory: string): string {
  const path = join(commonDirectory, 'packed-refs');
  return existsSync(path) ? readRegular(path).toString('latin1') : '';
}

/** Names of the folders below a folder of refs that hold any, unsorted; null if only git can tell. */
export function listRefFolders(repository: Repository, top: string): readonly string[] | null {
  if (!hasPlainRefs(repository)) return null;
  return attempt(() => {
    const packed = readPacked(repository.commonDirectory)
      .split('\n')
      .flatMap((line) => {
        const name = line.slice(line.indexOf(' ') + 1);
        return name.startsWith(`${top}/`) ? [name.slice(top.length + 1).split('/')[0] ?? ''] : [];
      });
    return [...lookIntoRefs(join(repository.commonDirectory, top)).names, ...packed];
  }, null);
}

/** Names of all refs in some folders of refs; null if only git can tell. */
export function listRefsIn(repository: Repository, folders: readonly string[]): readonly string[] | null {
  if (!hasPlainRefs(repository)) return null;
  return attempt(() => {
    const packed = readPacked(repository.commonDirectory);
    if (folders.some((folder) => packed.includes(` ${folder}/`))) return null;
    return folders.flatMap((folder) => {
      const path = join(repository.commonDirectory, folder);
      const names = existsSync(path) ? readdirSync(path) : [];
      return names.filter((name) => !name.endsWith('.lock')).map((name) => `${folder}/${name}`);
    });
  }, null);
}

/** The content of a folder of refs. */
interface RefFolder {
  /** Names of the folders in it that hold a ref. */
  readonly names: readonly string[];
  /** The first path that is a link; null if there is none. */
  readonly link: string | null;
}

/** Lists a folder of refs. A folder in it that held refs and no link is not looked into again: nothing is written through what is there. */
export function lookIntoRefs(top: string): RefFolder {
  return PLAIN_FOLDERS.list(top);
}

/** Remembers the folders that hold refs and no link, as long as they are listed. */
class PlainFolders {
  static readonly #MOST = 32;
  readonly #plain = new Map<string, { readonly folder: string; readonly names: ReadonlySet<string> }>();

  list(top: string): RefFolder {
    const stat = lstatOrNull(top);
    if (stat === null) return { names: [], link: null };
    const folder = `${stat.dev}:${stat.ino}`;
    const last = this.#plain.get(top);
    const known = last?.folder === folder ? last.names : new Set<string>();
    const names: string[] = [];
    const plain = new Set<string>();
    let link: string | null = null;
    for (const entry of readdirSync(top, { withFileTypes: true })) {
      const path = join(top, entry.name);
      const found = known.has(entry.name) ? null : entry.isSymbolicLink() ? path : findLink(path);
      link ??= found;
      if (!entry.isDirectory() || !(known.has(entry.name) || holdsRef(path))) continue;
      names.push(entry.name);
      if (found === null) plain.add(entry.name);
    }
    this.#plain.delete(top);
    this.#plain.set(top, { folder, names: plain });
    const [oldest = ''] = this.#plain.keys();
    if (this.#plain.size > PlainFolders.#MOST) this.#plain.delete(oldest);
    return { names, link };
  }
}

const PLAIN_FOLDERS = new PlainFolders();

/** A process that was stopped may have left a lock, and another one may be taking the folder away. */
function holdsRef(folder: string): boolean {
  return entriesOf(folder).some(({ name }) => !name.endsWith('.lock'));
}

/** The first link below a folder; null if there is none. */
export function findLink(folder: string): string | null {
  for (const entry of entriesOf(folder)) {
    const path = join(folder, entry.name);
    const link = entry.isSymbolicLink() ? path : entry.isDirectory() ? findLink(path) : null;
    if (link !== null) return link;
  }
  return null;
}

/** Git as well meets folders that go away meanwhile or may not be read. */
function entriesOf(folder: string) {
  return attempt(() => readdirSync(folder, { withFileTypes: true }), []);
}
