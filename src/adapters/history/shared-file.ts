import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { withFile } from '../system/file-status.ts';
import { takeLock } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';

/** The text written since the last look. */
export interface News {
  /** Whole lines. */
  readonly text: string;
  /** The file is another one, or was never read: what was read before no longer holds. */
  readonly isAnew: boolean;
}

/** Somebody who holds the lock for longer is stopped, and the user waits for a prompt. */
const LONGEST_WAIT_MS = 200;
const PAUSE_MS = 2;
/** No store grows to this: of a larger file the end is read. */
const MOST_BYTES = 32 * 1024 * 1024;
/** Text that cannot be written is remembered, but not for ever. */
const MOST_PENDING = 4 * 1024 * 1024;
/** So much is read at a time: a large file must not stand in memory whole. */
const PIECE_BYTES = 128 * 1024;
const LINE_END = 10;

/**
 * A file of lines that several processes append to, and that any of them may replace by another one. Both are done under a lock on the
 * file itself; anyone who gets the lock of a file that was replaced meanwhile takes the new one. The reader keeps its file open, so that
 * the number of a removed file is not given to another one and taken for the same.
 */
export class SharedFile {
  readonly #path: string | null;
  #reading: number | null = null;
  #at = 0;
  /** Lines that are nowhere else: there is no file, or it cannot be written. */
  #pending = '';

  /** Without a path the lines live as long as the object. */
  constructor(path: string | null) {
    this.#path = path;
  }

  /** False where lines live in memory. */
  get isOnDisk(): boolean {
    return this.#path !== null;
  }

