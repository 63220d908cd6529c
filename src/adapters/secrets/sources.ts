import { readFileSync, statSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { mayHoldSecret } from '../../core/gate/secret-paths.ts';
import type { Secret } from '../../core/secrets/secret.ts';
import { HOME_FILES } from './home-files.ts';
import { ProjectTree } from './project-tree.ts';
import { isEnvFile, readerOf } from './reader-of.ts';
import { envReader, jsonReader, keyedReader, keyReader, type Reader, wholeReader } from './readers.ts';
import { WatchedFile, WatchedFolder } from './watched-file.ts';

/** Where secrets are looked for. */
export interface SecretPlace {
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

/** Places that are remembered; a person goes to and fro between few. */
const MOST_FOLDERS = 32;

/** Files that were read by somebody and are remembered. */
const MOST_NOTED = 256;

/** The files that hold secrets, read again only when they changed. */
export class SecretFiles {
  readonly #more: readonly string[];
  readonly #files = new Map<string, WatchedFile<readonly Secret[]>>();
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #configs = new Map<string, string>();
  readonly #trees = new Map<string, ProjectTree>();
  readonly #noted = new Map<string, Source>();

  /** `more` are further files whose values are secret; `~/` is the home, and a relative one is of the project. */
  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** The secrets of the files of a place. Never throws: a file that cannot be read holds none. */
  read(place: SecretPlace): readonly Secret[] {
    const sources = [...this.#inProject(place), ...this.#inHome(place.home), ...this.#noted.values()];
    return sources.flatMap((source) => this.#file(source).read());
  }

  /** Takes files in that somebody reads, whose name or place says that they hold secrets, wherever they lie. */
  note(paths: readonly string[], { home, project }: SecretPlace): void {
    for (const path of paths) {
      if (this.#noted.has(path)) continue;
      if (this.#noted.size >= MOST_NOTED) this.#noted.clear();
      this.#noted.set(path, { path, reader: readerOf(path, shorten(path, project ?? home, home)) });
    }
  }

  /** What a text holds that was read from a file; nothing where its name does not say that it holds secrets. */
  readText(path: string, text: string): readonly Secret[] {
    const name = basename(path);
    return isEnvFile(name) || mayHoldSecret(name.toLowerCase()) ? readerOf(path, path)(text) : [];
  }

  /** Looks through the whole of a project, where that was not done just now. Never rejects. */
  async lookThrough({ project, home }: SecretPlace): Promise<void> {
    if (project !== null && project !== '/' && !`${home}/`.startsWith(`${project}/`))
      await this.#treeOf(project).look();
  }

  #treeOf(project: string): ProjectTree {
    const found = this.#trees.get(project) ?? new ProjectTree(project);
    if (this.#trees.size > MOST_FOLDERS) this.#trees.clear();
    this.#trees.set(project, found);
    return found;
  }

  #inProject({ cwd, project, home }: SecretPlace): Source[] {
    const roots = [...new Set([project ?? cwd, cwd])];
    const named = roots.flatMap((root) => this.#list(root, isEnvFile));
    const environments = named.map((path) => ({ path, reader: envReader(basename(path)) }));
    const git = roots.map((root) => ({ path: this.#gitConfig(root), reader: keyedReader('git remote', 'git') }));
    const more = this.#more.map((name) => {
      const path = name.startsWith('~/') ? join(home, name.slice(2)) : resolve(project ?? cwd, name);
      return { path, reader: wholeReader(basename(path), path) };
    });
    const near = new Set(named);
    const deep = project === null ? [] : this.#treeOf(project).files.filter((path) => !near.has(path));
    const below = deep.map((path) => ({ path, reader: readerOf(path, shorten(path, project ?? cwd, home)) }));
    return [...environments, ...git, ...more, ...below];
  }

  /** Most of what is looked for is not there, which one look at the home tells. */
  #inHome(home: string): Source[] {
    const there = new Set(this.#list(home, (name) => IN_HOME.has(name), 'home').map((path) => basename(path)));
    const listIn = (folder: string, fits: (name: string) => boolean): readonly string[] =>
      there.has(topOf(folder)) ? this.#list(join(home, folder), fits) : [];
    const keys = listIn('.ssh', (name) => !/\.pub$|^(?:known_hosts|authorized_keys|config)/.test(name));
    const clouds = listIn('.config/gcloud', (name) => name.endsWith('.json'));
    return [
      ...keys.map((path) => ({ path, reader: keyReader('~/.ssh', `ssh.${basename(path)}`) })),
      ...clouds.map((path) => ({ path, reader: jsonReader('~/.config/gcloud', 'gcloud') })),
      ...HOME_FILES.filter(({ name }) => there.has(topOf(name))).map(({ name, toReader }) => ({
        path: join(home, name),
        reader: toReader(`~/${name}`),
      })),
    ];
  }

  /** The files of a folder that fit; `what` tells apart for what it is listed. */
  #list(folder: string, fits: (name: string) => boolean, what = ''): readonly string[] {
    const key = `${what}:${folder}`;
    const found = this.#folders.get(key) ?? new WatchedFolder(folder, fits);
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

/** A path as a person would name it. */
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
    const folder = resolve(root, /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '.git');
    return join(resolve(folder, readFileSync(join(folder, 'commondir'), 'utf8').trim()), 'config');
  } catch {
    return join(path, 'config'); // No repository, or one that git itself would not read.
  }
}
