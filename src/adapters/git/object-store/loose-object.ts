import {
  closeSync,
  existsSync,
  fdatasync,
  fdatasyncSync,
  mkdir,
  mkdirSync,
  openSync,
  renameSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import { errorCode } from '../../../protocol/error.ts';
import { readRegular } from '../../system/file-status.ts';
import { nextTurn } from '../../system/patience.ts';
import { diskFull, gitFailed } from '../process/messages.ts';
import { adoptFile, objectFolders, openObjectRooms } from './own-objects.ts';
import type { Repository } from './repository.ts';
import { nameFile, type SpareFile, SpareFiles } from './spare-files.ts';

/*
 * A process of git costs more than a small object. So the objects of a checkpoint are written and read here, in the format of loose objects:
 * https://git-scm.com/book/en/v2/Git-Internals-Git-Objects
 */

type ObjectKind = 'blob' | 'commit' | 'tree';

/** Names an object as git does. */
export function nameObject({ objectFormat }: Pick<Repository, 'objectFormat'>, kind: ObjectKind, body: Buffer): string {
  return new Bun.CryptoHasher(objectFormat).update(`${kind} ${body.length}\0`).update(body).digest('hex');
}

/** Writes an object whose parts are there already, and returns its name. `purpose` is part of the error message. */
export function writeObject(repository: Repository, kind: ObjectKind, body: Buffer, purpose: string): string {
  const name = nameObject(repository, kind, body);
  if (isMadeYoung(repository, name)) return name;
  const object = { repository, kind, name, body };
  const fresh = naming(purpose, repository, () => startFile(object));
  naming(purpose, repository, () => {
    try {
      fdatasyncSync(fresh.fd);
      putInPlace(repository, fresh);
      closeSync(fresh.fd);
    } catch (thrown) {
      dispose(fresh);
      throw thrown;
    }
  });
  return name;
}

/** Objects that come among the others together, so that the disk is waited for once. `purpose` is part of the error message. */
export class ObjectBatch {
  readonly #repository: Repository;
  readonly #purpose: string;
  readonly #files = new Map<string, { readonly fresh: FreshFile; readonly synced: Promise<unknown> }>();
  #prepare: (() => () => void) | null = null;

  constructor(repository: Repository, purpose: string) {
    this.#repository = repository;
    this.#purpose = purpose;
  }

  /** Takes an object, and returns its name. The objects that it names are there already, or were added before. */
  add(kind: ObjectKind, body: Buffer): string {
    const repository = this.#repository;
    const name = nameObject(repository, kind, body);
    if (this.#files.has(name) || isMadeYoung(repository, name)) return name;
    const fresh = naming(this.#purpose, repository, () => startFile({ repository, kind, name, body }));
    const synced = Promise.all([syncLater(fresh.fd), this.#makeRoom(fresh)]);
    // The error is thrown where somebody waits.
    synced.catch(() => {});
    this.#files.set(name, { fresh, synced });
    return name;
  }

  /** Makes the folder of an object while the disk is waited for; what fails here is done, or told, when the object comes there. */
  async #makeRoom({ path }: FreshFile): Promise<void> {
    const { fresh, shared } = objectFolders(this.#repository);
    const room = join(shared, path.slice(0, 2));
    if (fresh !== shared && !existsSync(room)) await mkdirLater(room).catch(() => {});
  }

  /** True for an object that was added and was not there before. */
  has(name: string): boolean {
    return this.#files.has(name);
  }

  /** Takes what prepares a file that names the objects, while the disk is waited for, and returns what puts it in place behind them. */
  prepare(work: () => () => void): void {
    this.#prepare = work;
  }

  /** Brings the objects among the others, in the order in which they were added. Before this nothing may name them. */
  async write(): Promise<void> {
    const files = [...this.#files.values()];
    const syncing = Promise.allSettled(files.map(({ synced }) => synced));
    if (this.#prepare !== null) await nextTurn();
    const put = this.#prepare?.();
    const outcomes = await syncing;
    naming(this.#purpose, this.#repository, () => {
      for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
      for (const [name, { fresh }] of this.#files) {
        putInPlace(this.#repository, fresh);
        closeSync(fresh.fd);
        this.#files.delete(name);
      }
    });
    put?.();
  }

  /** Removes the files of objects that were not written. */
  async [Symbol.asyncDispose](): Promise<void> {
    const files = [...this.#files.values()];
    this.#files.clear();
    // A file that is being synced must stay open.
    await Promise.allSettled(files.map(({ synced }) => synced));
    for (const { fresh } of files) dispose(fresh);
  }
}

const syncLater = promisify(fdatasync);
const mkdirLater = promisify(mkdir);

interface NewObject {
  readonly repository: Repository;
  readonly kind: ObjectKind;
  readonly name: string;
  readonly body: Buffer;
}

/** A file that holds an object, and nobody knows yet. */
interface FreshFile extends SpareFile {
  /** Its path in a folder of objects. */
  readonly path: string;
}

/** As git does: an object that is there already becomes young, so that nobody removes it as unused. */
function isMadeYoung(repository: Repository, name: string): boolean {
  const { fresh, shared } = objectFolders(repository);
  return [fresh, shared].some((folder) => makeYoung(join(folder, pathOf(name))));
}

function startFile({ repository, kind, name, body }: NewObject): FreshFile {
  const { fresh, shared } = objectFolders(repository);
  const path = pathOf(name);
  const folder = openObjectRooms(repository) === null ? join(shared, path.slice(0, 2)) : fresh;
  if (folder !== fresh) mkdirSync(folder, { recursive: true });
  const { fd, file } = (folder === fresh ? SPARE.take(folder) : null) ?? makeFile(nameFile(folder));
  try {
    writeFileSync(fd, deflate(Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body])));
    return { fd, file, path };
  } catch (thrown) {
    dispose({ fd, file, path });
    throw thrown;
  }
}

const SPARE = new SpareFiles(0o444);

function makeFile(file: string): SpareFile {
  return { fd: openSync(file, 'wx', 0o444), file };
}

/** The module of zlib makes a stream for each call, which takes longer than the work; Bun itself leaves out the head and the sum. */
function deflate(bytes: Buffer<ArrayBuffer>): Buffer {
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(Bun.hash.adler32(bytes));
  return Buffer.concat([ZLIB_HEAD, Bun.deflateSync(bytes, { level: 1, windowBits: 15 }), sum]);
}

const ZLIB_HEAD = Buffer.from([0x78, 0x01]);

/** Nobody meets half of an object, and it is on the disk before anything names it. */
function putInPlace(repository: Repository, { file, path }: FreshFile): void {
  const rooms = openObjectRooms(repository);
  if (rooms === null) renameSync(file, join(objectFolders(repository).shared, path));
  else adoptFile(rooms, file, path);
}

function dispose({ fd, file }: FreshFile): void {
  closeSync(fd);
  attempt(() => unlinkSync(file), null);
}

function pathOf(name: string): string {
  return `${name.slice(0, 2)}/${name.slice(2)}`;
}

/** The error of a failure names the step. */
function naming<T>(purpose: string, { place }: Repository, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(purpose, place.cwd);
    throw gitFailed(purpose, thrown instanceof Error ? thrown.message : String(thrown), place.cwd);
  }
}

/** Reads the body of an object of that kind; null if it is packed, borrowed, damaged or gone. */
export function readLooseObject(repository: Repository, kind: ObjectKind, name: string): Buffer | null {
  const { fresh, shared } = objectFolders(repository);
  if (!/^[0-9a-f]{40,64}$/.test(name)) return null;
  for (const folder of new Set([fresh, shared])) {
    const path = join(folder, name.slice(0, 2), name.slice(2));
    const whole = attempt(() => Buffer.from(Bun.inflateSync(readRegular(path), { windowBits: 15 })), null);
    const body = whole?.subarray(whole.indexOf(0) + 1);
    if (body !== undefined && nameObject(repository, kind, body) === name) return body;
  }
  return null;
}

function makeYoung(path: string): boolean {
  const now = new Date();
  return existsSync(path) && succeeds(() => utimesSync(path, now, now));
}
