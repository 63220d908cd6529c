import { type Dirent, lstatSync, readdirSync, readFileSync, readlinkSync, type Stats } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';
import { omitUndefined } from '../../protocol/json.ts';

/** The entry at a path. */
export interface Entry {
  /** Absolute, without links on the way; the last part may be a link itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'device' | 'other';
  /** Null for what the line itself has made. */
  readonly stats: Stats | null;
}

/** A name in a folder. */
export interface Child {
  readonly name: string;
  readonly kind: Entry['kind'] | 'unknown';
}

/** Thrown for a path that aish cannot read. */
export class Unreadable extends Error {
  readonly path: string;

  constructor(path: string, cause: unknown) {
    super(`cannot read ${path}`, { cause });
    this.path = path;
  }
}

interface Change {
  /** Null where it is gone. */
  readonly kind: Entry['kind'] | null;
  /** The place of its contents on the real tree, after a move or a copy. */
  readonly like: string | null;
  /** The target of a link made by the line. */
  readonly leadsTo?: string | null;
}

const MOST_LINKS = 40;
/** A folder whose own entry is larger holds so many names that reading them takes long. */
const LARGE_FOLDER = 120_000;

/** The tree as the steps of a line find it: the real one, with what the steps before have changed. Nothing is ever written. */
export class Tree {
  readonly #changes = new Map<string, Change>();
  readonly #made = new Map<string, Set<string>>();
  /** Folders with a change somewhere below them. */
  readonly #above = new Set<string>();
  /** The real places of the named folders, by the names that led there. */
  readonly #folders = new Map<string, Entry>();
  /** The paths passed on the way to them. */
  readonly #ways = new Set<string>();
  /** For the folder of the last query: the change at or above it. */
  #cover: { readonly folder: string; readonly by: string | null } | null = null;

  /** The entry at an absolute path, not following a link at its end; null for nothing. */
  look(path: string): Entry | null {
    return this.#resolve(path, { followsLast: path.endsWith('/') });
  }

  /** The entry at an absolute path, links followed; null for nothing. */
  follow(path: string): Entry | null {
    return this.#resolve(path, { followsLast: true });
  }

  /** The place of a new entry at a path; null if its folder is missing. */
  spot(path: string): string | null {
    const trimmed = path.replace(/(?<!\/)\/+$/, '');
    const slash = trimmed.lastIndexOf('/');
    const parent = this.#folderAt(trimmed.slice(0, slash) || '/');
    const name = trimmed.slice(slash + 1);
    if (parent?.kind !== 'folder' || name === '' || name === '.' || name === '..') return null;
    return parent.path === '/' ? `/${name}` : `${parent.path}/${name}`;
  }

  /** The place of a write through a path, following links that lead to nothing yet; null if a folder is missing. */
  writeSpot(path: string): string | null {
    let current = path;
    for (let links = 0; links < MOST_LINKS; links += 1) {
      const spot = this.spot(current);
      const there = spot === null ? null : this.at(spot);
      if (spot === null || there?.kind !== 'link') return spot;
      const target = this.#targetOf(spot);
      if (target === null) return null;
      current = target.startsWith('/') ? target : `${spot.slice(0, spot.lastIndexOf('/'))}/${target}`;
    }
    return null;
  }

  /** The entry at a path that has no links on the way. */
  at(path: string): Entry | null {
    const change = this.#changes.size === 0 ? undefined : this.#changeAt(path);
    if (change === undefined) return onDisk(path, path);
    if (change === null || change.kind === null) return null;
    const stats = change.like === null ? null : (onDisk(change.like, path)?.stats ?? null);
    return change.like !== null && stats === null ? null : { path, kind: change.kind, stats };
  }

