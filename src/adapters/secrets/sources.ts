import { statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { isEnvironmentFile, liesBesideKeys, mayHoldSecret } from '../../core/commands/protected-files.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { readGitLink, readRegular } from '../system/file-status.ts';
import { nextTurn } from '../system/patience.ts';
import {
  envReader,
  jsonReader,
  keyedReader,
  keyReader,
  type Reader,
  rankOfEnvFile,
  readerOf,
  wholeReader,
} from './readers.ts';
import { HOME_FILES, ProjectTree, SLICE_MS, WatchedFile, WatchedFolder } from './secret-paths.ts';

/** Directories with secrets. */
export interface SecretContext {
  readonly cwd: string;
  /** Root of the project; null outside of one. */
  readonly project: string | null;
  readonly home: string;
}

/** A file that holds secrets, and how it is read. */
interface Source {
  readonly path: string;
  readonly reader: Reader;
}

/** The names in the home directory below which all of that is. */
const IN_HOME: ReadonlySet<string> = new Set(['.ssh', ...HOME_FILES.map(({ name }) => topOf(name))]);

/** More files are not remembered as they were read. */
const MOST_FILES = 1024;

/** Most directories in the cache; users switch between few. */
const MOST_FOLDERS = 32;

/** Most files in the cache. */
const MOST_NOTED = 256;

/** The files that hold secrets, read again only when they changed. */
export class SecretFiles {
  readonly #more: readonly string[];
  readonly #files = new Map<string, WatchedFile<readonly Secret[]>>();
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #configs = new Map<string, string>();
  readonly #trees = new Map<string, ProjectTree>();
  readonly #noted = new Map<string, Source>();
  /** The files of a home, as its folder was listed last. */
  #ofHome: {
    readonly listed: readonly string[];
    readonly top: ReadonlySet<string>;
    readonly files: readonly Source[];
  } | null = null;
  readonly #short = new Set<string>();
  #note: string | null = null;

  /** `more` are further files whose values are secret; `~/` is the home, and a relative one is of the project. */
  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** The secrets of the files of a place. Never throws: a file that cannot be read holds none. */
  read(place: SecretContext): readonly Secret[] {
    const ofUser = [...this.#named(place), ...this.#inHome(place.home), ...this.#noted.values()];
    return [
      ...rootsOf(place).flatMap((root) => this.#readWithin(this.#near(root), place)),
      ...ofUser.flatMap((source) => this.#file(source).read()),
      ...this.#readWithin(this.#below(place), place),
    ];
  }

  /** A notice about skipped files, once for each project. */
  takeNote(): string | null {
    const note = this.#note;
    this.#note = null;
    return note;
  }

  /** The secrets of files that came with a project, as many as there is room for. */
  #readWithin(sources: readonly Source[], { cwd, project }: SecretContext): Secret[] {
    const budget = new ReadingBudget();
    const found: Secret[] = [];
    for (const source of sources) {
      if (!budget.hasRoom()) break;
      const file = this.#file(source);
      found.push(...budget.take(file.read(), file.bytes));
    }
    const root = project ?? cwd;
    if (budget.wasShort && !this.#short.has(root)) {
      this.#short.add(root);
      this.#note = `The files of ${root} have more secrets than aish can read, so the model may see some. List the important files in \`secrets.files\`.`;
    }
    return found;
  }

  /** Adds files that a command reads, if their name or folder shows that they hold secrets. */
  note(paths: readonly string[], { home, project }: SecretContext): void {
    for (const path of paths) {
      if (this.#noted.has(path)) continue;
      if (this.#noted.size >= MOST_NOTED) this.#noted.clear();
      this.#noted.set(path, { path, reader: readerOf(path, shorten(path, project ?? home, home)) });
    }
  }

  /** The secrets in the text of a file; none if its name does not show that it holds secrets. */
  readText(path: string, text: string): readonly Secret[] {
    const name = basename(path);
    return mayHoldSecret(name) ? readerOf(path, path)(text) : [];
  }

  /** Searches the whole project, unless it just did. Never rejects. */
  async lookThrough(place: SecretContext): Promise<void> {
    const { project, home } = place;
    if (project === null || project === '/' || `${home}/`.startsWith(`${project}/`)) return;
    await this.#treeOf(project).look();
    // One by one, so that keys are handled in between; the cache keeps the results.
    const budget = new ReadingBudget();
    let resumed = performance.now();
    for (const source of this.#below(place)) {
      if (!budget.hasRoom()) return;
      const file = this.#file(source);
      budget.take(file.read(), file.bytes);
      if (performance.now() - resumed > SLICE_MS) {
        await nextTurn();
        resumed = performance.now();
      }
    }
  }

  #treeOf(project: string): ProjectTree {
    const found = this.#trees.get(project) ?? new ProjectTree(project);
    if (this.#trees.size > MOST_FOLDERS) this.#trees.clear();
    this.#trees.set(project, found);
    return found;
  }

  /** The environment files and the git configuration of a folder. */
  #near(root: string): Source[] {
    const named = this.#list(root, isEnvironmentFile, { rank: rankOfEnvFile });
    const git = { path: this.#gitConfig(root), reader: keyedReader('git remote', 'git') };
    return [git, ...named.map((path) => ({ path, reader: envReader(basename(path)) }))];
  }

  #named({ cwd, project, home }: SecretContext): Source[] {
    return this.#more.map((name) => {
      const path = name.startsWith('~/') ? join(home, name.slice(2)) : resolve(project ?? cwd, name);
      return { path, reader: wholeReader(basename(path), path) };
    });
  }

  /** The other files of a project, those that lie nearest to the user first. */
  #below({ cwd, project, home }: SecretContext): Source[] {
    if (project === null) return [];
    const near = new Set(rootsOf({ cwd, project }));
    return this.#treeOf(project)
      .files.filter((path) => !(near.has(dirname(path)) && isEnvironmentFile(basename(path))))
      .map((path) => ({ path, steps: stepsBetween(cwd, dirname(path)) }))
      .sort((one, other) => one.steps - other.steps)
      .map(({ path }) => ({ path, reader: readerOf(path, shorten(path, project, home)) }));
  }

  /** Most sources do not exist, as one listing of the home shows. */
  #inHome(home: string): Source[] {
    const listed = this.#list(home, (name) => IN_HOME.has(name), { what: 'home' });
    if (this.#ofHome?.listed !== listed) this.#ofHome = filesOfHome(home, listed);
    const { top, files } = this.#ofHome;
    const listIn = (folder: string, fits: (name: string) => boolean): readonly string[] =>
      top.has(topOf(folder)) ? this.#list(join(home, folder), fits) : [];
    const keys = listIn('.ssh', (name) => !liesBesideKeys(`.ssh/${name}`));
    const clouds = listIn('.config/gcloud', (name) => name.endsWith('.json'));
    return [
      ...keys.map((path) => ({ path, reader: keyReader('~/.ssh', `ssh.${basename(path)}`) })),
      ...clouds.map((path) => ({ path, reader: jsonReader('~/.config/gcloud', 'gcloud') })),
      ...files,
    ];
  }

  /** The matching files of a folder; `what` is the purpose of the listing. */
  #list(
    folder: string,
    fits: (name: string) => boolean,
    { what = '', rank }: { what?: string; rank?: (name: string) => number } = {},
  ): readonly string[] {
    const key = `${what}:${folder}`;
    const found = this.#folders.get(key) ?? new WatchedFolder(folder, fits, rank);
    if (this.#folders.size > MOST_FOLDERS) this.#folders.clear();
    this.#folders.set(key, found);
    return found.list();
  }

  #file({ path, reader }: Source): WatchedFile<readonly Secret[]> {
    const found = this.#files.get(path) ?? new WatchedFile<readonly Secret[]>(path, [], reader);
    if (this.#files.size > MOST_FILES) this.#files.clear();
    this.#files.set(path, found);
    return found;
  }

  /** The configuration of a repository, whose remotes may hold a password; a linked work tree shares that of its main one. */
  #gitConfig(root: string): string {
    const known = this.#configs.get(root);
    if (known !== undefined) return known;
    if (this.#configs.size > MOST_FOLDERS) this.#configs.clear();
    const path = findGitConfig(root);
    this.#configs.set(root, path);
    return path;
  }
}

