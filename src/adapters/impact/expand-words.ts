import { type GlobPart, readGlob } from '../../core/impact/shell-glob.ts';
import type { ShellHabit } from '../../core/impact/shell-state.ts';
import type { Pace } from './pace.ts';
import type { Child, Tree } from './tree.ts';

const MOST_MATCHES = 20_000;

interface GlobMeans {
  readonly tree: Tree;
  readonly pace: Pace;
  readonly habits?: ReadonlySet<ShellHabit> | undefined;
}

const NO_HABITS: ReadonlySet<ShellHabit> = new Set();

/** Paths that a pattern matches on the tree, sorted; null where looking was stopped. Relative patterns give relative paths. */
export async function expandGlob(
  pattern: string,
  cwd: string,
  { tree, pace, habits = NO_HABITS }: GlobMeans,
): Promise<readonly string[] | null> {
  const parts = readGlob(pattern, { dots: habits.has('dots'), folds: habits.has('folds') });
  let found: readonly string[] = pattern.startsWith('/') ? ['/'] : [''];
  for (const [at, part] of parts.entries()) {
    if (part.name === '' && at === 0) continue;
    const isLast = at === parts.length - 1;
    const next: string[] = [];
    for (const before of found) {
      if (!(await pace.breathe()) || next.length > MOST_MATCHES) return null;
      if (part.name !== null) next.push(before + part.name + (isLast ? '' : '/'));
      else next.push(...(await matchesIn(before, part, { cwd, tree, isLast, hasParents: habits.has('parents') })));
    }
    found = next;
  }
  // An entry that a folder listed exists.
  if (parts.at(-1)?.name !== null) return thoseThere(found, cwd, tree, pace);
  return [...found].sort();
}

async function thoseThere(
  paths: readonly string[],
  cwd: string,
  tree: Tree,
  pace: Pace,
): Promise<readonly string[] | null> {
  const there: string[] = [];
  for (const path of paths) {
    if (!(await pace.breathe())) return null;
    if (tree.look(toAbsolute(path, cwd)) !== null) there.push(path);
  }
  return there.sort();
}

async function matchesIn(
  before: string,
  { matches, isDotted }: GlobPart,
  {
    cwd,
    tree,
    isLast,
    hasParents,
  }: { readonly cwd: string; readonly tree: Tree; readonly isLast: boolean; readonly hasParents: boolean },
): Promise<readonly string[]> {
  const folder = tree.follow(before === '' ? cwd : toAbsolute(before, cwd));
  if (folder?.kind !== 'folder') return [];
  const children = await tree.children(folder.path, folder.stats?.size);
  const around = hasParents && isDotted ? AROUND : [];
  return [...around, ...children].flatMap(({ name, kind }) => {
    if (!matches(name)) return [];
    if (!isLast && kind !== 'folder' && kind !== 'link' && kind !== 'unknown') return [];
    return [before + name + (isLast ? '' : '/')];
  });
}

/** The entries that every folder lists, and newer shells leave out. */
const AROUND: readonly Child[] = [
  { name: '.', kind: 'folder' },
  { name: '..', kind: 'folder' },
];

/** A path from where a line stands; `..` is left for the tree to follow. */
export function toAbsolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}
