import { type Dirent, existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { mayHoldSecret } from '../../core/commands/protected-files.ts';
import { attempt } from '../../core/text/attempt.ts';
import { readBeginning } from '../system/file-status.ts';
import { isSettled } from '../system/folder-state.ts';
import { nextTurn } from '../system/patience.ts';
import { jsonReader, keptReader, keyedReader, netrcReader, type Reader, rankOfEnvFile } from './readers.ts';

/** More folders of a project are not looked at, and more files are not remembered. */
const MOST_FOLDERS = 4000;
/** The same for a directory that is no work tree, and may hold anything. */
const MOST_ELSEWHERE = 400;
const MOST_FILES = 512;
/** A project is looked through again when this many times as long has passed as looking took, and not before the least. */
const REST = 20;
const LEAST_MS = 2000;
/** No key press waits longer than about this. */
export const SLICE_MS = 3;
/** Folders with the files of other authors, and git's own folder. */
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);

/** The files of a project that hold secrets by their names, wherever they lie. It is looked through behind all else. */
export class ProjectTree {
  readonly #root: string;
  #files: readonly string[] = [];
  #first: Promise<void> | null = null;
  #isLooking = false;
  #nextAt = 0;

  constructor(root: string) {
    this.#root = root;
  }

  /** The files found in the last search. */
  get files(): readonly string[] {
    return this.#files;
  }