  /** Bytes that were not read yet, as far as can be told without reading. */
  get bytesLeft(): number {
    const size = this.#path === null ? 0 : (statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0);
    return Math.max(0, Math.min(size, MOST_BYTES) - this.#at);
  }

  /** Gives what others and we wrote since the last look, piece by piece, at most so many; nothing for nothing. True where there is more. */
  readNew(take: (news: News) => void, { pieces = Number.POSITIVE_INFINITY } = {}): boolean {
    const isAnew = this.#follow();
    if (isAnew) take({ text: '', isAnew });
    if (this.#reading === null) return false;
    const { size } = fstatSync(this.#reading);
    if (this.#at === 0 && size > MOST_BYTES) this.#at = size - MOST_BYTES;
    let taken = 0;
    for (let piece = PIECE_BYTES; this.#at < size && taken < pieces; ) {
      const { text, length } = wholeLines(readBytes(this.#reading, this.#at, Math.min(size, this.#at + piece)));
      if (length === 0 && this.#at + piece >= size) return false;
      this.#at += length;
      if (length > 0) take({ text, isAnew: false });
      if (length > 0) taken++;
      // A line longer than a piece wants a longer one.
      piece = length > 0 ? PIECE_BYTES : piece * 4;
    }
    return this.#at < size;
  }

  /** Everything there is, whatever was read before. */
  readAll(): string {
    const fd = this.#openToRead();
    if (fd === null) return this.#pending;
    try {
      return wholeLines(readBytes(fd, 0, fstatSync(fd).size)).text + this.#pending;
    } finally {
      closeSync(fd);
    }
  }

  /** Appends whole lines. False where they could not be written: then they are kept here, and written with the next. */
  append(lines: string): boolean {
    const written = this.#locked((fd) => {
      const { size } = fstatSync(fd);
      // The torn line of a process that was killed must not swallow this one.
      const gap = size > 0 && readBytes(fd, size - 1, size)[0] !== LINE_END ? '\n' : '';
      writeFileSync(fd, gap + this.#pending + lines);
      this.#pending = '';
      return true;
    });
    if (written === null) this.#pending = (this.#pending + lines).slice(-MOST_PENDING);
    return written ?? false;
  }

  /**
   * Replaces the file by what `change` makes of it, which is done with the lock held; null leaves it. False where nothing was replaced.
   * Throws where the new file cannot be written: the old one is whole then.
   */
  replace(change: (text: string) => string | null): boolean {
    if (this.#path === null) {
      const changed = change(this.#pending);
      this.#pending = changed ?? this.#pending;
      return changed !== null;
    }
    const path = this.#path;
    return this.#locked((fd) => this.#exchange(path, fd, change), { throws: true }) ?? false;
  }

  close(): void {
    if (this.#reading !== null) closeSync(this.#reading);
    this.#reading = null;
    this.#at = 0;
  }

  #exchange(path: string, fd: number, change: (text: string) => string | null): boolean {
    const changed = change(wholeLines(readBytes(fd, 0, fstatSync(fd).size)).text + this.#pending);
    if (changed === null) return false;
    // Only the holder of the lock writes it, so one that a killed process left is simply written over.
    const made = `${path}.new`;
    rmSync(made, { force: true });
    withFile(made, 'wx', (to) => {
      writeFileSync(to, changed);
      fsyncSync(to);
    });
    renameSync(made, path);
    this.#pending = '';
    return true;
  }

  /** Goes to the file that has the name now; true when that is not the one before. */
  #follow(): boolean {
    if (this.#path === null) return false;
    const now = statSync(this.#path, { throwIfNoEntry: false });
    const before = this.#reading === null ? null : fstatSync(this.#reading);
    if (now === undefined && before === null) return false;
    if (now?.ino === before?.ino && now?.dev === before?.dev && (now?.size ?? 0) >= this.#at) return false;
    this.close();
    this.#reading = this.#openToRead();
    return true;
  }

  #openToRead(): number | null {
    if (this.#path === null) return null;
    try {
      return openSync(this.#path, constants.O_RDONLY);
    } catch {
      return null;
    }
  }

  /** Does something with the file open and locked; null if the file or the lock is not available. */
  #locked<T>(action: (fd: number) => T, { throws = false } = {}): T | null {
    const path = this.#path;
    if (path === null) return null;
    const end = performance.now() + LONGEST_WAIT_MS;
    do {
      try {
        const held = hold(path);
        if (held !== null) return withHeld(held, action);
      } catch (error) {
        if (throws) throw error;
        return null;
      }
      Bun.sleepSync(PAUSE_MS);
    } while (performance.now() < end);
    return null;
  }
}

interface Held {
  readonly fd: number;
  readonly release: () => void;
}

/** Opens and locks the file that has the name; null when another process has the lock, or has just replaced the file. */
function hold(path: string): Held | null {
  const fd = openToWrite(path);
  const release = takeLock(fd, path, systemCalls());
  const isSame = release !== null && statSync(path, { throwIfNoEntry: false })?.ino === fstatSync(fd).ino;
  if (release !== null && isSame) return { fd, release };
  release?.();
  closeSync(fd);
  return null;
}

function withHeld<T>({ fd, release }: Held, action: (fd: number) => T): T {
  try {
    return action(fd);
  } finally {
    release();
    closeSync(fd);
  }
}

function openToWrite(path: string): number {
  const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const fd = openSync(path, flags, 0o600);
  // A file that was there before keeps the mode it had: what a user types is for their eyes only.
  if ((fstatSync(fd).mode & 0o077) !== 0) fchmodSync(fd, 0o600);
  return fd;
}

function readBytes(fd: number, from: number, to: number): Uint8Array {
  const bytes = new Uint8Array(to - from);
  let length = 0;
  while (length < bytes.length) {
    const got = readSync(fd, bytes, length, bytes.length - length, from + length);
    if (got === 0) break;
    length += got;
  }
  return bytes.subarray(0, length);
}

/** The text up to the last line end; the rest may be half a line that another process is writing just now. */
function wholeLines(bytes: Uint8Array): { readonly text: string; readonly length: number } {
  const length = bytes.lastIndexOf(LINE_END) + 1;
  return { text: new TextDecoder().decode(bytes.subarray(0, length)), length };
}
