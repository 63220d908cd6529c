import { lstatSync } from 'node:fs';
import type { FileEffect, FileEffectKind } from '../../protocol/change-report.ts';
import { LARGEST_FILE } from '../git/snapshot/snapshot-limits.ts';
import { type GitFacts, type Worth, weigh, worthOf } from './git-facts.ts';
import type { Pace } from './pace.ts';
import { type Entry, type Tree, Unreadable } from './tree.ts';

const MOST_SAMPLES = 8;
const ORDER: readonly FileEffectKind[] = ['deletes', 'overwrites', 'moves', 'changes', 'creates'];

interface Counting {
  /** The new path of the entry, if it differs from its path. */
  readonly as?: string;
}

interface Telling {
  /** While counting goes on there may be more of each. */
  readonly isOpen: boolean;
  /** No report follows. */
  readonly isLast: boolean;
}

/** So many names are gone through between two looks at the clock. */
const STRETCH = 128;

/** The totals of one kind of effect. */
export class Bucket {
  readonly kind: FileEffectKind;
  readonly isMaybe: boolean;
  files = 0;
  folders = 0;
  bytes = 0;
  outside = 0;
  /** Files in git's own folder. */
  #repository = 0;
  isCut = false;
  /** Paths with contents that could not be read. */
  readonly unreadable = new Set<string>();
  readonly #isOutside: (path: string) => boolean;
  readonly #samples: string[] = [];
  #unnamed = 0;
  readonly #singles = new Set<string>();
  /** Files directly in each folder that was taken whole. */
  readonly #whole = new Map<string, number>();
  readonly #unsized: { readonly folder: string; readonly names: string[] }[] = [];
  readonly #roots = new Set<string>();
  #worth: Worth | null;
  /** Files that no checkpoint takes in. */
  readonly #large = new Set<string>();
  #worthOf: ReturnType<typeof worthOf> | null = null;

  constructor(kind: FileEffectKind, isMaybe: boolean, isOutside: (path: string) => boolean) {
    this.kind = kind;
    this.isMaybe = isMaybe;
    this.#isOutside = isOutside;
    this.#worth = kind === 'creates' ? { untracked: 0, ignored: 0, modified: 0 } : null;
  }

