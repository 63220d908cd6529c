import type { Argument } from '../../core/commands/argument.ts';
import { isAboutFiles, type Plan, type PlannedChange } from '../../core/impact/plan-line.ts';
import { AishError } from '../../protocol/error.ts';
import { disarmFilters, type GitOutcome, readFilters, runGit } from '../git/process/git-process.ts';
import type { Pace } from './pace.ts';
import { type Tree, toAbsolute } from './tree.ts';

/** For more places of one repository than this, git reads the whole repository. */
const MOST_PLACES = 50;
const MOST_REPOSITORIES = 4;

/** Reads a repository, without starting any program of its own. */
export class GitReader {
  readonly #root: string;
  readonly #signal: AbortSignal;
  #filters: Promise<readonly string[]> | null = null;

  constructor(root: string, signal: AbortSignal) {
    this.#root = root;
    this.#signal = signal;
  }

  /** Folder that the repository is about. */
  get root(): string {
    return this.#root;
  }

  /** The output of git; null if it fails or is out of time. */
  async read(
    args: readonly string[],
    { cwd = this.#root, patterns = false }: { readonly cwd?: string; readonly patterns?: boolean } = {},
  ): Promise<GitOutcome | null> {
    try {
      this.#filters ??= readFilters({ cwd: this.#root, signal: this.#signal }, { ownOnly: false });
      const settings = disarmFilters(await this.#filters, { required: false });
      const env: Record<string, string> = patterns ? { GIT_LITERAL_PATHSPECS: '0' } : {};
      // Its threads would take the processor from the estimate, and from the keys.
      const single = ['-c', 'core.preloadIndex=false', '-c', 'index.threads=1'];
      return await runGit({ cwd, args: [...single, ...settings, ...args], env, signal: this.#signal, yields: true });
    } catch (thrown) {
      if (thrown instanceof AishError) return null;
      throw thrown;
    }
  }

  /** The output of git, without the end of its last line; null if it fails. */
  async line(args: readonly string[], cwd: string): Promise<string | null> {
    const outcome = await this.read(args, { cwd });
    return outcome === null || outcome.exit !== 0 ? null : outcome.stdout.toString('utf8').replace(/\n$/, '');
  }

  /** The facts of git about the files below some paths, or about all of them; null if it is late or fails. */
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

  /** The repository around a directory; null where there is none. */
  around(directory: string): GitReader | null {
    const real = this.#tree.follow(directory);
    for (let folder = real?.path ?? ''; folder !== ''; folder = folder.slice(0, folder.lastIndexOf('/'))) {
      const known = this.#readers.get(folder);
      if (known !== undefined) return known;
      if (this.#tree.follow(`${folder}/.git`) === null) continue;
      const reader = new GitReader(folder, this.#signal);
      this.#readers.set(folder, reader);
      return reader;
    }
    return null;
  }

  /** The facts of git about the files of a plan; null without a repository, and if one gives no answer. */
  async facts(plan: Plan): Promise<GitFacts | null> {
    const asked = new Map<GitReader, Set<string>>();
    for (const planned of plan) {
      if (!isAboutFiles(planned)) continue;
      for (const place of placesOf(planned)) {
        const folder = this.#tree.follow(place.slice(0, place.lastIndexOf('/')) || '/');
        const reader = folder?.kind === 'folder' ? this.around(folder.path) : null;
        if (reader === null || folder === null) continue;
        const name = place.endsWith('/') ? '' : place.slice(place.lastIndexOf('/'));
        asked.set(reader, (asked.get(reader) ?? new Set()).add(`${folder.path === '/' ? '' : folder.path}${name}`));
      }
    }
    if (asked.size === 0 || asked.size > MOST_REPOSITORIES) return null;
    const answers = await Promise.all(
      [...asked].map(([reader, places]) =>
        reader.facts(places.has(reader.root) || places.size > MOST_PLACES ? [] : [...places]),
      ),
    );
    const known = answers.flatMap((facts) => facts ?? []);
    if (known.length < answers.length) return null;
    return {
      modified: known.flatMap(({ modified }) => modified),
      untracked: known.flatMap(({ untracked }) => untracked),
      ignored: known.flatMap(({ ignored }) => ignored),
    };
  }
}

/** The places that a change is about, as far as its words say; a folder ends in a slash. */
function placesOf({ change, cwd, found }: PlannedChange): readonly string[] {
  const here = cwd === null ? [] : [`${cwd}/`];
  const sources = 'sources' in change ? [...change.sources, change.target] : [];
  const words = 'targets' in change ? change.targets : sources;
  if (words.length === 0) return here;
  return words.flatMap((word) => {
    const isFound = word.isFound === true || word.isFed === true;
    if (isFound && found !== null) return found.roots.flatMap((root) => placeOf(root, cwd) ?? here);
    return placeOf(word, cwd) ?? here;
  });
}

/** A pattern is about the folder before it. */
function placeOf({ value, isGlob, pattern }: Argument, cwd: string | null): readonly string[] | null {
  const path = isGlob ? (pattern ?? null) : value;
  if (path === null || (cwd === null && !path.startsWith('/'))) return null;
  const place = toAbsolute(path, cwd ?? '/');
  if (isGlob) {
    const open = /[*?[\\]/.exec(place)?.index ?? place.length;
    return [place.slice(0, place.lastIndexOf('/', open) + 1)];
  }
  const plain = place.replace(/(?<!\/)\/+$/, '');
  return [/(^|\/)\.\.?$/.test(plain) ? `${plain}/` : plain];
}

/** The facts of git about affected files. */
export interface GitFacts {
  /** Tracked, and not as in the last commit. Absolute paths. */
  readonly modified: readonly string[];
  /** A folder ends in a slash and stands for all below it. */
  readonly untracked: readonly string[];
  readonly ignored: readonly string[];
}

/** How many of some files are of which worth. */
export interface Worth {
  readonly untracked: number;
  readonly ignored: number;
  readonly modified: number;
}

/** The counted files: single ones, and the number directly in each folder that was taken whole. */
interface Covered {
  readonly singles: ReadonlySet<string>;
  readonly whole: ReadonlyMap<string, number>;
}

/** Counts what git says of files; null where there was no time for all of them. */
export async function weigh(covered: Covered, facts: GitFacts, pace: Pace): Promise<Worth | null> {
  const untracked = await countOf(covered, facts.untracked, pace);
  const ignored = await countOf(covered, facts.ignored, pace);
  const modified = await countOf(covered, facts.modified, pace);
  return untracked === null || ignored === null || modified === null ? null : { untracked, ignored, modified };
}

/** Tells of a path what git says of it; `kept` is what the last commit has as it is. */
export function worthOf({ modified, untracked, ignored }: GitFacts): (path: string) => 'loose' | 'ignored' | 'kept' {
  const files = (paths: readonly string[]) => new Set(paths.filter((path) => !path.endsWith('/')));
  const folders = (paths: readonly string[]) =>
    new Set(paths.flatMap((path) => (path.endsWith('/') ? [path.slice(0, -1)] : [])));
  const [looseFiles, ignoredFiles] = [files([...modified, ...untracked]), files(ignored)];
  const [isLoose, isIgnored] = [belowOne(folders(untracked)), belowOne(folders(ignored))];
  return (path) => {
    if (ignoredFiles.has(path) || isIgnored(folderOf(path))) return 'ignored';
    return looseFiles.has(path) || isLoose(folderOf(path)) ? 'loose' : 'kept';
  };
}

/** So much is done between two looks at the clock. */
const STRETCH = 500;

async function countOf({ singles, whole }: Covered, paths: readonly string[], pace: Pace): Promise<number | null> {
  const folders = new Set<string>();
  let count = 0;
  for (const [at, path] of paths.entries()) {
    if (at % STRETCH === 0 && !(await pace.breathe())) return null;
    if (path.endsWith('/')) folders.add(path.slice(0, -1));
    else if (singles.has(path) || (whole.get(folderOf(path)) ?? 0) > 0) count += 1;
  }
  if (folders.size === 0) return count;
  const isBelow = belowOne(folders);
  let at = 0;
  for (const single of singles) {
    if (at++ % STRETCH === 0 && !(await pace.breathe())) return null;
    if (isBelow(folderOf(single))) count += 1;
  }
  for (const [folder, files] of whole) {
    if (at++ % STRETCH === 0 && !(await pace.breathe())) return null;
    if (isBelow(folder)) count += files;
  }
  return count;
}

function belowOne(folders: ReadonlySet<string>): (folder: string) => boolean {
  const known = new Map<string, boolean>();
  const isBelow = (folder: string): boolean => {
    const answer = known.get(folder) ?? (folders.has(folder) || (folder !== '/' && isBelow(folderOf(folder))));
    known.set(folder, answer);
    return answer;
  };
  return isBelow;
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/')) || '/';
}
