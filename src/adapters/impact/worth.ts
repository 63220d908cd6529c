import type { Pace } from './pace.ts';

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