  /** Counts one thing, without what is below it. */
  add(path: string, kind: Entry['kind'], size = 0): void {
    if (this.#singles.has(path) || this.#whole.has(path)) return;
    this.sample(path);
    this.#count(path, kind, size);
  }

  /** Names a path as an example. */
  sample(path: string): void {
    if (this.#samples.includes(path)) return;
    if (this.#samples.length < MOST_SAMPLES) this.#samples.push(path);
    else this.#unnamed += 1;
  }

  /** Takes a thing that the line itself had made out again; false where it was not counted here. */
  undo(path: string, kind: Entry['kind']): boolean {
    if (kind === 'folder' ? !this.#whole.delete(path) : !this.#singles.delete(path)) return false;
    if (kind === 'folder') this.folders -= 1;
    else this.files -= 1;
    if (this.#isOutside(path)) this.outside -= 1;
    const at = this.#samples.indexOf(path);
    if (at >= 0) this.#samples.splice(at, 1);
    else this.#unnamed -= 1;
    return true;
  }

  #count(path: string, kind: Entry['kind'], size: number): void {
    if (kind === 'folder') {
      this.folders += 1;
      this.#whole.set(path, 0);
    } else {
      this.files += 1;
      if (kind === 'file') this.#addSize(path, size);
      if (isGitsOwn(path)) this.#repository += 1;
      this.#singles.add(path);
    }
    if (this.#isOutside(path)) this.outside += 1;
  }

  /** Counts a thing with all below it, links not followed. */
  async addTree(entry: Entry, tree: Tree, pace: Pace, counting: Counting = {}): Promise<void> {
    const { as = entry.path } = counting;
    if (this.#isTaken(as)) return;
    this.#roots.add(as);
    const isNew = !this.#whole.has(as) && !this.#singles.has(as);
    if (isNew) this.sample(as);
    if (isNew) this.#count(as, entry.kind, entry.stats?.size ?? 0);
    if (entry.kind !== 'folder') return;
    const waiting: [string, string, number | undefined][] = [[entry.path, as, entry.stats?.size]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      if (!(await pace.breathe())) {
        this.isCut = true;
        return;
      }
      const [from, to, size] = next;
      const folders = await this.#addFolder({ from, to, size }, tree).catch((thrown: unknown) => {
        if (!(thrown instanceof Unreadable)) throw thrown;
        this.isCut = true;
        this.unreadable.add(thrown.path);
        return [];
      });
      for (const folder of folders) waiting.push([`${from}/${folder}`, `${to}/${folder}`, undefined]);
    }
  }

  /**
   * Counts moved things, at their old place. A thing that leaves the project counts as outside of it, like a thing that was there before.
   */
  async addMove(entry: Entry, to: string, tree: Tree, pace: Pace): Promise<void> {
    const before = this.files + this.folders - this.outside;
    await this.addTree(entry, tree, pace);
    this.sample(to);
    if (this.#isOutside(to)) this.outside = this.files + this.folders - before;
  }

  /** Whether it was counted with a folder above it. */
  #isTaken(path: string): boolean {
    for (let one = path; one !== ''; one = one.slice(0, one.lastIndexOf('/'))) if (this.#roots.has(one)) return true;
    return false;
  }

  async #addFolder(
    { from, to, size }: { readonly from: string; readonly to: string; readonly size: number | undefined },
    tree: Tree,
  ): Promise<readonly string[]> {
    const folders: string[] = [];
    const names: string[] = [];
    for (const { name, kind } of await tree.children(from, size)) {
      const known = kind === 'unknown' ? (tree.at(`${from}/${name}`)?.kind ?? 'other') : kind;
      if (known === 'folder') folders.push(name);
      else if (!this.#singles.has(`${to}/${name}`)) names.push(name);
    }
    this.folders += folders.length;
    this.#addWhole(from, to, { names, folders: folders.length }, tree);
    return folders;
  }

  #addWhole(
    from: string,
    to: string,
    { names, folders }: { readonly names: string[]; readonly folders: number },
    tree: Tree,
  ): void {
    this.files += names.length;
    this.#whole.set(to, names.length);
    if (isGitsOwn(to)) this.#repository += names.length;
    if (this.#isOutside(`${to}/x`)) this.outside += names.length + folders;
    const source = tree.source(from);
    if (source !== null && names.length > 0) this.#unsized.push({ folder: source, names });
  }

  /** Looks the sizes up that are not known yet, as long as there is time. */
  async sizeUp(pace: Pace): Promise<void> {
    for (let last = this.#unsized.at(-1); last !== undefined; last = this.#unsized.at(-1)) {
      while (last.names.length > 0) {
        if (!(await pace.breathe())) return;
        for (const name of last.names.splice(-STRETCH)) {
          const path = `${last.folder}/${name}`;
          this.#addSize(path, sizeOf(path));
        }
      }
      this.#unsized.pop();
    }
  }

  #addSize(path: string, size: number): void {
    this.bytes += size;
    if (size > LARGEST_FILE && this.kind !== 'creates') this.#large.add(path);
  }

  /** Asks what git said about what was counted; false where there was no time for that. */
  async weigh(facts: GitFacts, pace: Pace): Promise<boolean> {
    if (this.kind === 'creates') return true;
    this.#worthOf = worthOf(facts);
    this.#worth = await weigh({ singles: this.#singles, whole: this.#whole }, facts, pace);
    return this.#worth !== null;
  }

  /**
   * The number of files too large for a checkpoint. Files in git can be restored all the same, and ignored files are reported as ignored.
   */
  #countLarge(): number {
    let count = 0;
    for (const path of this.#large)
      if (isGitsOwn(path)) continue;
      else if (this.#isOutside(path) || (this.#worthOf?.(path) ?? 'loose') === 'loose') count += 1;
    return count;
  }

  /** The effect for the report; null where nothing was counted. */
  toEffect({ isOpen, isLast }: Telling): FileEffect | null {
    // As long as git may still say what it holds, nothing is reported as lost.
    const large = isLast || this.#worthOf !== null ? this.#countLarge() : 0;
    const isCut = this.isCut || isOpen;
    if (this.files === 0 && this.folders === 0 && !this.isCut) return null;
    return {
      kind: this.kind,
      files: this.files,
      folders: this.folders,
      bytes: this.bytes,
      untracked: this.#worth?.untracked ?? null,
      ignored: this.#worth?.ignored ?? null,
      modified: this.#worth?.modified ?? null,
      ...(large > 0 ? { large } : {}),
      ...(this.#repository > 0 && this.kind !== 'creates' ? { repository: this.#repository } : {}),
      outside: this.outside,
      samples: [...this.#samples],
      ...(this.#unnamed > 0 ? { unnamed: this.#unnamed } : {}),
      ...(isCut ? { atLeast: true } : {}),
      ...(isCut || this.#unsized.length > 0 ? { bytesAtLeast: true } : {}),
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

  /** The bucket of a kind, for certain or maybe. */
  of(kind: FileEffectKind, isMaybe: boolean): Bucket {
    const key = `${kind} ${isMaybe}`;
    const bucket = this.#buckets.get(key) ?? new Bucket(kind, isMaybe, this.#isOutside);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Looks up the sizes that are not known yet. */
  async sizeUp(pace: Pace): Promise<void> {
    for (const bucket of this.#buckets.values()) await bucket.sizeUp(pace);
  }

  /** Asks what git said about what was counted; false where there was no time for all of it. */
  async weigh(facts: GitFacts, pace: Pace): Promise<boolean> {
    let isWhole = true;
    for (const bucket of this.#buckets.values()) isWhole = (await bucket.weigh(facts, pace)) && isWhole;
    return isWhole;
  }

  /** Places that could not be looked at. */
  get unreadable(): readonly string[] {
    return [...new Set([...this.#buckets.values()].flatMap(({ unreadable }) => [...unreadable]))];
  }

  /** How much was counted so far. */
  get size(): number {
    let size = 0;
    for (const { files, folders } of this.#buckets.values()) size += files + folders;
    return size;
  }

  /** How much of what is there already something happens to. */
  get touched(): number {
    let files = 0;
    for (const bucket of this.#buckets.values()) if (bucket.kind !== 'creates') files += bucket.files;
    return files;
  }

  /** All that was counted; deletions first. */
  toEffects(telling: Telling): readonly FileEffect[] {
    return [...this.#buckets.values()]
      .sort(
        (one, other) =>
          ORDER.indexOf(one.kind) - ORDER.indexOf(other.kind) || Number(one.isMaybe) - Number(other.isMaybe),
      )
      .flatMap((bucket) => bucket.toEffect(telling) ?? []);
  }
}

function isGitsOwn(path: string): boolean {
  return /\/\.git(?:\/|$)/.test(path);
}

function sizeOf(path: string): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats?.isFile() === true ? stats.size : 0;
  } catch (cause) {
    throw new Unreadable(path, cause);
  }
}
