import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { mayHoldSecret } from '../../core/gate/secret-paths.ts';
import { isEnvFile, rankOfEnvFile } from './reader-of.ts';

/** More folders of a project are not looked at, and more files are not remembered. */
const MOST_FOLDERS = 4000;
/** The same for a directory that is no work tree, and may hold anything. */
const MOST_ELSEWHERE = 400;
const MOST_FILES = 512;
/** A project is looked through again when this many times as long has passed as looking took, and not before the least. */
const REST = 20;
const LEAST_MS = 2000;
/** No key press waits longer than about this. */
export const SLICE_MS = 3;
/** What others put there, and what git keeps. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);

/** The files of a project that hold secrets by their names, wherever they lie. It is looked through behind all else. */
export class ProjectTree {
  readonly #root: string;
  #files: readonly string[] = [];
  #first: Promise<void> | null = null;
  #isLooking = false;
  #nextAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** What was found when it was last looked through. */
  get files(): readonly string[] {
    return this.#files;
  }

  /**
   * Looks through it, unless that was done just now. Settles when it was done once: nobody waits for a second look, as what is new is known
   * by then to who reads it by name. Never rejects.
   */
  look(): Promise<void> {
    const now = performance.now();
    if (!this.#isLooking && now >= this.#nextAt) {
      this.#isLooking = true;
      const looking = this.#lookNow(now).finally(() => {
        this.#isLooking = false;
      });
      this.#first ??= looking;
    }
    return this.#first ?? Promise.resolve();
  }

  async #lookNow(began: number): Promise<void> {
    const found: string[] = [];
    const waiting = [this.#root];
    const most = existsSync(`${this.#root}/.git`) ? MOST_FOLDERS : MOST_ELSEWHERE;
    let resumed = began;
    for (let at = 0; at < waiting.length && at < most && found.length < MOST_FILES; at += 1) {
      if (performance.now() - resumed > SLICE_MS) resumed = await afterKeys();
      const folder = waiting[at] ?? '';
      for (const entry of entriesOf(folder)) {
        const { name } = entry;
        if (entry.isDirectory()) {
          if (!PASSED_OVER.has(name)) waiting.push(`${folder}/${name}`);
        } else if (isEnvFile(name) || mayHoldSecret(name.toLowerCase())) {
          const path = `${folder}/${name}`;
          if (entry.isFile() || (entry.isSymbolicLink() && isFileWithin(path, this.#root))) found.push(path);
        }
      }
    }
    this.#files = found.slice(0, MOST_FILES);
    const now = performance.now();
    this.#nextAt = now + Math.max(LEAST_MS, (now - began) * REST);
  }
}

/** Lets key presses a turn. */
export function afterKeys(): Promise<number> {
  return new Promise((resolve) => {
    setImmediate(() => resolve(performance.now()));
  });
}

/** True for a link to a file of the project: one that leads out of it is read by no more than its own name. */
function isFileWithin(path: string, root: string): boolean {
  try {
    return realpathSync(path).startsWith(`${realpathSync(root)}/`) && statSync(path).isFile();
  } catch {
    return false; // It leads nowhere.
  }
}

/** In an order of our own, with the usual names first. One at a time: to wait for each takes several times as long as to read it. */
function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort(
      (one, other) => rankOfEnvFile(one.name) - rankOfEnvFile(other.name) || (one.name < other.name ? -1 : 1),
    );
  } catch {
    return []; // Gone meanwhile, or not ours to read.
  }
}
