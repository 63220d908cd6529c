import { readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import type { Secret } from '../../core/secrets/secret.ts';
import { envReader, jsonReader, keyedReader, keyReader, netrcReader, type Reader, wholeReader } from './readers.ts';
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

/** Files that are looked for in the home directory, and how each is read. */
const HOME_FILES: readonly { readonly name: string; readonly toReader: (from: string) => Reader }[] = [
  { name: '.netrc', toReader: netrcReader },
  { name: '.npmrc', toReader: (from) => keyedReader(from, 'npm') },
  { name: '.pypirc', toReader: (from) => keyedReader(from, 'pypi') },
  { name: '.aws/credentials', toReader: (from) => keyedReader(from, 'aws') },
  { name: '.config/gh/hosts.yml', toReader: (from) => keyedReader(from, 'gh') },
  {
    name: '.docker/config.json',
    toReader: (from) => jsonReader(from, 'docker', ['auth', 'identitytoken', 'registrytoken']),
  },
  { name: '.kube/config', toReader: (from) => keyedReader(from, 'kube') },
  { name: '.git-credentials', toReader: (from) => keyedReader(from, 'git') },
  { name: '.config/git/credentials', toReader: (from) => keyedReader(from, 'git') },
  { name: '.gitconfig', toReader: (from) => keyedReader(from, 'git') },
];

/** The names in the home directory below which all of that is. */
const IN_HOME: ReadonlySet<string> = new Set(['.ssh', ...HOME_FILES.map(({ name }) => topOf(name))]);

/** Places that are remembered; a person goes to and fro between few. */
const MOST_FOLDERS = 32;

/** The files that hold secrets, read again only when they changed. */
export class SecretFiles {
  readonly #more: readonly string[];
  readonly #files = new Map<string, WatchedFile<readonly Secret[]>>();
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #configs = new Map<string, string>();

  /** `more` are further files whose values are secret; `~/` is the home, and a relative one is of the project. */
  constructor(more: readonly string[] = []) {
    this.#more = more;
  }

  /** The secrets of the files of a place. Never throws: a file that cannot be read holds none. */
  read(place: SecretPlace): readonly Secret[] {
    return [...this.#inProject(place), ...this.#inHome(place.home)].flatMap((source) => this.#file(source).read());
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
    return [...environments, ...git, ...more];
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
    if (this.#files.size > MOST_FOLDERS * 8) this.#files.clear();
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

/** `.env` and its kin, and the variables of Terraform; an example to copy holds no secret. */
function isEnvFile(name: string): boolean {
  return (
    /^\.env(?:rc)?(?:[._-]|$)|\.env$|\.tfvars$/.test(name) && !/example|sample|template|dist$|schema|vault$/i.test(name)
  );
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
