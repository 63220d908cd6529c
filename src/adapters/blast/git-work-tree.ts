import type { GitOutcome } from '../git/git-process.ts';
import type { GitReader } from './git-facts.ts';
import { bucketOf, type Taking } from './ground-work.ts';

/** What git is asked about, and where. */
export interface GitReady extends Taking {
  readonly cwd: string;
  readonly git: GitReader;
}

/** A path that is another one on each side of a difference. */
export interface Difference {
  /** Absolute. */
  readonly path: string;
  /** `A`, `D`, `M` or `T`, as git says it. */
  readonly letter: string;
}

/** What differs between a revision and the work tree, between two revisions, or, without one, between the index and the work tree. */
export async function readDifferences(
  revisions: readonly string[],
  { cwd, git }: Pick<GitReady, 'cwd' | 'git'>,
  { specs = [], options = [] }: { readonly specs?: readonly string[]; readonly options?: readonly string[] } = {},
): Promise<readonly Difference[] | 'no-such' | null> {
  if (revisions.some((one) => one.startsWith('-'))) return null;
  const outcome = await git.read(
    [
      'diff',
      '--no-ext-diff',
      '--no-textconv',
      '--no-renames',
      '--ignore-submodules=all',
      '--no-relative',
      '--name-status',
      '-z',
      ...options,
      ...revisions,
      '--',
      ...specs,
    ],
    { cwd, patterns: true },
  );
  const root = await git.top(cwd);
  if (root === null || root === '' || outcome === null) return null;
  if (outcome.exit !== 0) return 'no-such';
  const fields = outcome.stdout.toString('utf8').split('\0');
  const found: Difference[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2)
    found.push({ path: `${root}/${fields[at + 1] ?? ''}`, letter: fields[at] ?? '' });
  return found;
}

/** Makes the work tree what a revision, or the index, says. */
export async function takeDifference(
  revisions: readonly string[],
  specs: readonly string[],
  ready: GitReady,
  { deletes }: { readonly deletes: boolean },
): Promise<boolean> {
  const differences = await readDifferences(revisions, ready, { specs });
  if (differences === null) return false;
  if (differences === 'no-such') {
    ready.work.notes.add('git: there is no such revision or path: that would fail');
    return true;
  }
  const isBetween = revisions.length === 2;
  for (const { path, letter } of differences) {
    // Between two revisions `A` is what the second has; with one, what the work tree has and it has not.
    const goes = isBetween ? letter === 'D' : letter === 'A';
    if (!goes) putBack(path, ready);
    else if (deletes) await deletePath(path, ready);
    if (!(await ready.work.pace.breathe())) return false;
  }
  return true;
}

/** Counts a path that git writes. */
export function putBack(path: string, { work, isMaybe }: Taking): void {
  const there = work.tree.look(path);
  if (there === null) {
    bucketOf('creates', { isMaybe }, work).add(path, 'file');
    work.tree.make(path, 'file');
  } else
    bucketOf('overwrites', { isMaybe }, work).add(
      there.path,
      there.kind === 'folder' ? 'other' : there.kind,
      there.stats?.size,
    );
}

/** Counts a path that git deletes. */
export async function deletePath(path: string, { work, isMaybe }: Taking): Promise<void> {
  const entry = work.tree.look(path.replace(/\/+$/, ''));
  if (entry === null) return;
  await bucketOf('deletes', { isMaybe }, work).addTree(entry, work.tree, work.pace);
  if (!isMaybe) work.tree.remove(entry.path);
}

/** Whether a word names a commit. */
export async function isRevision(name: string, { git, cwd }: Pick<GitReady, 'cwd' | 'git'>): Promise<boolean> {
  if (name === '-') return true;
  const outcome = await git.read(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`], { cwd });
  return outcome?.exit === 0;
}

/** The names that git printed with `-z`. */
export function namesIn({ stdout }: Pick<GitOutcome, 'stdout'>): readonly string[] {
  return stdout
    .toString('utf8')
    .split('\0')
    .filter((name) => name !== '');
}
