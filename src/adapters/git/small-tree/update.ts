import { type BigIntStats, existsSync, lstatSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import { nameObject, type ObjectBatch } from '../object-store/loose-object.ts';
import { objectFolders } from '../object-store/own-objects.ts';
import { privateEnvironment } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { runGit } from '../process/git-process.ts';
import { foldersAbove, lstatOrNull, toFullPath } from '../process/raw-path.ts';
import { formatStatus, type IndexEntry, type SmallIndex, withoutSize, writeIndex } from './index-file.ts';
import { modeOf } from './look.ts';

/*
 * Takes a few changed files into the index of a small tree and writes the trees of their folders, as `git update-index` and `git write-tree`
 * would. As these do, it makes sure that everything which a new tree names is there.
 */

/** Raw paths to take into the index, and those to take out of it. */
export interface IndexChanges {
  readonly taken: readonly string[];
  readonly dropped: readonly string[];
}

/** To write more objects, a process of git is quicker; to read more bytes, it holds less in memory. */
const MOST_NEW = 64;
const MOST_BYTES = 4_000_000;

/** A file may change again within the tick of the clock that dates it; some file systems know moments of two seconds only. */
const TICK_NS = 50_000_000n;
const COARSE_TICK_NS = 2_000_000_000n;

/** An index brought up to date, and the tree of it. */
interface UpdatedTree {
  readonly tree: string;
  readonly entries: SmallIndex['entries'];
}

/**
 * Brings a small index up to date, once the batch is written that takes the new objects; null where git has to do it, or to tell why it
 * cannot be done.
 */
export async function updateSmallTree(
  repository: Repository,
  path: string,
  index: SmallIndex,
  { taken, dropped, batch }: IndexChanges & { readonly batch: ObjectBatch },
): Promise<UpdatedTree | null> {
  const top = index.trees.get('');
  if (index.isOurs && top !== undefined && taken.length + dropped.length === 0)
    return (await KNOWN_OBJECTS.hasAll(repository, [top])) ? { tree: top, entries: index.entries } : null;
  const entries = new Map(index.entries);
  const trees = new Map(index.trees);
  let isRewritten = !index.isOurs || !trees.has('');
  for (const one of dropped) isRewritten = entries.delete(one) || isRewritten;
  let left = MOST_BYTES;
  const contents: Buffer[] = [];
  for (const one of taken) {
    const known = index.entries.get(one);
    const file = readWhole(repository, one, left);
    if (file === null) return null;
    const { mode, blob, status, content } = file;
    left -= content.length;
    // To write an object again makes it the user's own.
    if (blob !== known?.blob && contents.push(content) > MOST_NEW) return null;
    if (blob === known?.blob && mode === known.mode && known.status.equals(status)) continue;
    entries.set(one, { mode, blob, status });
    isRewritten = true;
  }
  for (const content of contents) batch.add('blob', content);
  for (const one of [...taken, ...dropped]) {
    if (isSameEntry(index.entries.get(one), entries.get(one))) continue;
    for (const folder of ['', ...foldersAbove(one)]) trees.delete(folder);
  }
  const sorted = sortByPath(entries);
  const tree = await new TreeWriter(repository, { entries: sorted, trees, batch }).add();
  if (tree === null) return null;
  const next = { entries: sorted, trees, isOurs: true };
  if (isRewritten) batch.prepare(() => writeIndex(path, next, repository.objectFormat));
  return { tree, entries: sorted };
}

function sortByPath(entries: ReadonlyMap<string, IndexEntry>): ReadonlyMap<string, IndexEntry> {
  const sorted = new Map<string, IndexEntry>();
  for (const path of [...entries.keys()].sort()) {
    const entry = entries.get(path);
    if (entry !== undefined) sorted.set(path, entry);
  }
  return sorted;
}

function isSameEntry(one: IndexEntry | undefined, other: IndexEntry | undefined): boolean {
  return one?.blob === other?.blob && one?.mode === other?.mode;
}

/** Reads a file that nobody changes meanwhile; null if that is not possible. */
function readWhole(
  repository: Repository,
  path: string,
  most: number,
): (IndexEntry & { readonly content: Buffer }) | null {
  const full = toFullPath(repository.root, path);
  const look = () => attempt(() => lstatSync(full, { bigint: true, throwIfNoEntry: false }), undefined);
  const stat = look();
  const mode = stat === undefined ? '0' : modeOf(stat);
  if (stat === undefined || mode === '0' || stat.size > most) return null;
  const read = () => (mode === '120000' ? readlinkSync(full, { encoding: 'buffer' }) : readFileSync(full));
  const content = attempt(read, null);
  const status = formatStatus(stat, mode);
  const after = look();
  if (content === null || after === undefined || !formatStatus(after, modeOf(after)).equals(status)) return null;
  const blob = nameObject(repository, 'blob', content);
  return { mode, blob, status: isYoung(stat) ? withoutSize(status) : status, content };
}

function isYoung({ mtimeNs, ctimeNs }: BigIntStats): boolean {
  const last = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = mtimeNs % 1_000_000_000n === 0n ? COARSE_TICK_NS : TICK_NS;
  return last > BigInt(Date.now()) * 1_000_000n - tick;
}

interface TreeSources {
  /** Sorted. */
  readonly entries: ReadonlyMap<string, IndexEntry>;
  /** The names of the trees that are known. */
  readonly trees: Map<string, string>;
  readonly batch: ObjectBatch;
}

/** Adds the trees of an index that are not known yet to a batch, and notes their names. */
class TreeWriter {
  readonly #repository: Repository;
  readonly #paths: readonly string[];
  readonly #sources: TreeSources;
  /** Names of objects that a new tree names, and that are not added here. */
  readonly #named = new Set<string>();
  readonly #bodies: Buffer[] = [];

  constructor(repository: Repository, sources: TreeSources) {
    this.#repository = repository;
    this.#paths = [...sources.entries.keys()];
    this.#sources = sources;
  }

  async add(): Promise<string | null> {
    const { batch } = this.#sources;
    const top = this.#build('', 0, this.#paths.length);
    if (this.#bodies.length === 0 && top !== null) this.#named.add(top);
    const named = [...this.#named].filter((name) => !batch.has(name));
    if (top === null || !(await KNOWN_OBJECTS.hasAll(this.#repository, named))) return null;
    for (const body of this.#bodies) batch.add('tree', body);
    return top;
  }

  /** The name of the tree of a folder, whose paths stand side by side; null if one of them is a file and a folder. */
  #build(folder: string, from: number, to: number): string | null {
    const known = this.#sources.trees.get(folder);
    if (known !== undefined) {
      this.#named.add(known);
      return known;
    }
    const rows: Buffer[] = [];
    for (let at = from; at < to; ) {
      const path = this.#paths[at] ?? '';
      const slash = path.indexOf('/', folder.length);
      const name = slash === -1 ? path : path.slice(0, slash);
      const next = slash === -1 ? at + 1 : this.#endOf(`${name}/`, at, to);
      const entry =
        slash === -1 ? this.#sources.entries.get(path) : { mode: '40000', blob: this.#build(`${name}/`, at, next) };
      if (entry == null || entry.blob === null || (slash !== -1 && this.#sources.entries.has(name))) return null;
      if (slash === -1) this.#named.add(entry.blob);
      rows.push(Buffer.from(`${entry.mode} ${name.slice(folder.length)}\0`, 'latin1'), Buffer.from(entry.blob, 'hex'));
      at = next;
    }
    const body = Buffer.concat(rows);
    const tree = nameObject(this.#repository, 'tree', body);
    this.#bodies.push(body);
    this.#sources.trees.set(folder, tree);
    return tree;
  }

  #endOf(folder: string, from: number, to: number): number {
    let end = from;
    while (end < to && this.#paths[end]?.startsWith(folder) === true) end += 1;
    return end;
  }
}

/** Remembers which objects are in packs, for as long as no pack comes or goes. */
class KnownObjects {
  static readonly #MOST = 8;
  readonly #packed = new Map<string, { readonly stamp: string; readonly names: Set<string> }>();

  /** True if all are there, as far as can be told; git is asked about those that are not loose. */
  async hasAll(repository: Repository, names: Iterable<string>): Promise<boolean> {
    const { fresh, shared } = objectFolders(repository);
    const folders = [...new Set([shared, fresh])];
    const stamp = describePacks(shared);
    const kept = this.#packed.get(shared);
    const known = kept?.stamp === stamp ? kept.names : new Set<string>();
    const isLoose = (name: string) =>
      folders.some((folder) => lstatOrNull(`${folder}/${name.slice(0, 2)}/${name.slice(2)}`) !== null);
    const open = [...names].filter((name) => !known.has(name) && !isLoose(name));
    if (open.length === 0) return true;
    const args = ['cat-file', '--batch-check=%(objectname)'];
    const call = { ...repository.place, env: privateEnvironment(repository), args };
    const { exit, stdout } = await runGit({ ...call, input: open.map((name) => `${name}\n`).join('') });
    if (exit !== 0 || stdout.toString('latin1') !== open.map((name) => `${name}\n`).join('')) return false;
    if (stamp === null) return true;
    this.#packed.delete(shared);
    this.#packed.set(shared, { stamp, names: new Set([...known, ...open]) });
    const [oldest = ''] = this.#packed.keys();
    if (this.#packed.size > KnownObjects.#MOST) this.#packed.delete(oldest);
    return true;
  }
}

const KNOWN_OBJECTS = new KnownObjects();

/** A text that changes whenever a pack comes or goes; null if objects are borrowed from elsewhere. */
function describePacks(objects: string): string | null {
  if (existsSync(join(objects, 'info/alternates'))) return null;
  const stat = statSync(join(objects, 'pack'), { bigint: true, throwIfNoEntry: false });
  return `${stat?.dev}:${stat?.ino}:${stat?.mtimeNs}:${stat?.ctimeNs}`;
}
