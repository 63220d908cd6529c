import {
  closeSync,
  existsSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deflateSync, inflateSync } from 'node:zlib';
import { attempt, succeeds } from '../../../core/text/attempt.ts';
import { errorCode } from '../../../protocol/error.ts';
import { diskFull, gitFailed } from '../process/messages.ts';
import { adoptFile, objectFolders, openObjectRooms } from './own-objects.ts';
import type { Repository } from './repository.ts';

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
  const { fresh, shared } = objectFolders(repository);
  const path = `${name.slice(0, 2)}/${name.slice(2)}`;
  // As git does: an object that is there already becomes young, so that nobody removes it as unused.
  if ([fresh, shared].some((folder) => makeYoung(join(folder, path)))) return name;
  try {
    const bytes = deflateSync(Buffer.concat([Buffer.from(`${kind} ${body.length}\0`), body]));
    const rooms = openObjectRooms(repository);
    if (rooms !== null) writeDurably(rooms.fresh, bytes, (file) => adoptFile(rooms, file, path));
    else {
      const shard = join(shared, path.slice(0, 2));
      mkdirSync(shard, { recursive: true });
      writeDurably(shard, bytes, (file) => renameSync(file, join(shared, path)));
    }
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOSPC' || code === 'EDQUOT') throw diskFull(purpose, repository.place.cwd);
    throw gitFailed(purpose, thrown instanceof Error ? thrown.message : String(thrown), repository.place.cwd);
  }
  return name;
}

/** Reads the body of an object of that kind; null if it is packed, borrowed, damaged or gone. */
export function readLooseObject(repository: Repository, kind: ObjectKind, name: string): Buffer | null {
  const { fresh, shared } = objectFolders(repository);
  if (!/^[0-9a-f]{40,64}$/.test(name)) return null;
  for (const folder of new Set([fresh, shared])) {
    const path = join(folder, name.slice(0, 2), name.slice(2));
    const whole = attempt(() => inflateSync(readFileSync(path)), null);
    const body = whole?.subarray(whole.indexOf(0) + 1);
    if (body !== undefined && nameObject(repository, kind, body) === name) return body;
  }
  return null;
}

function makeYoung(path: string): boolean {
  const now = new Date();
  return existsSync(path) && succeeds(() => utimesSync(path, now, now));
}

/** Nobody meets half of it, and it is on the disk before anything names it. */
function writeDurably(folder: string, bytes: Buffer, putInPlace: (file: string) => void): void {
  const temporary = join(folder, `tmp_obj_${crypto.randomUUID()}`);
  const file = openSync(temporary, 'wx', 0o444);
  try {
    try {
      writeFileSync(file, bytes);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    putInPlace(temporary);
  } catch (thrown) {
    rmSync(temporary, { force: true });
    throw thrown;
  }
}
