import { type BigIntStats, lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { SnapshotLimits } from '../../../core/session/settings.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { AishError } from '../../../protocol/error.ts';
import { type Environment, toPaths } from '../../config/paths.ts';
import { readRegular, toRealPath } from '../../system/file-status.ts';
import { Briefly } from '../../system/patience.ts';
import { type GitCall, type GitOutcome, runGit } from '../process/git-process.ts';
import { gitStopped } from '../process/messages.ts';
import { toRawPath } from '../process/raw-path.ts';
import { findSpecialFile, foldersUp, gitFoldersOf, indexOfRoot } from './git-folders.ts';
import * as messages from './messages.ts';
import { findPrivateStore, openPrivateStore, type PrivateStore } from './private-store.ts';
import { withheldFolder } from './withheld.ts';

interface Layout {
  /** Top of the work tree. */
  readonly root: string;
  /** Git directory of this work tree; a linked one has its own. */
  readonly gitDirectory: string;
  /** Git directory shared by all work trees: refs and objects. */
  readonly commonDirectory: string;
  readonly objectFormat: 'sha1' | 'sha256';
}

/** A repository that snapshots can be taken of. */
export interface Repository extends Layout {
  /** The user's own ignore file, where a setting names one. */
  readonly excludesFile: string | null;
  /** The start of every git call in it: its top, the signal that stops the work, and, for a store apart from the tree, its place. */
  readonly place: Pick<GitCall, 'cwd' | 'signal' | 'env'>;
  /** The limits for snapshots; null: those that were noted by the last process that was given some. */
  readonly most: SnapshotLimits | null;
  /** The folder of the files that are withheld from snapshots. */
  readonly withheldFolder: string;
  /** The folder in which aish keeps its own files: they are in no snapshot. */
  readonly stateFolder: string;
}

/** Options for opening a repository. */
export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** Says where the stores apart are; the variables of the process, if it is not given. */
  readonly env?: Environment;
  readonly most?: SnapshotLimits | null | undefined;
  /** The store apart from the tree is meant, though a repository is there by now. */
  readonly apart?: boolean | undefined;
  /** It was found a moment ago by a look before the same change, if there was one: that is enough. */
  readonly again?: boolean | undefined;
}

/** Answer to whether a directory lies in a work tree that can be pictured. */
type Undoable = { readonly undoable: true; readonly root: string } | { readonly undoable: false; readonly why: string };

type Found = { readonly layout: Layout } | { readonly why: string };

/** Tells whether a directory lies in a work tree of git. Stores apart from the tree do not count: they are no project's border. */
export async function checkUndoable(cwd: string, signal?: AbortSignal): Promise<Undoable> {
  const found = await findLayout({ cwd, signal });
  if ('why' in found) return { undoable: false, why: found.why };
  return { undoable: true, root: found.layout.root };
}

/** The repository around a directory, or a store of ours for it, or why there is none that snapshots can be taken of. */
export async function findRepository(
  cwd: string,
  { signal, env = process.env, most = null, apart = false }: OpenOptions = {},
): Promise<Repository | { readonly why: string }> {
  const { layout: asked, excludesFile, plain } = await askAbout({ cwd, signal });
  const found = 'why' in asked ? asked : (plain ?? readLayout(asked, cwd));
  if (signal?.aborted) throw gitStopped();
  if (apart) {
    const kept = findStoreAround(cwd, env);
    return kept === null ? { why: messages.NO_OLDER } : openStore(kept, { excludesFile, signal, most, env });
  }
  if (!('why' in found)) {
    const { layout } = found;
    return { ...layout, excludesFile, place: { cwd: layout.root, signal }, most, ...ownFolders(layout, env) };
  }
  if (found.why !== messages.OUTSIDE) return found;
  const store = openPrivateStore(cwd, { env, most });
  return 'why' in store ? store : openStore(store, { excludesFile, signal, most, env });
}

/** A store apart from the tree as a repository. */
export function openStore(
  { root, directory }: PrivateStore,
  options: Partial<Pick<Repository, 'excludesFile'>> & OpenOptions,
): Repository {
  const { excludesFile = null, signal, most = null, env = process.env } = options;
  const place = { cwd: root, signal, env: { GIT_DIR: directory, GIT_WORK_TREE: root } };
  const layout = { root, gitDirectory: directory, commonDirectory: directory, objectFormat: 'sha1' } as const;
  return { ...layout, excludesFile, place, most, ...ownFolders(layout, env) };
}