  /**
   * Looks through it, unless that was done just now. Settles when it was done once: nobody waits for a second look, as what is new is known
   * by then to who reads it by name. Never rejects.
   */
  look(): Promise<void> {
    const now = performance.now();
    if (!this.#isLooking && now >= this.#nextAt) {
      this.#isLooking = true;
      const looking = this.#lookNow(now).finally(() => {
        this.#isLooking = false;
      });
      this.#first ??= looking;
    }
    return this.#first ?? Promise.resolve();
  }

  async #lookNow(began: number): Promise<void> {
    const found: string[] = [];
    const waiting = [this.#root];
    const most = existsSync(`${this.#root}/.git`) ? MOST_FOLDERS : MOST_ELSEWHERE;
    let resumed = began;
    for (let at = 0; at < waiting.length && at < most && found.length < MOST_FILES; at += 1) {
      if (performance.now() - resumed > SLICE_MS) {
        await nextTurn();
        resumed = performance.now();
      }
      const folder = waiting[at] ?? '';
      for (const entry of entriesOf(folder)) {
        const { name } = entry;
        if (entry.isDirectory()) {
          if (!PASSED_OVER.has(name)) waiting.push(`${folder}/${name}`);
        } else if (mayHoldSecret(name)) {
          const path = `${folder}/${name}`;
          if (entry.isFile() || (entry.isSymbolicLink() && isFileWithin(path, this.#root))) found.push(path);
        }
      }
    }
    this.#files = found.slice(0, MOST_FILES);
    const now = performance.now();
    this.#nextAt = now + Math.max(LEAST_MS, (now - began) * REST);
  }
}

/** True for a link to a file of the project: one that leads out of it is read by no more than its own name. */
function isFileWithin(path: string, root: string): boolean {
  // It leads nowhere.
  return attempt(() => realpathSync(path).startsWith(`${realpathSync(root)}/`) && statSync(path).isFile(), false);
}

/** In an order of our own, with the usual names first. One at a time: to wait for each takes several times as long as to read it. */
function entriesOf(folder: string): readonly Dirent[] {
  // Gone meanwhile, or not ours to read.
  return attempt(
    () =>
      readdirSync(folder, { withFileTypes: true }).sort(
        (one, other) => rankOfEnvFile(one.name) - rankOfEnvFile(other.name) || (one.name < other.name ? -1 : 1),
      ),
    [],
  );
}

/** A file of the home directory that holds secrets, and how it is read. */
interface HomeFile {
  readonly name: string;
  readonly toReader: (from: string) => Reader;
}

/** Files of programs whose secrets are told by their names, and what those are called by. */
const KEPT: Readonly<Record<string, string>> = {
  '.aliyun/config.json': 'aliyun',
  '.azure/msal_token_cache.json': 'azure',
  '.cache/huggingface/token': 'huggingface',
  '.cargo/credentials.toml': 'cargo',
  '.claude/.credentials.json': 'claude',
  '.codex/auth.json': 'codex',
  '.composer/auth.json': 'composer',
  '.config/.wrangler/config/default.toml': 'wrangler',
  '.config/composer/auth.json': 'composer',
  '.config/containers/auth.json': 'containers',
  '.config/doctl/config.yaml': 'doctl',
  '.config/github-copilot/apps.json': 'copilot',
  '.config/github-copilot/hosts.json': 'copilot',
  '.config/glab-cli/config.yml': 'glab',
  '.config/hcloud/cli.toml': 'hcloud',
  '.config/helm/registry/config.json': 'helm',
  '.config/ngrok/ngrok.yml': 'ngrok',
  '.config/pypoetry/auth.toml': 'poetry',
  '.config/rclone/rclone.conf': 'rclone',
  '.config/sops/age/keys.txt': 'sops',
  '.config/stripe/config.toml': 'stripe',
  '.databrickscfg': 'databricks',
  '.fly/config.yml': 'fly',
  '.gem/credentials': 'gem',
  '.gemini/oauth_creds.json': 'gemini',
  '.gradle/gradle.properties': 'gradle',
  '.huggingface/token': 'huggingface',
  '.kaggle/kaggle.json': 'kaggle',
  '.local/share/com.vercel.cli/auth.json': 'vercel',
  '.m2/settings.xml': 'maven',
  '.my.cnf': 'mysql',
  '.netlify/config.json': 'netlify',
  '.ngrok2/ngrok.yml': 'ngrok',
  '.pgpass': 'pgpass',
  '.pulumi/credentials.json': 'pulumi',
  '.s3cfg': 's3',
  '.terraform.d/credentials.tfrc.json': 'terraform',
  '.terraformrc': 'terraform',
  '.vault-token': 'vault',
  '.vercel/auth.json': 'vercel',
  '.wrangler/config/default.toml': 'wrangler',
};

/** Files that are looked for in the home directory, and how each is read. */
export const HOME_FILES: readonly HomeFile[] = [
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
  ...Object.entries(KEPT).map(([name, prefix]) => ({ name, toReader: (from: string) => keptReader(from, prefix) })),
];

/** More of a file is not looked at. */
const MOST_BYTES = 256 * 1024;

/** More files of a folder are not looked at. */
const MOST_OF_FOLDER = 64;

/** A value computed from a file, and computed again only when the file changed. */
export class WatchedFile<T> {
  readonly #path: string;
  readonly #make: (text: string) => T;
  readonly #none: T;
  #stamp = '';
  #bytes = 0;
  #made: T;

  constructor(path: string, none: T, make: (text: string) => T) {
    this.#path = path;
    this.#make = make;
    this.#none = none;
    this.#made = none;
  }

  /** The value of the file now; nothing when it cannot be read. */
  read(): T {
    const status = statusOf(this.#path);
    const stamp = toStamp(status);
    if (stamp === this.#stamp) return this.#made;
    this.#stamp = stamp;
    this.#bytes = Math.min(status?.size ?? 0, MOST_BYTES);
    this.#made = stamp === '' ? this.#none : this.#readNow();
    return this.#made;
  }

  /** How many bytes were read of it. */
  get bytes(): number {
    return this.#bytes;
  }

  #readNow(): T {
    try {
      return this.#make(readBeginning(this.#path, MOST_BYTES)?.bytes.toString('utf8') ?? '');
    } catch {
      return this.#none; // Gone, not ours to read, or of a form nobody expects: it tells no secret.
    }
  }
}

/** The files of a folder whose name fits, listed again only when the folder changed. */
export class WatchedFolder {
  readonly #path: string;
  readonly #fits: (name: string) => boolean;
  readonly #rank: (name: string) => number;
  #stamp = '';
  #paths: readonly string[] = [];

  /** If there are too many, those of the lowest rank count. */
  constructor(path: string, fits: (name: string) => boolean, rank: (name: string) => number = () => 0) {
    this.#path = path;
    this.#fits = fits;
    this.#rank = rank;
  }

  /** The paths of the files; none when the folder cannot be read. */
  list(): readonly string[] {
    const stamp = toStamp(statusOf(this.#path));
    if (stamp === this.#stamp) return this.#paths;
    this.#stamp = stamp;
    this.#paths = stamp === '' ? [] : this.#listNow();
    return this.#paths;
  }

  #listNow(): string[] {
    try {
      const names = readdirSync(this.#path).filter(this.#fits).sort();
      names.sort((one, other) => this.#rank(one) - this.#rank(other));
      return names.slice(0, MOST_OF_FOLDER).map((name) => join(this.#path, name));
    } catch {
      return []; // Gone meanwhile, or not ours to read.
    }
  }
}

function statusOf(path: string): Stats | undefined {
  // A folder on the way is closed to us.
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
}

/** The stamp of what changed just now is another one each time, as that may change again unseen. */
function toStamp(status: Stats | undefined): string {
  if (status === undefined) return '';
  const { mtimeMs, ctimeMs, size, ino } = status;
  return [mtimeMs, ctimeMs, size, ino, isSettled(ctimeMs, Date.now()) ? 0 : performance.now()].join(' ');
}