function rootsOf({ cwd, project }: Pick<SecretContext, 'cwd' | 'project'>): string[] {
  return [...new Set([project ?? cwd, cwd])];
}

/** The files of a home in which some of the names are that lead to secrets. */
function filesOfHome(home: string, listed: readonly string[]) {
  const top = new Set(listed.map((path) => basename(path)));
  const there = HOME_FILES.filter(({ name }) => top.has(topOf(name)));
  return {
    listed,
    top,
    files: there.map(({ name, toReader }) => ({ path: join(home, name), reader: toReader(`~/${name}`) })),
  };
}

/** How many steps lead from a folder to another. */
function stepsBetween(from: string, to: string): number {
  return relative(from, to)
    .split('/')
    .filter((step) => step !== '').length;
}

/** A path as a user would name it. */
function shorten(path: string, project: string, home: string): string {
  if (path.startsWith(`${project}/`)) return relative(project, path);
  return path.startsWith(`${home}/`) ? `~/${relative(home, path)}` : path;
}

/** The first name of a path. */
function topOf(path: string): string {
  return path.split('/', 1)[0] ?? path;
}

function findGitConfig(root: string): string {
  const path = join(root, '.git');
  try {
    if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true) return join(path, 'config');
    const folder = readGitLink(root) ?? path;
    return join(resolve(folder, readRegular(join(folder, 'commondir')).toString().trim()), 'config');
  } catch {
    return join(path, 'config'); // No repository, or one that git itself would not read.
  }
}

/** Most bytes and values from the files of a project, whose author may be hostile. */
const MOST_BYTES = 512 * 1024;
const MOST_VALUES = 2000;

/** The remaining budget for the files of a project: each value slows the redaction of every text. */
class ReadingBudget {
  #bytes = MOST_BYTES;
  #values = MOST_VALUES;
  #wasShort = false;

  /** True when something was left out. */
  get wasShort(): boolean {
    return this.#wasShort;
  }

  /** True if another file may be read; call it once for each file. */
  hasRoom(): boolean {
    const hasRoom = this.#bytes > 0 && this.#values > 0;
    if (!hasRoom) this.#wasShort = true;
    return hasRoom;
  }

  /** The secrets of a file, as many as the budget allows. */
  take<T>(values: readonly T[], bytes: number): readonly T[] {
    const taken = values.length <= this.#values ? values : values.slice(0, this.#values);
    if (taken.length < values.length) this.#wasShort = true;
    this.#bytes -= bytes;
    this.#values -= taken.length;
    return taken;
  }
}
