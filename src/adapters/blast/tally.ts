import { lstatSync } from 'node:fs';
import type { BlastEffect, BlastKind } from '../../protocol/blast-radius.ts';
import type { Pace } from './pace.ts';
import { type Entry, type Tree, Unreadable } from './tree.ts';

const MOST_SAMPLES = 8;
const ORDER: readonly BlastKind[] = ['deletes', 'overwrites', 'moves', 'changes', 'creates'];

/** What git says of files that something happens to. */
export interface GitFacts {
  /** Tracked, and not as in the last commit. Absolute paths. */
  readonly modified: readonly string[];
  /** A folder ends in a slash and stands for all below it. */
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

/** What a subtree is counted as. */
interface Counting {
  /** Where the entry comes to lie, where that is not where it lies. */
  readonly as?: string;
  /** Counted only where it holds. */
  readonly only?: (entry: Entry) => boolean;
  readonly noLinks?: boolean;
}

interface Unsized {
  readonly folder: string;
  readonly names: readonly string[];
}

/** What one kind of effect comes to. */
export class Bucket {
  readonly kind: BlastKind;
  readonly isMaybe: boolean;
  files = 0;
  folders = 0;
  bytes = 0;
  outside = 0;
  isCut = false;
  readonly #isOutside: (path: string) => boolean;
  readonly #samples: string[] = [];
  readonly #singles = new Set<string>();
  /** Files directly in each folder that was taken whole. */
  readonly #whole = new Map<string, number>();
  readonly #unsized: Unsized[] = [];
  readonly #roots = new Set<string>();

  constructor(kind: BlastKind, isMaybe: boolean, isOutside: (path: string) => boolean) {
    this.kind = kind;
    this.isMaybe = isMaybe;
    this.#isOutside = isOutside;
  }