function ownFolders({ commonDirectory }: Layout, env: Environment) {
  return { withheldFolder: withheldFolder(commonDirectory, env), stateFolder: toPaths(env).state };
}

/** The private store of a directory, or of the next one above it. */
function findStoreAround(cwd: string, env: Environment): PrivateStore | null {
  for (let root = realpathSync(cwd); ; root = dirname(root)) {
    const store = findPrivateStore(root, env);
    if (store !== null || root === dirname(root)) return store;
  }
}

/** True if the folder has checkpoints from before it became a repository. */
export function hasOlderSteps({ root, place }: Repository): boolean {
  return place.env === undefined && findPrivateStore(root, process.env) !== null;
}

/** Finds the repository that is asked for again when the change is made which this look is about. */
export async function lookForRepository(
  cwd: string,
  options: OpenOptions,
): Promise<Repository | { readonly why: string }> {
  const found = await findRepository(cwd, options);
  return 'why' in found ? found : LOOKED_AT.set(cwd, found);
}

const LOOKED_AT = new Briefly<Repository>();

/** The repository around a directory. Throws the reason if there is none. */
export async function openRepository(cwd: string, options: OpenOptions = {}): Promise<Repository> {
  const { signal, most = null } = options;
  const known = options.again === true ? LOOKED_AT.get(cwd) : null;
  if (known !== null) return { ...known, most, place: { ...known.place, signal } };
  const found = await findRepository(cwd, options);
  if (!('why' in found)) return found;
  throw messages.unavailable(found.why);
}

async function findLayout(place: Repository['place']): Promise<Found> {
  const { layout, plain } = await askAbout(place);
  return 'why' in layout ? layout : (plain ?? readLayout(layout, place.cwd));
}

/** The answers of git about a directory; the paths in them are read anew each time, since links on the way may lead elsewhere by now. */
interface Answers {
  readonly layout: GitOutcome | { readonly why: string };
  readonly excludesFile: string | null;
  /** The layout as it was read, where no link is on the way; null elsewhere, and without a layout. */
  readonly plain: Found | null;
}

async function askAbout(place: Repository['place']): Promise<Answers> {
  return REMEMBERED.get(place.cwd, async () => {
    const why = findSpecialFile(place.cwd);
    if (why !== null) return { value: { layout: { why }, excludesFile: null, plain: null }, keep: false };
    const [layout, excludesFile] = await Promise.all([askForLayout(place), readExcludesFile(place)]);
    const plain = 'why' in layout ? null : readPlainLayout(layout, place.cwd);
    return { value: { layout, excludesFile, plain }, keep: !('why' in layout) && layout.exit === 0 };
  });
}

function readPlainLayout(outcome: GitOutcome, cwd: string): Found | null {
  const found = readLayout(outcome, cwd);
  if ('why' in found) return null;
  const { root, gitDirectory, commonDirectory } = found.layout;
  const isPlain = gitDirectory === join(root, '.git') && commonDirectory === gitDirectory;
  return isPlain && lstatOrNone(gitDirectory)?.isDirectory() === true ? found : null;
}

async function askForLayout(place: Repository['place']): Promise<Answers['layout']> {
  try {
    return await runGit({ ...place, args: LAYOUT_QUERY });
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
    return { why: thrown.hint === undefined ? thrown.message : `${thrown.message}; ${thrown.hint}` };
  }
}

/** Asked for beside the layout, since a process costs more than what it does; where that fails, so does the layout. */
async function readExcludesFile(place: Repository['place']): Promise<string | null> {
  try {
    const named = await runGit({ ...place, args: ['config', '--type=path', '--get', 'core.excludesFile'] });
    const path = named.stdout.toString('utf8').replace(/\n$/, '');
    return named.exit === 0 && path !== '' ? path : null;
  } catch (thrown) {
    if (thrown instanceof AishError) return null;
    throw thrown;
  }
}

const LAYOUT_QUERY = [
  'rev-parse',
  '--is-bare-repository',
  '--is-inside-git-dir',
  '--show-object-format',
  '--path-format=absolute',
  '--git-dir',
  '--git-common-dir',
  '--show-toplevel',
];

