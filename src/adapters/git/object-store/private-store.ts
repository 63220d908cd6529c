import {
  type Dirent,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import {
  DEFAULT_SNAPSHOT_LIMITS,
  formatSnapshotLimits,
  parseSnapshotLimits,
  type SnapshotLimits,
} from '../../../core/session/settings.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { type Environment, toPaths } from '../../config/paths.ts';
import { toRealPath } from '../../system/file-status.ts';
import { ensureFile } from '../../system/own-file.ts';
import * as messages from './messages.ts';

/*
 * Outside of a repository the snapshots go to a git directory of our own, below the state folder. It is named by the root it is for, holds
 * objects and refs and nothing else, and no program of the user's ever looks into it: so what is not needed any more can be removed at
 * once.
 */

/** A store for the snapshots of a directory. */
export interface PrivateStore {
  /** The directory that snapshots are taken of, free of links. */
  readonly root: string;
  /** The git directory that holds them. */
  readonly directory: string;
}

/** The file that notes the limits for snapshots in a git directory of ours. */
export const LIMITS = 'limits';

interface StoreTerms {
  readonly env: Environment;
  /** The limits for snapshots; null: those that were noted by the last process that was given some. */
  readonly most: SnapshotLimits | null;
}

/** The store for a directory, or why there is none. One above it that holds steps already goes first. */
export function openPrivateStore(cwd: string, terms: StoreTerms): PrivateStore | { readonly why: string } {
  const { env } = terms;
  try {
    return chooseStore(realpathSync(cwd), terms);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    return { why: messages.formatNoStore(storesFolder(env), reason) };
  }
}

/** The store that holds steps of a directory itself; null if there are none. */
export function findPrivateStore(root: string, env: Environment): PrivateStore | null {
  const store = { root, directory: directoryFor(root, env) };
  return holdsSteps(store.directory) ? store : null;
}

/** All stores there are, in no order. */
export function listPrivateStores(env: Environment): readonly PrivateStore[] {
  const folder = storesFolder(env);
  if (!existsSync(folder)) return [];
  return readdirSync(folder).flatMap((name) => {
    const root = readText(join(folder, name, ROOT));
    const directory = join(folder, name);
    return root !== null && directory === directoryFor(root, env) ? { root, directory } : [];
  });
}

/** Removes a store with all in it. */
export function removePrivateStore({ directory }: PrivateStore): void {
  // Out of the way first, so that nobody ever meets half of it.
  const away = `${directory}.${crypto.randomUUID()}`;
  renameSync(directory, away);
  rmSync(away, { recursive: true, force: true });
}

/** True if a store holds any step. */
export function holdsSteps(directory: string): boolean {
  const loose = join(directory, 'refs', 'aish');
  if (existsSync(loose) && readdirSync(loose).length > 0) return true;
  return readText(join(directory, 'packed-refs'))?.includes(' refs/aish/') === true;
}

const ROOT = 'root';

function chooseStore(cwd: string, terms: StoreTerms): PrivateStore | { readonly why: string } {
  const { env } = terms;
  const around = surroundings(env);
  const refusal = findRepositoryAbove(cwd) ?? refusePlace(cwd, around);
  if (refusal !== null) return { why: refusal };
  for (let root = cwd; refusePlace(root, around) === null; root = dirname(root)) {
    if (!holdsSteps(directoryFor(root, env))) continue;
    const store = prepare(root, terms);
    if (!('why' in store)) return store;
  }
  return prepare(cwd, terms);
}

/** A broken repository may be repaired later, so it gets no private store. */
function findRepositoryAbove(cwd: string): string | null {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (existsSync(join(folder, '.git'))) return messages.formatBrokenGit(join(folder, '.git'));
    if (folder === dirname(folder)) return null;
  }
}

function prepare(root: string, { env, most }: StoreTerms): PrivateStore | { readonly why: string } {
  const directory = directoryFor(root, env);
  const noted = parseSnapshotLimits(readText(join(directory, LIMITS)) ?? '');
  const { files } = most ?? noted ?? DEFAULT_SNAPSHOT_LIMITS;
  const { isTooLarge, mounts } = survey(root, files);
  if (isTooLarge) return { why: messages.formatTooManyFiles(root, files) };
  if (!existsSync(directory)) removeUnused(env, Date.now() - UNUSED_MS);
  for (const name of ['refs', 'objects', 'info']) mkdirSync(join(directory, name), { recursive: true, mode: 0o700 });
  ensureFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  ensureFile(join(directory, 'config'), '[core]\n\trepositoryFormatVersion = 0\n\tbare = false\n');
  const patterns = [...NOT_KEPT.map((name) => `${name}/`), ...mounts.map((path) => `/${escapePattern(path)}/`)];
  ensureFile(join(directory, 'info', 'exclude'), `${patterns.join('\n')}\n`);
  ensureFile(join(directory, ROOT), root);
  if (most !== null) ensureFile(join(directory, LIMITS), formatSnapshotLimits(most));
  return { root, directory };
}

