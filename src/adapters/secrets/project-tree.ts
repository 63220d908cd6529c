import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { mayHoldSecret } from '../../core/gate/secret-paths.ts';
import { isEnvFile } from './reader-of.ts';

/** More folders of a project are not looked at, and more files are not remembered. */
const MOST_FOLDERS = 4000;
const MOST_FILES = 256;
/** A project is looked through again when this many times as long has passed as looking took, and not before the least. */
const REST = 20;
const LEAST_MS = 2000;
/** What others put there, and what git keeps. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);

/** The files of a project that hold secrets by their names, wherever they lie. It is looked through behind all else. */
export class ProjectTree {
  readonly #root: string;
  #files: readonly string[] = [];
  #looking: Promise<void> | null = null;
  #nextAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** What was found when it was last looked through. */
  get files(): readonly string[] {
    return this.#files;
  }

  /** Looks through it, unless that was done just now. Settles when it was done; never rejects. */
  look(now: number = performance.now()): Promise<void> {
    if (this.#looking !== null) return this.#looking;
    if (now < this.#nextAt) return Promise.resolve();
    this.#looking = this.#lookNow(now).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #lookNow(began: number): Promise<void> {
    const found: string[] = [];
    const waiting = [this.#root];
    for (let count = 0; count < MOST_FOLDERS && found.length < MOST_FILES; count += 1) {
      const folder = waiting.shift();
      if (folder === undefined) break;
      for (const entry of await entriesOf(folder)) {
        const path = join(folder, entry.name);
        if (entry.isDirectory() && !PASSED_OVER.has(entry.name)) waiting.push(path);
        else if (entry.isFile() && (isEnvFile(entry.name) || mayHoldSecret(entry.name.toLowerCase()))) found.push(path);
      }
    }
    this.#files = found.slice(0, MOST_FILES);
    const now = performance.now();
    this.#nextAt = now + Math.max(LEAST_MS, (now - began) * REST);
  }
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch {
    return []; // Gone meanwhile, or not ours to read.
  }
}