function readLayout(outcome: GitOutcome, cwd: string): Found {
  const [bare, insideGit, format, gitDirectory, commonDirectory, root, ...rest] = outcome.stdout
    .toString('utf8')
    .replace(/\n$/, '')
    .split('\n');
  if (/dubious ownership|unsafe repository/.test(outcome.stderr))
    return { why: messages.formatOtherOwner(/ at '(.+)'/.exec(outcome.stderr)?.[1] ?? cwd) };
  if (bare === 'true') return { why: messages.BARE };
  if (insideGit === 'true') return { why: messages.INSIDE_GIT };
  if (outcome.exit !== 0 && /not a git repository/.test(outcome.stderr)) return { why: messages.OUTSIDE };
  if (outcome.exit !== 0) return { why: outcome.stderr.split('\n')[0] ?? messages.UNREADABLE };
  if (!gitDirectory || !commonDirectory || !root || rest.length > 0) return { why: messages.LINE_BREAK };
  if (!belongsTo(root, gitDirectory)) return { why: messages.formatForeignTree(root) };
  if (!isOwn(root, gitDirectory, commonDirectory))
    return { why: messages.formatForeignGit(join(root, '.git'), commonDirectory) };
  const objectFormat = format === 'sha256' ? 'sha256' : 'sha1';
  return { layout: { root, gitDirectory, commonDirectory, objectFormat } };
}

/** A hostile `core.worktree` could make us snapshot and write any directory: the work tree must point back to its git data. */
function belongsTo(root: string, gitDirectory: string): boolean {
  try {
    const link = join(root, '.git');
    if (statSync(link).isDirectory()) return realpathSync(link) === realpathSync(gitDirectory);
    const target = readRegular(link)
      .toString()
      .replace(/^gitdir: /, '')
      .replace(/\n$/, '');
    return realpathSync(resolve(dirname(link), target)) === realpathSync(gitDirectory);
  } catch {
    return false;
  }
}

/**
 * A planted `.git` file could make us write, and in mode "commit" even commit, into any repository of the user. The folder that it names
 * must be no work tree's own `.git`, and shared git data must know it as one of its work trees.
 */
function isOwn(root: string, gitDirectory: string, commonDirectory: string): boolean {
  try {
    const [own, common] = [realpathSync(gitDirectory), realpathSync(commonDirectory)];
    if (common !== own) return dirname(own) === join(common, 'worktrees');
    return basename(own) !== '.git' || dirname(own) === realpathSync(root);
  } catch {
    return false;
  }
}

/**
 * The raw path of what a user names. The root is free of links; the directory the user is in, or the one they name, need not be.
 * The last part may be a link itself.
 */
export function toWorkTreePath(repository: Repository, cwd: string, path: string): string {
  const named = resolve(cwd, path);
  const real = named === resolve(cwd) ? toRealPath(named) : join(toRealPath(dirname(named)), basename(named));
  const inside = relative(repository.root, real);
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return toRawPath(inside);
  throw messages.outsideTree(path, repository.root);
}

/** True if a path is the one that was named, or lies below it. */
export function coversPath(wanted: string, path: string): boolean {
  return wanted === '' || wanted === path || path.startsWith(`${wanted}/`);
}

/*
 * To ask git where a repository lies takes two processes, and each call of a file tool needs the answer several times. The answer depends on
 * the folders from the directory up to the top of the work tree, on the git directory and on the files of configuration. As long as none of
 * these is another file, and none has changed, git would say the same.
 */

/** An answer, and whether it may be kept. */
interface Asked<T> {
  readonly value: T;
  readonly keep: boolean;
}

interface Kept<T> {
  readonly stamp: string;
  readonly value: T;
}

/** So many directories are remembered. */
const MOST_PLACES = 32;
/** A file may change again within the tick of the clock that dates it. */
const TICK_MS = 50;
/** Names in a git directory by which git knows it. Their files and folders are compared, and the times of the files as well. */
const OF_GIT = ['HEAD', 'config', 'config.worktree', 'commondir', 'gitdir', 'objects', 'refs'];

/** Remembers an answer of git about a directory for as long as nothing that it depends on has changed. */
export class RememberedPlaces<T> {
  readonly #kept = new Map<string, Kept<T>>();
  /** The files of configuration outside of any repository; to look for git in the search path takes its time. */
  #outside: { readonly variables: string; readonly files: readonly string[] } | null = null;
  readonly #now: () => number;

