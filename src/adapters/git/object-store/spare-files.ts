import { closeSync, existsSync, open, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { succeeds } from '../../../core/text/attempt.ts';

/*
 * To find a free inode may take a file system longer than all else about a small file: ext4 passes over those that went in the last minutes,
 * one by one. So the files of the next objects and refs are made ahead, in other threads, once a few were needed.
 */

/** An empty file that nobody but its maker knows. */
export interface SpareFile {
  readonly fd: number;
  readonly file: string;
}

const MOST_FILES = 4;
const MOST_FOLDERS = 4;
/** A single step needs no more than this. */
const NEEDED_BEFORE = 6;

interface Spare {
  /** They stand in the order in which they were made: objects are sorted by the age of their files. */
  readonly files: SpareFile[];
  needed: number;
  isFilling: boolean;
}

/** Keeps some files of a mode in each of a few folders. Those that a process leaves go with its folder. */
export class SpareFiles {
  readonly #folders = new Map<string, Spare>();
  readonly #mode: number;

  constructor(mode: number) {
    this.#mode = mode;
  }

  /** Gives one that is there already; null if there is none. */
  take(folder: string): SpareFile | null {
    const spare = this.#folders.get(folder) ?? { files: [], needed: 0, isFilling: false };
    this.#folders.delete(folder);
    this.#folders.set(folder, spare);
    spare.needed += 1;
    const [oldest = ''] = this.#folders.keys();
    if (this.#folders.size > MOST_FOLDERS) this.#drop(oldest);
    // The taker waits for other work in these threads, which goes first.
    if (spare.needed > NEEDED_BEFORE && !spare.isFilling) setImmediate(() => void this.#fill(folder, spare));
    const file = spare.files.shift() ?? null;
    if (file === null || existsSync(file.file)) return file;
    closeSync(file.fd);
    return null;
  }

  async #fill(folder: string, spare: Spare): Promise<void> {
    if (spare.isFilling) return;
    spare.isFilling = true;
    try {
      while (spare.files.length < MOST_FILES && this.#folders.get(folder) === spare) {
        const file = nameFile(folder);
        spare.files.push({ fd: await openLater(file, 'wx', this.#mode), file });
      }
    } catch {
      // The next taker makes one itself, or tells why that cannot be done.
    }
    spare.isFilling = false;
    if (this.#folders.get(folder) !== spare) dispose(spare);
  }

  #drop(folder: string): void {
    const spare = this.#folders.get(folder);
    this.#folders.delete(folder);
    if (spare?.isFilling === false) dispose(spare);
  }
}

const openLater = promisify(open);

/** The path of a new file for an object, as git names such files. */
export function nameFile(folder: string): string {
  return join(folder, `tmp_obj_${crypto.randomUUID()}`);
}

function dispose({ files }: Spare): void {
  for (const { fd, file } of files.splice(0)) {
    closeSync(fd);
    succeeds(() => rmSync(file, { force: true }));
  }
}