/** A store is made by the first look at a folder already; one that never came to hold a step is made anew when it is wanted. */
function removeUnused(env: Environment, before: number): void {
  for (const store of listPrivateStores(env)) {
    if (holdsSteps(store.directory) || statSync(store.directory).mtimeMs >= before) continue;
    removePrivateStore(store);
  }
}

const UNUSED_MS = 86_400_000;

/** A path as a pattern of an ignore file that means nothing else. */
export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!# ]/g, (character) => `\\${character}`);
}

function surroundings(env: Environment): Surroundings {
  const { state } = toPaths(env);
  return {
    home: toRealPath(env.HOME || homedir()),
    state: toRealPath(state),
    temporary: toRealPath(env.TMPDIR || tmpdir()),
  };
}

function storesFolder(env: Environment): string {
  return join(toPaths(env).state, 'checkpoints');
}

function directoryFor(root: string, env: Environment): string {
  return join(storesFolder(env), new Bun.CryptoHasher('sha256').update(root).digest('hex').slice(0, 32));
}

function readText(path: string): string | null {
  return attempt(() => readFileSync(path, 'utf8'), null);
}

/** The folders that say which places are nobody's project. All are absolute and free of links. */
interface Surroundings {
  readonly home: string;
  /** The folder in which aish keeps its own files. */
  readonly state: string;
  /** Folder for temporary files. */
  readonly temporary: string;
}

const SYSTEM =
  '/bin /boot /dev /etc /lib /lib32 /lib64 /proc /sbin /sys /usr /System /Library /Applications /private/etc'.split(
    ' ',
  );

/** Folders that hold those of many others; what lies in them may well be somebody's. */
const CROSSROADS =
  '/ /home /Users /root /opt /srv /mnt /media /run /run/user /tmp /var /var/tmp /Volumes /private /private/tmp /private/var'.split(
    ' ',
  );

/** Why no snapshots are taken of a directory outside of a repository; null if they may be. */
export function refusePlace(root: string, { home, state, temporary }: Surroundings): string | null {
  if (root === home) return messages.HOME;
  if (root === temporary || CROSSROADS.includes(root) || ['/home', '/Users'].includes(dirname(root)))
    return messages.formatNoProject(root);
  if (isInside(root, home) || isInside(root, state)) return messages.formatAboveHome(root);
  if (SYSTEM.some((folder) => isInside(folder, root))) return messages.formatSystem(root);
  return isInside(state, root) ? messages.OWN_FILES : null;
}

/** True if a path is a folder or lies below it. */
function isInside(folder: string, path: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : `${folder}${sep}`);
}

/** Folders that programs fill and can fill again. */
const NOT_KEPT: readonly string[] = [
  'node_modules',
  '.venv',
  '__pycache__',
  '.cache',
  '.tox',
  '.mypy_cache',
  '.pytest_cache',
  '.gradle',
];

interface Survey {
  /** There are more entries than one may count. */
  readonly isTooLarge: boolean;
  /** Folders in which other disks begin, relative to the root. */
  readonly mounts: readonly string[];
  /** Folders that may not be read, relative to the root. */
  readonly closed: readonly string[];
}

/** Looks over a tree without following links, and stops at `most` entries. Other repositories in it are not looked into. */
export function survey(root: string, most: number): Survey {
  const disk = lstatSync(root).dev;
  const mounts: string[] = [];
  const closed: string[] = [];
  let left = most;
  const waiting = [''];
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = list(join(root, folder));
    if (entries === null) closed.push(folder);
    left -= entries?.length ?? 0;
    if (left < 0) return { isTooLarge: true, mounts, closed };
    for (const entry of entries ?? []) {
      if (!entry.isDirectory() || NOT_KEPT.includes(entry.name)) continue;
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      const full = join(root, path);
      if ((lstatSync(full, { throwIfNoEntry: false })?.dev ?? disk) !== disk) mounts.push(path);
      else if (!existsSync(join(full, '.git'))) waiting.push(path);
    }
  }
  return { isTooLarge: false, mounts, closed };
}

function list(path: string): readonly Dirent[] | null {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch {
    // A folder that went meanwhile has no entries either.
    return existsSync(path) ? null : [];
  }
}
