import { readGlob } from '../../core/blast/shell-glob.ts';
import type { Pace } from './pace.ts';
import type { Tree } from './tree.ts';

const MOST_MATCHES = 20_000;

/** Paths that a pattern matches on the tree, sorted; null where looking was stopped. Relative patterns give relative paths. */
export async function expandGlob(
  pattern: string,
  cwd: string,
  tree: Tree,
  pace: Pace,
): Promise<readonly string[] | null> {
  const parts = readGlob(pattern);
  let found: readonly string[] = pattern.startsWith('/') ? ['/'] : [''];
  for (const [at, part] of parts.entries()) {
    if (part.name === '' && at === 0) continue;
    const isLast = at === parts.length - 1;
    const next: string[] = [];
    for (const before of found) {
      if (!(await pace.breathe()) || next.length > MOST_MATCHES) return null;
      if (part.name !== null) next.push(before + part.name + (isLast ? '' : '/'));
      else next.push(...(await matchesIn(before, part.matches, { cwd, tree, isLast })));
    }
    found = next;
  }
  // What a folder has listed is there.
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
  matches: (name: string) => boolean,
  { cwd, tree, isLast }: { readonly cwd: string; readonly tree: Tree; readonly isLast: boolean },
): Promise<readonly string[]> {
  const folder = tree.follow(before === '' ? cwd : toAbsolute(before, cwd));
  if (folder?.kind !== 'folder') return [];
  const children = await tree.children(folder.path, folder.stats?.size);
  return children.flatMap(({ name, kind }) => {
    if (!matches(name)) return [];
    if (!isLast && kind !== 'folder' && kind !== 'link' && kind !== 'unknown') return [];
    return [before + name + (isLast ? '' : '/')];
  });
}

/** A path from where a line stands; `..` is left for the tree to follow. */
export function toAbsolute(path: string, cwd: string): string {
  return path.startsWith('/') ? path : `${cwd}/${path}`;
}
