import { type BigIntStats, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';

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
  readonly #now: () => number;

  /** The clock is that of files, in milliseconds since the epoch. */
  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** The remembered answer, or a new one. */
  async get(cwd: string, ask: () => Promise<Asked<T>>): Promise<T> {
    const before = this.#stampOf(cwd);
    const known = this.#kept.get(cwd);
    if (known !== undefined && before !== null && known.stamp === before) return known.value;
    const { value, keep } = await ask();
    this.#kept.delete(cwd);
    // The answer of git may or may not show a change that was made meanwhile.
    if (keep && before !== null && before === this.#stampOf(cwd)) this.#kept.set(cwd, { stamp: before, value });
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST_PLACES && oldest !== undefined) this.#kept.delete(oldest);
    return value;
  }

  /** Everything that an answer about a directory depends on, as one text; null if that cannot be told. */
  #stampOf(cwd: string): string | null {
    if (process.platform !== 'linux') return null; // Elsewhere git has files of configuration in more places.
    const folders = attempt(() => foldersUp(realpathSync(cwd)), []);
    const top = folders.findIndex((folder) => lstatOrNone(join(folder, '.git')) !== undefined);
    if (top === -1) return null;
    const git = gitDirectoryOf(folders[top] ?? '');
    const common =
      git === null ? null : attempt(() => resolve(git, readFileSync(join(git, 'commondir'), 'utf8').trim()), git);
    if (git === null || common === null) return null;
    const directories = [...new Set([git, common])];
    const settings = [
      ...configFiles(),
      ...directories.flatMap((path) => [join(path, 'config'), join(path, 'config.worktree')]),
    ];
    // A file that is included may be anywhere.
    if (settings.some((path) => /include/i.test(attempt(() => readFileSync(path, 'latin1'), '')))) return null;
    const within = folders.slice(0, top + 1);
    const looked = [
      ...within.flatMap((folder) => [folder, join(folder, '.git'), join(folder, 'HEAD')]),
      ...directories.flatMap((folder) => [folder, ...OF_GIT.map((name) => join(folder, name))]),
      ...settings,
    ];
    const stamps = looked.map((path) => this.#identify(path));
    if (stamps.includes('recent')) return null;
    const { PATH, HOME, XDG_CONFIG_HOME } = process.env;
    return JSON.stringify([PATH, HOME, XDG_CONFIG_HOME, stamps]);
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

function foldersUp(folder: string): readonly string[] {
  return folder === dirname(folder) ? [folder] : [folder, ...foldersUp(dirname(folder))];
}

/** The git directory that a work tree names; null if nothing names one. */
function gitDirectoryOf(root: string): string | null {
  const path = join(root, '.git');
  return attempt(() => {
    if (lstatSync(path).isDirectory()) return path;
    const named = /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1];
    return named === undefined ? null : resolve(root, named);
  }, null);
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