  /** Counts one thing, without what is below it. */
  add(path: string, kind: Entry['kind'], size = 0): void {
    if (this.#singles.has(path) || this.#whole.has(path)) return;
    this.sample(path);
    this.#count(path, kind, size);
  }

  /** Names a path as an example. */
  sample(path: string): void {
    if (this.#samples.length < MOST_SAMPLES && !this.#samples.includes(path)) this.#samples.push(path);
  }

  /** Takes a thing that the line itself had made out again; false where it was not counted here. */
  undo(path: string, kind: Entry['kind']): boolean {
    if (kind === 'folder' ? !this.#whole.delete(path) : !this.#singles.delete(path)) return false;
    if (kind === 'folder') this.folders -= 1;
    else this.files -= 1;
    if (this.#isOutside(path)) this.outside -= 1;
    const at = this.#samples.indexOf(path);
    if (at >= 0) this.#samples.splice(at, 1);
    return true;
  }

  #count(path: string, kind: Entry['kind'], size: number): void {
    if (kind === 'folder') {
      this.folders += 1;
      this.#whole.set(path, 0);
    } else {
      this.files += 1;
      this.bytes += kind === 'file' ? size : 0;
      this.#singles.add(path);
    }
    if (this.#isOutside(path)) this.outside += 1;
  }

  /** Counts a thing with all below it, links not followed. */
  async addTree(entry: Entry, tree: Tree, pace: Pace, counting: Counting = {}): Promise<void> {
    const { as = entry.path, only } = counting;
    if (this.#isTaken(as)) return;
    this.#roots.add(as);
    this.sample(as);
    const isMeant = only === undefined || only(entry);
    if (isMeant && !this.#whole.has(as) && !this.#singles.has(as)) this.#count(as, entry.kind, entry.stats?.size ?? 0);
    if (entry.kind !== 'folder') return;
    const waiting: [string, string, number][] = [[entry.path, as, entry.stats?.size ?? 0]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!(await pace.breathe())) {
        this.isCut = true;
        return;
      }
      const [from, to, size] = next;
      for (const folder of await this.#addFolder(from, to, size, tree, counting))
        waiting.push([`${from}/${folder}`, `${to}/${folder}`, 0]);
    }
  }

  /** Whether it was counted with a folder above it. */
  #isTaken(path: string): boolean {
    for (let one = path; one !== ''; one = one.slice(0, one.lastIndexOf('/'))) if (this.#roots.has(one)) return true;
    return false;
  }

  /** Counts what is in a folder, and names the folders there. */
  async #addFolder(
    from: string,
    to: string,
    size: number,
    tree: Tree,
    { only, noLinks }: Counting,
  ): Promise<readonly string[]> {
    const folders: string[] = [];
    const names: string[] = [];
    for (const { name, kind } of await tree.children(from, size)) {
      const known = kind === 'unknown' ? (tree.at(`${from}/${name}`)?.kind ?? 'other') : kind;
      if (known === 'folder') folders.push(name);
      if (noLinks === true && known === 'link') continue;
      if (only !== undefined) {
        const entry = tree.at(`${from}/${name}`);
        if (entry !== null && only(entry)) this.add(`${to}/${name}`, entry.kind, entry.stats?.size ?? 0);
      } else if (known === 'folder') this.folders += 1;
      else if (!this.#singles.has(`${to}/${name}`)) names.push(name);
    }
    if (only !== undefined) return folders;
    this.files += names.length;
    this.#whole.set(to, names.length);
    if (this.#isOutside(`${to}/x`)) this.outside += names.length + folders.length;
    const source = tree.source(from);
    if (source !== null && names.length > 0) this.#unsized.push({ folder: source, names });
    return folders;
  }

  /** Looks the sizes up that are not known yet, as long as there is time. */
  async sizeUp(pace: Pace): Promise<void> {
    for (let last = this.#unsized.at(-1); last !== undefined; last = this.#unsized.at(-1)) {
      for (let at = 0; at < last.names.length; at += 256) {
        if (!(await pace.breathe())) return;
        for (const name of last.names.slice(at, at + 256)) this.bytes += sizeOf(`${last.folder}/${name}`);
      }
      this.#unsized.pop();
    }
  }

  /** Whether it happens to a file. */
  #covers(path: string): boolean {
    return this.#singles.has(path) || (this.#whole.get(path.slice(0, path.lastIndexOf('/')) || '/') ?? 0) > 0;
  }

  #countOf(paths: readonly string[]): number {
    let count = 0;
    for (const path of paths) {
      if (!path.endsWith('/')) count += this.#covers(path) ? 1 : 0;
      else {
        for (const single of this.#singles) if (single.startsWith(path)) count += 1;
        for (const [folder, files] of this.#whole) if (`${folder}/`.startsWith(path)) count += files;
      }
    }
    return count;
  }

  /** The effect as it is told; null where nothing was counted. */
  toEffect(facts: GitFacts | null): BlastEffect | null {
    if (this.files === 0 && this.folders === 0 && !this.isCut) return null;
    const isNew = this.kind === 'creates';
    const known = isNew ? { modified: [], untracked: [], ignored: [] } : facts;
    return {
      kind: this.kind,
      files: this.files,
      folders: this.folders,
      bytes: this.bytes,
      untracked: known === null ? null : this.#countOf(known.untracked),
      ignored: known === null ? null : this.#countOf(known.ignored),
      modified: known === null ? null : this.#countOf(known.modified),
      outside: this.outside,
      samples: this.#samples,
      ...(this.isCut ? { atLeast: true } : {}),
      ...(this.isCut || this.#unsized.length > 0 ? { bytesAtLeast: true } : {}),
      ...(this.isMaybe ? { maybe: true } : {}),
    };
  }
}

/** All that a line does, by kind. */
export class Tally {
  readonly #buckets = new Map<string, Bucket>();
  readonly #isOutside: (path: string) => boolean;

  constructor(project: string) {
    this.#isOutside = (path) => path !== project && !path.startsWith(`${project}/`);
  }

  /** What belongs to a kind, for certain or maybe. */
  of(kind: BlastKind, isMaybe: boolean): Bucket {
    const key = `${kind} ${isMaybe}`;
    const bucket = this.#buckets.get(key) ?? new Bucket(kind, isMaybe, this.#isOutside);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Looks up the sizes that are not known yet. */
  async sizeUp(pace: Pace): Promise<void> {
    for (const bucket of this.#buckets.values()) await bucket.sizeUp(pace);
  }

  /** All that was counted; deletions first. */
  toEffects(facts: GitFacts | null): readonly BlastEffect[] {
    return [...this.#buckets.values()]
      .sort(
        (one, other) =>
          ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || Number(one.isMaybe) - Number(other.isMaybe),
      )
      .flatMap((bucket) => bucket.toEffect(facts) ?? []);
  }
}

function sizeOf(path: string): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : 0;
  } catch (cause) {
    throw new Unreadable(path, cause);
  }
}
