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
    return [...this.#inProject(place), ...this.#inHome(place.home), ...homeFiles(place.home)].flatMap((source) =>
      this.#file(source).read(),
    );
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

  #inHome(home: string): Source[] {
    const keys = this.#list(join(home, '.ssh'), (name) => !/\.pub$|^(?:known_hosts|authorized_keys|config)/.test(name));
    const clouds = this.#list(join(home, '.config/gcloud'), (name) => name.endsWith('.json'));
    return [
      ...keys.map((path) => ({ path, reader: keyReader('~/.ssh', `ssh.${basename(path)}`) })),
      ...clouds.map((path) => ({ path, reader: jsonReader('~/.config/gcloud', 'gcloud') })),
    ];
  }

  #list(folder: string, fits: (name: string) => boolean): readonly string[] {
    const found = this.#folders.get(folder) ?? new WatchedFolder(folder, fits);
    if (this.#folders.size > MOST_FOLDERS) this.#folders.clear();
    this.#folders.set(folder, found);
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

/** `.env` and its kin; an example to copy holds no secret. */
function isEnvFile(name: string): boolean {
  return /^\.env(?:rc)?(?:[._-]|$)|\.env$/.test(name) && !/example|sample|template|dist$|schema|vault$/i.test(name);
}

function homeFiles(home: string): Source[] {
  const at = (name: string, toReader: (from: string) => Reader): Source => ({
    path: join(home, name),
    reader: toReader(`~/${name}`),
  });
  return [
    at('.netrc', netrcReader),
    at('.npmrc', (from) => keyedReader(from, 'npm')),
    at('.pypirc', (from) => keyedReader(from, 'pypi')),
    at('.aws/credentials', (from) => keyedReader(from, 'aws')),
    at('.config/gh/hosts.yml', (from) => keyedReader(from, 'gh')),
    at('.docker/config.json', (from) => jsonReader(from, 'docker', ['auth', 'identitytoken', 'registrytoken'])),
    at('.kube/config', (from) => keyedReader(from, 'kube')),
    at('.git-credentials', (from) => keyedReader(from, 'git')),
    at('.config/git/credentials', (from) => keyedReader(from, 'git')),
    at('.gitconfig', (from) => keyedReader(from, 'git')),
  ];
}

function findGitConfig(root: string): string {
  const path = join(root, '.git');
  try {
    if (!statSync(path).isFile()) return join(path, 'config');
    const folder = resolve(root, /^gitdir: (.+)$/m.exec(readFileSync(path, 'utf8'))?.[1] ?? '.git');
    return join(resolve(folder, readFileSync(join(folder, 'commondir'), 'utf8').trim()), 'config');
  } catch {
    return join(path, 'config'); // No repository, or one that git itself would not read.
  }
}