  /** The names in a folder; `path` has no links on the way. */
  async children(path: string, size?: number): Promise<readonly Child[]> {
    const change = this.#changes.size === 0 ? undefined : this.#changeAt(path);
    if (change === null || change?.kind === null) return [];
    const from = change === undefined ? path : change.like;
    const found = from === null ? [] : await namesIn(from, size);
    if (this.#changes.size === 0 || !this.#above.has(path)) return found;
    const prefix = path === '/' ? '/' : `${path}/`;
    const kept = found.filter(({ name }) => !this.#changes.has(prefix + name));
    const made = [...(this.#made.get(path) ?? [])].flatMap((name) => {
      const { kind } = this.#changes.get(prefix + name) ?? { kind: null };
      return kind === null ? [] : [{ name, kind }];
    });
    return [...kept, ...made];
  }

  /** Takes note that something is made, or another thing than before. */
  make(
    path: string,
    kind: Entry['kind'],
    more: { readonly like?: string | null; readonly leadsTo?: string | null } = {},
  ): void {
    this.#settle(path);
    this.#cover = null;
    this.#changes.set(path, { kind, like: more.like ?? null, ...omitUndefined({ leadsTo: more.leadsTo }) });
    const slash = path.lastIndexOf('/');
    const parent = path.slice(0, slash) || '/';
    const names = this.#made.get(parent) ?? new Set();
    this.#made.set(parent, names.add(path.slice(slash + 1)));
  }

  /** Repeats the changes below one place below another place, to which it is moved or copied. */
  carry(from: string, to: string): void {
    if (!this.#above.has(from)) return;
    const changed = [...this.#changes].filter(([path]) => path.startsWith(`${from}/`));
    for (const [path, change] of changed.sort(([one], [other]) => one.length - other.length)) {
      const place = to + path.slice(from.length);
      if (change.kind === null) this.remove(place);
      else this.make(place, change.kind, change);
    }
  }

  /** Takes note that something is gone, with all below it. */
  remove(path: string, kind: Entry['kind'] = 'folder'): void {
    this.#settle(path);
    if (kind === 'folder') this.#cover = null;
    this.#changes.set(path, { kind: null, like: null });
  }

  /** True where the steps before have changed something. */
  get isChanged(): boolean {
    return this.#changes.size > 0;
  }

  /** True where the steps before have made something in a folder, or the folder itself. */
  isMadeBelow(folder: string): boolean {
    return this.source(folder) !== folder || [...this.#made.keys()].some((one) => `${one}/`.startsWith(`${folder}/`));
  }

  /** The place on the real tree of an entry that is there already or was moved; null for an entry that the line makes. */
  source(path: string): string | null {
    const change = this.#changes.size === 0 ? undefined : this.#changeAt(path);
    return change === undefined ? path : (change?.like ?? null);
  }

  /** Drops the changes below a path, which go with the entry there now. */
  #settle(path: string): void {
    if (this.#ways.has(path)) {
      this.#folders.clear();
      this.#ways.clear();
    }
    if (this.#above.has(path))
      for (const other of this.#changes.keys()) if (other.startsWith(`${path}/`)) this.#changes.delete(other);
    for (let slash = path.lastIndexOf('/'); slash > 0; slash = path.lastIndexOf('/', slash - 1)) {
      const folder = path.slice(0, slash);
      if (this.#above.has(folder)) return;
      this.#above.add(folder);
    }
  }

  /** The change that decides about a path: its own, or that of a folder above it. Null where it is gone with that folder. */
  #changeAt(path: string): Change | null | undefined {
    const own = this.#changes.get(path);
    if (own !== undefined) return own;
    const folder = path.slice(0, path.lastIndexOf('/'));
    if (this.#cover?.folder !== folder) this.#cover = { folder, by: this.#changedAbove(folder) };
    const { by } = this.#cover;
    if (by === null) return undefined;
    const above = this.#changes.get(by);
    if (above === undefined || above.kind === null || above.like === null) return null;
    const like = above.like + path.slice(by.length);
    const there = onDisk(like, like);
    return there === null ? null : { kind: there.kind, like };
  }

  /** The nearest of a folder and those above it that was changed. */
  #changedAbove(folder: string): string | null {
    for (let one = folder; one !== ''; one = one.slice(0, one.lastIndexOf('/'))) if (this.#changes.has(one)) return one;
    return null;
  }

  /** A folder by any of its names, which many paths begin with; null where there is none. */
  #folderAt(path: string): Entry | null {
    const known = this.#folders.get(path);
    if (known !== undefined) return known;
    const ways: string[] = [];
    const folder = this.#walk(path, { followsLast: true }, ways);
    if (folder?.kind !== 'folder') return null;
    this.#folders.set(path, folder);
    for (const way of ways) this.#ways.add(way);
    return folder;
  }

  #resolve(path: string, options: { readonly followsLast: boolean }): Entry | null {
    const slash = path.lastIndexOf('/');
    const name = path.slice(slash + 1);
    if (slash < 0 || name === '' || name === '.' || name === '..') return this.#walk(path, options, []);
    const folder = this.#folderAt(path.slice(0, slash) || '/');
    if (folder === null) return null;
    const entry = this.at(folder.path === '/' ? `/${name}` : `${folder.path}/${name}`);
    return entry?.kind === 'link' && options.followsLast ? this.#walk(path, options, []) : entry;
  }

  #walk(path: string, { followsLast }: { readonly followsLast: boolean }, ways: string[]): Entry | null {
    const waiting = path.split('/').reverse();
    let current: Entry | null = this.at('/');
    let links = 0;
    while (waiting.length > 0) {
      const part = waiting.pop() ?? '';
      if (part === '' || part === '.') {
        if (current?.kind !== 'folder') return null;
        continue;
      }
      if (current?.kind !== 'folder') return null;
      const parent: string = current.path;
      if (part === '..') {
        current = this.at(parent.slice(0, parent.lastIndexOf('/')) || '/');
        continue;
      }
      current = this.at(parent === '/' ? `/${part}` : `${parent}/${part}`);
      if (current === null) return null;
      ways.push(current.path);
      const isLast = waiting.length === 0;
      if (current.kind !== 'link' || (isLast && !followsLast)) continue;
      links += 1;
      const target = this.#targetOf(current.path);
      if (target === null || links > MOST_LINKS) return null;
      waiting.push(...target.split('/').reverse());
      current = this.at(target.startsWith('/') ? '/' : parent);
    }
    return current;
  }

  #targetOf(path: string): string | null {
    const change = this.#changes.size === 0 ? undefined : this.#changeAt(path);
    if (change?.leadsTo !== undefined) return change.leadsTo;
    const from = change === undefined ? path : (change?.like ?? null);
    if (from === null) return null;
    try {
      return readlinkSync(from);
    } catch (cause) {
      throw new Unreadable(path, cause);
    }
  }
}

async function namesIn(path: string, size: number | undefined): Promise<readonly Child[]> {
  try {
    const isLarge = (size ?? lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGE_FOLDER;
    const entries = isLarge ? await readdir(path, { withFileTypes: true }) : readdirSync(path, { withFileTypes: true });
    return entries.map((entry) => ({ name: entry.name, kind: kindOf(entry) }));
  } catch (cause) {
    if (isMissing(cause)) return [];
    throw new Unreadable(path, cause);
  }
}

function onDisk(path: string, as: string): Entry | null {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return null;
    const kind = kindOf(stats);
    return { path: as, kind: kind === 'unknown' ? 'other' : kind, stats };
  } catch (cause) {
    if (isMissing(cause)) return null;
    throw new Unreadable(path, cause);
  }
}

function kindOf(of: Stats | Dirent): Child['kind'] {
  if (of.isFile()) return 'file';
  if (of.isDirectory()) return 'folder';
  if (of.isSymbolicLink()) return 'link';
  if (of.isCharacterDevice() || of.isBlockDevice()) return 'device';
  return of.isFIFO() || of.isSocket() ? 'other' : 'unknown';
}

function isMissing(thrown: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(errorCode(thrown));
}

/** Places where another file system begins, as the system lists them. */
export function readMounts(): readonly string[] {
  return attempt(() => parseMounts(readFileSync('/proc/self/mountinfo', 'utf8')), []);
}

/** Reads the mount points that Linux lists, one a line. */
export function parseMounts(text: string): readonly string[] {
  return text.split('\n').flatMap((line) => {
    const written = line.split(' - ')[0]?.split(' ')[4];
    if (written === undefined) return [];
    return [written.replace(/\\(\d{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)))];
  });
}

/** Mount points below a folder. */
export function mountsBelow(points: readonly string[], folder: string): readonly string[] {
  const prefix = folder === '/' ? '/' : `${folder}/`;
  return points.filter((point) => point.startsWith(prefix) && point !== '/');
}

/** A path from where a line stands; `..` is left for the tree to follow. */
export function toAbsolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}
