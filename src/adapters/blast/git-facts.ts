import { AishError } from '../../protocol/error.ts';
import { disarmFilters, readFilters } from '../git/filters.ts';
import { type GitOutcome, runGit } from '../git/git-process.ts';
import type { Tree } from './tree.ts';
import type { GitFacts } from './worth.ts';

/** A repository that is asked, with nothing of its own being started. */
export class GitReader {
  readonly #root: string;
  readonly #signal: AbortSignal;
  #filters: Promise<readonly string[]> | null = null;
  readonly #tops = new Map<string, Promise<string | null>>();

  constructor(root: string, signal: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  /** Folder that the repository is about. */
  get root(): string {
    return this.#root;
  }

  /** What git prints; null where it fails or is out of time. */
  async read(
    args: readonly string[],
    { cwd = this.#root, patterns = false }: { readonly cwd?: string; readonly patterns?: boolean } = {},
  ): Promise<GitOutcome | null> {
    try {
      this.#filters ??= readFilters({ cwd: this.#root, signal: this.#signal }, { ownOnly: false });
      const settings = disarmFilters(await this.#filters, { required: false });
      const env: Record<string, string> = patterns ? { GIT_LITERAL_PATHSPECS: '0' } : {};
      // Its threads would take the processor from the counting, and from the keys.
      const apart = ['-c', 'core.preloadIndex=false', '-c', 'index.threads=1'];
      return await runGit({ cwd, args: [...apart, ...settings, ...args], env, signal: this.#signal, yields: true });
    } catch (thrown) {
      if (thrown instanceof AishError) return null;
      throw thrown;
    }
  }

  /** The folder that git tells paths from, asked once for each place; empty where there is none, null as for `read`. */
  top(cwd: string): Promise<string | null> {
    const known = this.#tops.get(cwd) ?? this.#askTop(cwd);
    this.#tops.set(cwd, known);
    return known;
  }

  async #askTop(cwd: string): Promise<string | null> {
    const told = await this.read(['rev-parse', '--show-toplevel'], { cwd });
    return told === null ? null : told.stdout.toString('utf8').replace(/\n$/, '');
  }

  /** What git knows of the files below some paths, or of all of them; null where it cannot say in time. */
  async facts(paths: readonly string[]): Promise<GitFacts | null> {
    const outcome = await this.read([
      'status',
      '--porcelain=v1',
      '-z',
      '--no-renames',
      '--untracked-files=all',
      '--ignored=matching',
      '--ignore-submodules=all',
      ...(paths.length === 0 ? [] : ['--', ...paths]),
    ]);
    return outcome === null || outcome.exit !== 0 ? null : readStatus(outcome.stdout.toString('utf8'), this.#root);
  }
}

function readStatus(text: string, root: string): GitFacts {
  const facts = { modified: [] as string[], untracked: [] as string[], ignored: [] as string[] };
  for (const line of text.split('\0')) {
    if (line.length < 4) continue;
    const path = `${root}/${line.slice(3)}`;
    if (line.startsWith('??')) facts.untracked.push(path);
    else if (line.startsWith('!!')) facts.ignored.push(path);
    else facts.modified.push(path);
  }
  return facts;
}

/** The repositories around what a line is about, each with its reader. */
export class Repositories {
  readonly #tree: Tree;
  readonly #signal: AbortSignal;
  readonly #readers = new Map<string, GitReader>();

  constructor(tree: Tree, signal: AbortSignal) {
    this.#tree = tree;
    this.#signal = signal;
  }

  /** None was found so far. */
  get isEmpty(): boolean {
    return this.#readers.size === 0;
  }

  /** The repository around a place, without links on the way; null where there is none. */
  around(place: string): GitReader | null {
    for (let folder = place; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
      const known = this.#readers.get(folder);
      if (known !== undefined) return known;
      if (this.#tree.follow(`${folder}/.git`) === null) continue;
      const reader = new GitReader(folder, this.#signal);
      this.#readers.set(folder, reader);
      return reader;
    }
    return null;
  }
}
