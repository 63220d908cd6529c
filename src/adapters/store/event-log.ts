import {
  closeSync,
  constants,
  fchmodSync,
  fdatasyncSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { errorCode } from '../../protocol/error.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import { withFile } from '../system/file-status.ts';
import { type ReleaseLock, takeLock } from '../system/own-file.ts';
import { type SystemCalls, systemCalls } from '../system/system-calls.ts';
import { formatHeader, formatRecord, LOG_VERSION, type LogContent, parseLog } from './log-line.ts';
import * as messages from './messages.ts';

/** The content of an opened log. */
export interface OpenedLog {
  readonly log: EventLog;
  readonly recorded: readonly Recorded[];
  /** Notices about damaged lines. */
  readonly warnings: readonly string[];
}

/** The open file. */
interface OwnedFile {
  readonly fd: number;
  readonly release: ReleaseLock;
  /** Bytes up to the end of the last complete line. */
  size: number;
  /** True if part of a line may follow `size`. */
  ragged: boolean;
}

const MOST_KINDS = 5;

/** Dependencies that a test replaces. */
interface EventLogOptions {
  readonly calls?: SystemCalls | null;
}

/**
 * The log of one session, owned by this process from its first event to `close()`. The format stands in `log-line.ts`.
 * Events reach the system with `append` (they survive the end of the process) and the disk with `sync`.
 */
export class EventLog {
  readonly path: string;
  readonly #calls: SystemCalls | null;
  #file: OwnedFile | null = null;
  #seq = 0;
  #version: number | null = null;
  #folderSynced = true;
  #closed = false;

  private constructor(path: string, options: EventLogOptions) {
    this.path = path;
    this.#calls = options.calls === undefined ? systemCalls() : options.calls;
  }

  /** A new log. The first event makes its folder and file. */
  static create(path: string, options: EventLogOptions = {}): EventLog {
    return new EventLog(path, options);
  }

  /** Locks and reads an existing log. A damaged end moves to `<path>.torn`. */
  static open(path: string, options: EventLogOptions = {}): OpenedLog {
    const log = new EventLog(path, options);
    const file = log.#take(constants.O_RDWR | constants.O_APPEND);
    try {
      const bytes = readWhole(file.fd, path);
      const content = parseLog(bytes);
      refuseNewer(content, path);
      const warnings = [...repair(file.fd, bytes, content, path), ...noteUnknown(content)];
      file.size = content.goodBytes;
      log.#file = file;
      log.#seq = content.last;
      log.#version = content.version;
      return { log, recorded: content.recorded, warnings };
    } catch (error) {
      release(file);
      throw error;
    }
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  /** Adds events with one write, all or none. */
  append(events: readonly DurableEvent[], at: number): readonly Recorded[] {
    if (this.#closed) throw new Error(`append to the closed log ${this.path}`);
    if (events.length === 0) return [];
    const recorded = events.map((event, index) => ({ seq: this.#seq + index + 1, at, event }));
    const lines = recorded.map(formatRecord).join('');
    const file = this.#file ?? this.#begin();
    writeLines(file, this.#version === LOG_VERSION ? lines : formatHeader() + lines, this.path);
    this.#version = LOG_VERSION;
    this.#seq += events.length;
    return recorded;
  }

  /** Waits until all appended events are on the disk. */
  sync(): void {
    if (this.#file === null) return;
    try {
      fdatasyncSync(this.#file.fd);
      if (!this.#folderSynced) withFile(dirname(this.path), 'r', fsyncSync);
      this.#folderSynced = true;
    } catch (cause) {
      throw messages.failedWrite(this.path, cause);
    }
  }

  /** Unlocks the log. A second call does nothing. */
  close(): void {
    this.#closed = true;
    if (this.#file !== null) release(this.#file);
    this.#file = null;
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #begin(): OwnedFile {
    try {
      mkdirSync(dirname(this.path), { recursive: true, mode: 0o700 });
    } catch (cause) {
      throw messages.failedWrite(this.path, cause);
    }
    this.#file = this.#take(constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL);
    this.#folderSynced = false;
    // Not before the first request has left: it starts threads.
    setImmediate(() => this.#syncFolderBehind());
    return this.#file;
  }

  /** Syncs the folder of a new file in the background, so that the first `sync` need not wait for it and reports its failure. */
  #syncFolderBehind(): void {
    try {
      const folder = openSync(dirname(this.path), 'r');
      // `sync` meets the same failure and reports it.
      fsync(folder, (error) => {
        this.#folderSynced ||= error === null;
        closeSync(folder);
      });
    } catch {
      // As above.
    }
  }

  #take(flags: number): OwnedFile {
    const fd = openFile(this.path, flags);
    const free = takeLock(fd, this.path, this.#calls);
    if (free === null) {
      closeSync(fd);
      throw messages.lockedLog(this.path);
    }
    return { fd, release: free, size: 0, ragged: false };
  }
}

function openFile(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600);
  } catch (cause) {
    throw errorCode(cause) === 'ENOENT' ? messages.noLog(path, cause) : messages.unusableLog(path, cause);
  }
}

function readWhole(fd: number, path: string): Buffer {
  const stat = fstatSync(fd);
  // Another process may remove the session before the lock.
  if (stat.nlink === 0) throw messages.removedLog(path);
  if ((stat.mode & 0o077) !== 0) fchmodSync(fd, 0o600);
  return readFileSync(fd);
}

function refuseNewer(content: LogContent, path: string): void {
  const { version } = content;
  if (version !== null && version > LOG_VERSION) throw messages.newerLog(path, version, LOG_VERSION);
}

/** Moves a damaged end out of the log: first a synced copy, then the cut, so no crash loses a byte. */
function repair(fd: number, bytes: Buffer, content: LogContent, path: string): readonly string[] {
  const rest = bytes.subarray(content.goodBytes);
  if (rest.length === 0) return [];
  const aside = `${path}.torn`;
  try {
    withFile(aside, 'a', (copy) => {
      writeFileSync(copy, rest);
      fsyncSync(copy);
    });
    ftruncateSync(fd, content.goodBytes);
  } catch (cause) {
    throw messages.failedWrite(path, cause);
  }
  const { last } = content;
  return [(content.damagedInside ? messages.formatMovedDamage : messages.formatMovedEnd)(last, rest.length, aside)];
}

/** Events of a newer release, which this release skips. */
function noteUnknown({ unknown }: LogContent): readonly string[] {
  if (unknown.length === 0) return [];
  const kinds = unknown.slice(0, MOST_KINDS).join(', ');
  const more = unknown.length > MOST_KINDS ? ` and ${unknown.length - MOST_KINDS} more kinds` : '';
  return [messages.formatUnknownEvents(`${kinds}${more}`)];
}

/** A failed write is cut off before the next one, so that no line follows half a line. */
function writeLines(file: OwnedFile, text: string, path: string): void {
  const bytes = Buffer.from(text);
  try {
    if (file.ragged) cutBack(file);
    file.ragged = true;
    let done = writeSync(file.fd, bytes);
    // A full disk writes a part first, and the next write fails with the reason.
    while (done < bytes.length) done += writeSync(file.fd, bytes, done);
    file.ragged = false;
    file.size += bytes.length;
  } catch (cause) {
    if (file.ragged) tryCutBack(file);
    throw messages.failedWrite(path, cause);
  }
}

function cutBack(file: OwnedFile): void {
  ftruncateSync(file.fd, file.size);
  file.ragged = false;
}

function tryCutBack(file: OwnedFile): void {
  try {
    cutBack(file);
  } catch {
    // The caller reports the failed write; the next write cuts again.
  }
}

function release(file: OwnedFile): void {
  file.release();
  closeSync(file.fd);
}

/** Reads a log without locking or repairing it, to show a session in use; `warn` gets notices about unreadable lines. */
export function readLog(path: string, warn: (text: string) => void = () => {}): readonly Recorded[] {
  const fd = openFile(path, constants.O_RDONLY);
  try {
    const bytes = readFileSync(fd);
    const content = parseLog(bytes);
    refuseNewer(content, path);
    if (content.damagedInside) warn(messages.formatUnreadable(content.last, bytes.length - content.goodBytes, path));
    for (const text of noteUnknown(content)) warn(text);
    return content.recorded;
  } finally {
    closeSync(fd);
  }
}

const TIME_DIGITS = 8;
const RANDOM_DIGITS = 4;

/** A new session id: the time, then four random letters, so that ids sort by age. `random` is in [0, 1). */
export function newSessionId(now: number, random: number): string {
  const tail = Math.floor(random * 36 ** RANDOM_DIGITS);
  return Math.floor(now).toString(36).padStart(TIME_DIGITS, '0') + tail.toString(36).padStart(RANDOM_DIGITS, '0');
}

/** Path of a session's log. `stateDir` is aish's state directory. */
export function logPath(stateDir: string, id: string): string {
  return join(stateDir, 'sessions', id, 'log.jsonl');
}