  /** The clock is that of files, in milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The remembered answer, or a new one. */
  async get(cwd: string, ask: () => Promise<Asked<T>>): Promise<T> {
    const before = this.#stampOf(cwd);
    const known = this.#kept.get(cwd);
    if (known !== undefined && known.stamp === before?.stamp) return known.value;
    const { value, keep } = await ask();
    this.#kept.delete(cwd);
    // The answer of git may or may not show a change that was made meanwhile.
    if (keep && before !== null && !before.settings.some(mayInclude) && before.stamp === this.#stampOf(cwd)?.stamp)
      this.#kept.set(cwd, { stamp: before.stamp, value });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_PLACES && oldest !== undefined) this.#kept.delete(oldest);
    return value;
  }

  /** Everything that an answer about a directory depends on, as one text, and the files of configuration in it; null if that is unknown. */
  #stampOf(cwd: string): { readonly stamp: string; readonly settings: readonly string[] } | null {
    if (process.platform !== 'linux') return null; // Elsewhere git has files of configuration in more places.
    const folders = foldersUp(cwd);
    const top = indexOfRoot(folders);
    const directories = top === -1 ? null : gitFoldersOf(folders[top] ?? '');
    if (directories === null) return null;
    const settings = [
      ...this.#configFiles(),
      ...directories.flatMap((path) => [join(path, 'config'), join(path, 'config.worktree')]),
    ];
    const within = folders.slice(0, top + 1);
    const looked = new Set([
      ...within.flatMap((folder) => [folder, join(folder, '.git'), join(folder, 'HEAD')]),
      ...directories.flatMap((folder) => [folder, ...OF_GIT.map((name) => join(folder, name))]),
      ...settings,
    ]);
    const stamps = Array.from(looked, (path) => this.#identify(path));
    if (stamps.includes('recent')) return null;
    const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
    return { stamp: JSON.stringify([PATH, HOME, XDG_CONFIG_HOME, folders[0], stamps]), settings };
  }

  #configFiles(): readonly string[] {
    const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
    const variables = JSON.stringify([PATH, HOME, XDG_CONFIG_HOME]);
    if (this.#outside?.variables !== variables) this.#outside = { variables, files: configFiles() };
    return this.#outside.files;
  }

  /**
   * Tells a file from others and from itself before a change, and so what a link leads to. The moment of change of a folder says nothing:
   * each command of git makes files in its git directory.
   */
  #identify(path: string): string {
    const own = lstatOrNone(path);
    if (own === undefined) return 'none';
    const stat = own.isSymbolicLink() ? attempt(() => statSync(path, { bigint: true }), own) : own;
    const [link, file] = [own, stat].map(({ dev, ino, mode, uid }) => `${dev}:${ino}:${mode}:${uid}`);
    if (stat.isDirectory()) return `${link} ${file}`;
    if (Math.abs(this.#now() - Number(stat.ctimeMs)) < TICK_MS) return 'recent';
    return `${link} ${file} ${stat.size}:${stat.mtimeNs}:${stat.ctimeNs}`;
  }
}

/** Git's answers for a directory, as long as nothing they depend on has changed. */
const REMEMBERED = new RememberedPlaces<Answers>();

/** A file that is included may be anywhere. */
function mayInclude(settings: string): boolean {
  return /include/i.test(attempt(() => readRegular(settings).toString('latin1'), ''));
}

/** The files of configuration of the user and of the system, there or not. */
function configFiles(): readonly string[] {
  const { PATH = '', HOME = '/', XDG_CONFIG_HOME = '' } = process.env;
  const git = Bun.which('git', { PATH });
  const prefixes =
    git === null ? [] : [git, attempt(() => realpathSync(git), git)].map((path) => dirname(dirname(path)));
  return [
    ...new Set([
      join(HOME, '.gitconfig'),
      join(XDG_CONFIG_HOME === '' ? join(HOME, '.config') : XDG_CONFIG_HOME, 'git/config'),
      ...['/etc/gitconfig', '/usr/local/etc/gitconfig'],
      ...prefixes.map((prefix) => join(prefix, 'etc/gitconfig')),
    ]),
  ];
}

function lstatOrNone(path: string): BigIntStats | undefined {
  return attempt(() => lstatSync(path, { bigint: true, throwIfNoEntry: false }), undefined);
}
