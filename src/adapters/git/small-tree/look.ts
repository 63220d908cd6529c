import { type BigIntStats, type Dirent, lstatSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import { errorCode } from '../../../protocol/error.ts';
import { ByState, isSettled, stateOf } from '../../system/folder-state.ts';
import { nameObject } from '../object-store/loose-object.ts';
import type { Repository } from '../object-store/repository.ts';
import { foldersAbove, lstatOrNull, toFullPath } from '../process/raw-path.ts';
import { type IgnoreRules, parseIgnoreRules } from './ignore-rules.ts';
import { formatStatus, type IndexEntry, type ReadIndex, readIndex, type SmallIndex, secondsOf } from './index-file.ts';

/*
 * To start a process of git takes longer than to look at a few hundred files. So a small tree is compared with its index here, as
 * `git diff-files` and `git ls-files --others --exclude-standard` would do it. Everything that is not plain is left to git: another
 * repository in the tree, an unusual pattern, a folder that may not be read.
 */

/** The differences of a work tree from an index, in raw paths. */
export interface SmallTree {
  readonly index: SmallIndex;
  /** Files that are gone, or whose status is another one. */
  readonly changed: readonly string[];
  /** Files that are not in the index and that no pattern ignores. */
  readonly others: readonly string[];
}

/** In a larger tree git is quicker. */
const MOST_ENTRIES = 1000;
const MOST_NAMES = 4000;
const MOST_RULE_BYTES = 65_536;

/** Compares a small work tree with an index; null where git has to do it. */
export function lookAtSmallTree(repository: Repository, indexPath: string): SmallTree | null {
  return enterTree(repository, indexPath, { compares: true })?.finish() ?? null;
}

/** The index of a small tree; null where only git can read it. */
export function readSmallIndex({ objectFormat }: Repository, path: string): SmallIndex | null {
  return readIndex(path, objectFormat, MOST_ENTRIES)?.index ?? null;
}

/** The others alone, which takes no look at a file that is in the index. */
export function listOthersOfSmallTree(repository: Repository, indexPath: string): SmallTree['others'] | null {
  return enterTree(repository, indexPath, { compares: false })?.others ?? null;
}

function enterTree(repository: Repository, indexPath: string, { compares }: LookOptions): Look | null {
  const read = readIndex(indexPath, repository.objectFormat, MOST_ENTRIES);
  const rules = read === null ? null : readCommonRules(repository);
  if (read === null || rules === null) return null;
  const look = new Look(repository, read, { compares });
  return look.enter('', rules) ? look : null;
}

interface LookOptions {
  /** Whether files are compared with the index. */
  readonly compares: boolean;
}

/** True if no pattern ignores a raw path, whether it exists or not; false if one does, or if only git can tell. */
export function isSurelyNotIgnored(repository: Repository, path: string): boolean {
  let rules = readCommonRules(repository);
  for (const [folder, next] of stepsTo(path)) {
    const own = rules === null ? null : readOwnRules(repository.root, folder);
    if (rules === null || own === null) return false;
    rules = [...rules, ...own];
    const isFolder = next !== path || lstatOrNull(toFullPath(repository.root, path))?.isDirectory() === true;
    if (isIgnored(rules, next, isFolder)) return false;
  }
  return true;
}

/** Each folder on the way to a path, with the path of what comes next on the way. */
function stepsTo(path: string): readonly (readonly [folder: string, next: string])[] {
  const folders = ['', ...foldersAbove(path)];
  return folders.map((folder, at) => [folder, folders[at + 1]?.slice(0, -1) ?? path]);
}

class Look {
  readonly #root: string;
  readonly #emptyBlob: string;
  readonly #index: SmallIndex;
  readonly #writtenAt: bigint;
  readonly #met = new Set<string>();
  readonly #folders = new Map<string, boolean>();
  readonly #changed = new Set<string>();
  readonly #compares: boolean;
  readonly others: string[] = [];
  #left = MOST_NAMES;

  constructor(repository: Repository, { index, writtenAt }: ReadIndex, { compares }: LookOptions) {
    this.#compares = compares;
    this.#root = repository.root;
    this.#emptyBlob = nameObject(repository, 'blob', Buffer.alloc(0));
    this.#index = index;
    this.#writtenAt = writtenAt;
  }

  /** Looks at a folder and at all below it; false where git has to do it. */
  enter(folder: string, above: readonly IgnoreRules[]): boolean {
    const entries = attempt(() => this.#list(folder), null);
    this.#left -= entries?.length ?? 0;
    if (entries === null || this.#left < 0) return false;
    // The folder may be another repository, which git decides by what is in it.
    if (folder !== '' && entries.some(({ name }) => name === '.git')) return false;
    const own = entries.some(({ name }) => name === '.gitignore') ? readOwnRules(this.#root, folder) : [];
    if (own === null) return false;
    const rules = own.length === 0 ? above : [...above, ...own];
    return entries.every((entry) => entry.name === '.git' || this.#meet(`${folder}${entry.name}`, entry, rules));
  }

  #meet(path: string, entry: Kind, rules: readonly IgnoreRules[]): boolean {
    const isKnown = this.#index.entries.has(path);
    const stat = isKnown && this.#compares ? this.#stat(path) : null;
    const kind = stat ?? (isTold(entry) ? entry : this.#stat(path));
    if (kind === null) return true;
    const isFolder = kind.isDirectory();
    if (isKnown) {
      this.#met.add(path);
      if (stat !== null) this.#compare(path, stat);
      if (!isFolder) return true;
    }
    if (!isTold(kind) || isIgnored(rules, path, isFolder)) return true;
    if (isFolder) return this.enter(`${path}/`, rules);
    this.others.push(path);
    return true;
  }

  /** Looks at the files that no folder showed: they are gone, or in a folder that is ignored by now. */
  finish(): SmallTree {
    for (const path of this.#index.entries.keys()) {
      if (this.#met.has(path)) continue;
      const stat = foldersAbove(path).every((folder) => this.#isFolder(folder)) ? this.#stat(path) : null;
      if (stat === null) this.#changed.add(path);
      else this.#compare(path, stat);
    }
    const sorted = (paths: Iterable<string>) => [...paths].sort();
    return { index: this.#index, changed: sorted(this.#changed), others: sorted(this.others) };
  }

  #compare(path: string, stat: BigIntStats): void {
    const entry = this.#index.entries.get(path);
    const isSame = entry !== undefined && AS_IN_INDEX.has(entry, stat);
    if (!isSame || this.#mayHaveChangedUnseen(stat, entry)) this.#changed.add(path);
  }

  /** A file may change twice within the tick of the clock that dates it. An index of ours marks those; git has whole seconds. */
  #mayHaveChangedUnseen({ mtimeNs, size }: BigIntStats, { status, blob }: IndexEntry): boolean {
    if (mtimeNs >= this.#writtenAt || (size === 0n && blob !== this.#emptyBlob)) return true;
    return !this.#index.isOurs && secondsOf(status) >= Number(this.#writtenAt / 1_000_000_000n);
  }

  #list(folder: string): readonly Entry[] {
    const path = this.#fullPath(folder);
    return typeof path === 'string' ? FOLDERS.get(path, stateOf(path), () => listFolder(path)) : listFolder(path);
  }

  #stat(path: string): BigIntStats | null {
    try {
      return lstatSync(this.#fullPath(path), { bigint: true, throwIfNoEntry: false }) ?? null;
    } catch (thrown) {
      if (errorCode(thrown) === 'ENOTDIR') return null;
      throw thrown;
    }
  }

  /** Most names are plain, and a text is quicker to make than bytes. */
  #fullPath(path: string): string | Buffer {
    return isPlain(path) ? `${this.#root}/${path}` : toFullPath(this.#root, path);
  }

  #isFolder(folder: string): boolean {
    const known = this.#folders.get(folder);
    if (known !== undefined) return known;
    const found = this.#stat(folder.slice(0, -1))?.isDirectory() === true;
    this.#folders.set(folder, found);
    return found;
  }
}

function listFolder(path: string | Buffer): readonly Entry[] {
  const entries: readonly Entry[] = readdirSync(path, { withFileTypes: true });
  if (entries.every(({ name }) => isPlain(name))) return entries;
  // The kinds come with names as text only, and a name may be no text.
  return readdirSync(path, { encoding: 'buffer' }).map((name) => ({ ...UNTOLD, name: name.toString('latin1') }));
}

/** The entries of folders: to look at a folder is quicker than to list it. */
const FOLDERS = new ByState<readonly Entry[]>(1000);

/** The kind of an entry of a folder. */
type Kind = Pick<BigIntStats, 'isDirectory' | 'isFile' | 'isSymbolicLink'>;
type Entry = Kind & Pick<Dirent, 'name'>;

const UNTOLD: Kind = { isDirectory: () => false, isFile: () => false, isSymbolicLink: () => false };

/** True for a name that is the same as bytes and as text. */
function isPlain(name: string): boolean {
  return !/[^\0-\x7f]/.test(name);
}

/** Remembers the status of the file of each entry, as long as an index is kept: numbers are quicker to compare than to put in its format. */
class KnownStatus {
  readonly #known = new WeakMap<IndexEntry, BigIntStats>();

  /** True if a file has the status that an entry has. */
  has(entry: IndexEntry, stat: BigIntStats): boolean {
    const known = this.#known.get(entry);
    if (known !== undefined && NUMBERS.every((name) => known[name] === stat[name])) return true;
    const isSame = formatStatus(stat, modeOf(stat)).equals(entry.status);
    if (isSame) this.#known.set(entry, stat);
    return isSame;
  }
}

const NUMBERS = ['ctimeNs', 'mtimeNs', 'size', 'ino', 'mode', 'dev', 'uid', 'gid'] as const;
const AS_IN_INDEX = new KnownStatus();

/** False for a pipe or a device, and where the file system leaves the kind of an entry open. */
function isTold(kind: Kind): boolean {
  return kind.isDirectory() || kind.isFile() || kind.isSymbolicLink();
}

/** The mode of a file as git has it. */
export function modeOf(stat: BigIntStats): string {
  if (stat.isSymbolicLink()) return '120000';
  if (!stat.isFile()) return '0';
  return (stat.mode & 0o100n) === 0n ? '100644' : '100755';
}

/** The last rules that have something to say decide: those of the innermost folder before those outside of it. */
function isIgnored(rules: readonly IgnoreRules[], path: string, isFolder: boolean): boolean {
  for (let at = rules.length - 1; at >= 0; at -= 1) {
    const answer = rules[at]?.(path, isFolder) ?? null;
    if (answer !== null) return answer;
  }
  return false;
}

/** The rules from outside of the work tree: those of the user, then those of the git directory; null if only git can tell. */
function readCommonRules({ root, commonDirectory, excludesFile, stateFolder }: Repository) {
  if (stateFolder.startsWith(`${root}/`)) return null;
  const ofUser = excludesFile ?? usualExcludesFile();
  if (ofUser !== null && !isAbsolute(ofUser)) return null;
  const files = [...(ofUser === null ? [] : [ofUser]), join(commonDirectory, 'info', 'exclude')];
  const all = files.map((path) => readRules(path, { folder: '', followsLinks: true }));
  return all.every((rules) => rules !== null) ? all.flat() : null;
}

/** The file that git reads where no setting names one. */
function usualExcludesFile(): string | null {
  const { HOME, XDG_CONFIG_HOME } = process.env;
  if (XDG_CONFIG_HOME !== undefined && XDG_CONFIG_HOME !== '') return join(XDG_CONFIG_HOME, 'git/ignore');
  return HOME === undefined ? null : join(HOME, '.config/git/ignore');
}

function readOwnRules(root: string, folder: string): readonly IgnoreRules[] | null {
  return readRules(toFullPath(root, `${folder}.gitignore`), { folder, followsLinks: false });
}

const RULE_FILES = new ByState<IgnoreRules | null>(100);

/** None for a file that is not there; null for anything but a plain file of an ordinary size. */
function readRules(
  path: string | Buffer,
  { folder, followsLinks }: { readonly folder: string; readonly followsLinks: boolean },
): readonly IgnoreRules[] | null {
  try {
    const lookedAt = Date.now();
    const stat = (followsLinks ? statSync : lstatSync)(path, { throwIfNoEntry: false });
    if (stat === undefined) return [];
    if (!stat.isFile() || stat.size > MOST_RULE_BYTES) return null;
    const { dev, ino, size, mtimeMs, ctimeMs } = stat;
    const state = isSettled(ctimeMs, lookedAt) ? [dev, ino, size, mtimeMs, ctimeMs].join(':') : null;
    const key = `${folder}\0${path.toString('latin1')}`;
    const rules = RULE_FILES.get(key, state, () => parseIgnoreRules(readFileSync(path, 'latin1'), folder));
    return rules === null ? null : [rules];
  } catch (thrown) {
    if (errorCode(thrown) === '') throw thrown;
    return errorCode(thrown) === 'ENOTDIR' ? [] : null;
  }
}
