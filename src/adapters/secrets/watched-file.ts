import { closeSync, constants, fstatSync, openSync, readdirSync, readSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';

/** More of a file is not looked at. */
const MOST_BYTES = 256 * 1024;

/** More files of a folder are not looked at. */
const MOST_FILES = 64;

/** A value computed from a file, and computed again only when the file changed. */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #make: (text: string) => T;
  readonly #none: T;
  #stamp = '';
  #bytes = 0;
  #made: T;

  constructor(path: string, none: T, make: (text: string) => T) {
    this.#path = path;
    this.#make = make;
    this.#none = none;
    this.#made = none;
  }

  /** The value of the file now; nothing when it cannot be read. */
  read(): T {
    const status = statusOf(this.#path);
    const stamp = toStamp(status);
    if (stamp === this.#stamp) return this.#made;
    this.#stamp = stamp;
    this.#bytes = Math.min(status?.size ?? 0, MOST_BYTES);
    this.#made = stamp === '' ? this.#none : this.#readNow();
    return this.#made;
  }

  /** How many bytes were read of it. */
  get bytes(): number {
    return this.#bytes;
  }

  #readNow(): T {
    try {
      return this.#make(readStart(this.#path));
    } catch {
      return this.#none; // Gone, not ours to read, or of a form nobody expects: it tells no secret.
    }
  }
}

/** The files of a folder whose name fits, listed again only when the folder changed. */
export class WatchedFolder {
  readonly #path: string;
  readonly #fits: (name: string) => boolean;
  readonly #rank: (name: string) => number;
  #stamp = '';
  #paths: readonly string[] = [];

  /** If there are too many, those of the lowest rank count. */
  constructor(path: string, fits: (name: string) => boolean, rank: (name: string) => number = () => 0) {
    this.#path = path;
    this.#fits = fits;
    this.#rank = rank;
  }

  /** The paths of the files; none when the folder cannot be read. */
  list(): readonly string[] {
    const stamp = toStamp(statusOf(this.#path));
    if (stamp === this.#stamp) return this.#paths;
    this.#stamp = stamp;
    this.#paths = stamp === '' ? [] : this.#listNow();
    return this.#paths;
  }

  #listNow(): string[] {
    try {
      const names = readdirSync(this.#path).filter(this.#fits).sort();
      names.sort((one, other) => this.#rank(one) - this.#rank(other));
      return names.slice(0, MOST_FILES).map((name) => join(this.#path, name));
    } catch {
      return []; // Gone meanwhile, or not ours to read.
    }
  }
}

/** A pipe or a device is never opened: reading it could wait forever. */
function readStart(path: string): string {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(file);
    if (!status.isFile()) return '';
    const bytes = Buffer.alloc(Math.min(status.size, MOST_BYTES));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, 0));
  } finally {
    closeSync(file);
  }
}

function statusOf(path: string): Stats | undefined {
  // A folder on the way is closed to us.
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
}

function toStamp(status: Stats | undefined): string {
  return status === undefined ? '' : `${status.mtimeMs} ${status.ctimeMs} ${status.size} ${status.ino}`;
}
