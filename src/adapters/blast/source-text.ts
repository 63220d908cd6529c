import { readFileSync } from 'node:fs';
import type { PathWord, Source } from '../../core/blast/plan.ts';
import type { Repositories } from './git-facts.ts';
import { expandGlob, type GlobMeans, toAbsolute } from './place-words.ts';
import { runSearch } from './search.ts';

/** What sources are looked up with. */
export interface SourceMeans extends GlobMeans {
  readonly repositories: Repositories;
  readonly now: number;
}

const MOST_NAMES = 20_000;
const LARGEST_TEXT = 1_000_000;

/** What a source would print now, without any of it being run but git, which is asked for names; null where that cannot be told. */
export async function readSource(source: Source, means: SourceMeans): Promise<string | null> {
  switch (source.from) {
    case 'search':
      return readSearch(source, means);
    case 'list':
      return readList(source, means);
    case 'git':
      return readNames(source, means);
    case 'file':
      return readSmall(source.path, means);
  }
}

async function readSearch(
  { search, isZero }: Extract<Source, { from: 'search' }>,
  means: SourceMeans,
): Promise<string | null> {
  if (search.follows) return null;
  const roots: { path: string; written: string }[] = [];
  for (const { path, pattern } of search.roots) {
    if (path === null || pattern !== undefined || (search.cwd === null && !path.startsWith('/'))) return null;
    roots.push({ path: toAbsolute(path, search.cwd ?? '/'), written: path });
  }
  const names: string[] = [];
  let isVague = false;
  const { isCut, unreadable } = await runSearch(search, roots, means, async ({ written, isSure }) => {
    isVague ||= !isSure || names.length >= MOST_NAMES;
    if (!isVague) names.push(written);
  });
  if (isVague || isCut || unreadable.length > 0) return null;
  return join(names, isZero ? '\0' : '\n');
}

async function readList(source: Extract<Source, { from: 'list' }>, means: SourceMeans): Promise<string | null> {
  const { cwd, words, hidden, isFlat } = source;
  const given = await expandAll(words, cwd, means);
  if (given === null) return null;
  const shown = given.length === 0 && words.length === 0 ? ['.'] : given;
  const there = shown.flatMap((path) => {
    const entry = means.tree.look(toAbsolute(path, cwd));
    return entry === null ? [] : [{ path, entry }];
  });
  const folders = there.filter(({ path }) => !isFlat && means.tree.follow(toAbsolute(path, cwd))?.kind === 'folder');
  if (folders.length === 0)
    return join(
      there.map(({ path }) => path),
      '\n',
    );
  const [only] = folders;
  // Of several, each has its name above it.
  if (shown.length > 1 || only === undefined) return null;
  const folder = means.tree.follow(toAbsolute(only.path, cwd));
  if (folder === null) return null;
  const names = (await means.tree.children(folder.path, folder.stats?.size)).map(({ name }) => name).sort();
  const meant = hidden === 'none' ? names.filter((name) => !name.startsWith('.')) : names;
  return join(hidden === 'all' ? ['.', '..', ...meant] : meant, '\n');
}

/** The names that some words stand for; null where one of them is not known. */
async function expandAll(
  words: readonly PathWord[],
  cwd: string,
  means: SourceMeans,
): Promise<readonly string[] | null> {
  const names: string[] = [];
  for (const { path, pattern, search, list } of words) {
    if (path === null || search !== undefined || list !== undefined) return null;
    const matches = pattern === undefined ? [path] : await expandGlob(pattern, cwd, means);
    if (matches === null) return null;
    names.push(...matches);
  }
  return names;
}

async function readNames(
  { args, cwd }: Extract<Source, { from: 'git' }>,
  { tree, repositories }: SourceMeans,
): Promise<string | null> {
  const place = tree.follow(cwd);
  const reader = place === null ? null : repositories.around(place.path);
  const outcome = await reader?.read(args, { cwd, patterns: true });
  return outcome?.exit === 0 ? outcome.stdout.toString('utf8') : null;
}

async function readSmall(path: string, { tree }: SourceMeans): Promise<string | null> {
  const entry = tree.follow(path);
  if (entry?.kind !== 'file' || (entry.stats?.size ?? LARGEST_TEXT) >= LARGEST_TEXT) return null;
  try {
    return readFileSync(entry.path, 'utf8');
  } catch {
    return null;
  }
}

function join(names: readonly string[], end: string): string {
  return names.map((name) => name + end).join('');
}
