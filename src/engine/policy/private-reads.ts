import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findPrivate } from '../../adapters/files/private-files.ts';
import { HistoryNameFinder, type HistoryNames, hasUnreachable } from '../../adapters/sandbox/project-git.ts';
import { treeReadOf } from '../../core/commands/parse.ts';
import { locate, type PathContext } from '../../core/commands/place.ts';
import { findCall } from '../../core/commands/programs/find-program.ts';
import { type Classification, isWithin, MOST_NAMED } from '../../core/commands/verdict.ts';
import {
  gitFoldersOf,
  gitLookOf,
  gitObjectsOf,
  gitReachOf,
  isGit,
  mayOpenObjects,
} from '../../core/sandbox/git-reads.ts';
import { attempt } from '../../core/text/attempt.ts';
import {
  formatCredentials,
  formatGitSecret,
  formatPrivate,
  GIT_CHECKPOINT,
  GIT_OTHER_REPOSITORY,
  GIT_UNREACHABLE,
  GIT_UNSEARCHED,
  TOO_MANY_FILES,
} from './messages.ts';

/** Options by which git prints what is in the repositories of submodules; git takes a long option by its beginning. */
const INTO_SUBMODULES = /^--(?:recu|subm[a-z]*=d)/;

/** Tells whether the git commands of a line may print credentials that lie in a repository, or once did. */
export class GitHistory {
  readonly #finder = new HistoryNameFinder();

  /** Why a line that prints objects of a repository needs an approval, as far back as it goes; null for no reason. */
  async whyAsked(line: Pick<Classification, 'parts'>, project: string): Promise<string | null> {
    // A changing command prints the names of the files it changed, and none of their content.
    const parts = line.parts.filter(({ words, effects }) => isGit(words[0]) && effects.every(isLook));
    const classification = { parts };
    const prints = gitLookOf(classification, null) === 'content';
    if (!prints) return mayOpenObjects(line) ? this.#whyKept(await this.#finder.find(project)) : null;
    const isNested = parts.some(({ words }) => words.some((word) => INTO_SUBMODULES.test(word ?? '')));
    if (isNested || gitFoldersOf(classification).some((folder) => folder === null || isElsewhere(folder, project)))
      return GIT_OTHER_REPOSITORY;
    const reach = gitReachOf(classification);
    const { now, ever, checkpoints, hasCheckpoints } = await this.#finder.find(project);
    if (reach === 'checkpoints' && hasCheckpoints) return GIT_CHECKPOINT;
    const objects = gitObjectsOf(classification);
    if (objects !== null && (await hasUnreachable(project, objects))) return GIT_UNREACHABLE;
    for (const names of reach === 'now' ? [now] : reach === 'history' ? [ever] : [ever, checkpoints]) {
      if (gitLookOf(classification, names) !== 'content') continue;
      return names?.[0] === undefined ? GIT_UNSEARCHED : formatGitSecret(names[0]);
    }
    return mayOpenObjects(line) ? this.#whyKept({ ever, checkpoints }) : null;
  }

  /** Why all objects together need an approval. */
  #whyKept({ ever, checkpoints }: Pick<HistoryNames, 'ever' | 'checkpoints'>): string | null {
    if (ever === null || checkpoints === null) return GIT_UNSEARCHED;
    const [name] = [...ever, ...checkpoints];
    return name === undefined ? null : formatGitSecret(name);
  }
}

/** True for a folder outside of a project, also by a link, and for one in a repository of its own within the project. */
function isElsewhere(folder: string, project: string): boolean {
  const top = realPath(project);
  for (let at = realPath(folder); at !== top; at = dirname(at)) if (at === dirname(at) || isRepository(at)) return true;
  return false;
}

/** True where git finds a repository: one with a work tree, or a bare one. */
function isRepository(folder: string): boolean {
  return existsSync(join(folder, '.git')) || ['HEAD', 'objects'].every((name) => existsSync(join(folder, name)));
}

function realPath(path: string): string {
  return attempt(() => realpathSync(path), path);
}

function isLook({ class: kind }: { readonly class: Classification['class'] }): boolean {
  return kind === 'unparseable' || isWithin(kind, 'read-only');
}

/** A file that needs an approval to be read. */
export interface KeptFile {
  readonly path: string;
  /** The effect of reading it, in words. */
  readonly reading: string;
}

/** The first of some paths that holds credentials, or is open to its owner alone; null where all may be read. */
export function findKept(paths: Iterable<string>, context: PathContext): KeptFile | null {
  for (const path of paths) {
    if (holdsCredentials(path, context)) return { path, reading: formatCredentials(path) };
    const found = findPrivate(path, context);
    if (found !== null) return { path: found, reading: formatPrivate(found) };
  }
  return null;
}

/** A line with so many words that not all of them are looked up. */
const TOO_MANY: KeptFile = { path: '', reading: TOO_MANY_FILES };

/** The same for the files that a line reads. */
export function findKeptOfLine({ named }: Pick<Classification, 'named'>, context: PathContext): KeptFile | null {
  if (named.length >= MOST_NAMED) return TOO_MANY;
  return findKept(
    named.flatMap(({ path, isRead }) => (isRead ? [path] : [])),
    context,
  );
}

/** Whether a line reads files that its words do not name: it goes through a folder, or takes a pattern or an unknown word for a file. */
export function readsUnnamed(trace: Classification['trace']): 'none' | 'some' | 'unknown' {
  const found = trace.flatMap((entry) => {
    if (entry.type === 'path' && (entry.use === 'content' || entry.use === 'list'))
      return entry.word.isGlob ? 'some' : entry.word.value === null && !entry.word.isNumber ? 'unknown' : [];
    if (entry.type !== 'call') return [];
    const known = findCall(entry.name, entry.words);
    const walks =
      known !== null &&
      known.spec.prints !== 'names' &&
      treeReadOf(known.spec.descends, known.given, known.words) !== 'none';
    return [readsUnnamed(entry.inner), ...(walks ? (['some'] as const) : [])];
  });
  return found.includes('unknown') ? 'unknown' : found.includes('some') ? 'some' : 'none';
}

/** True for a file that holds credentials by its name or place, also through a link. */
function holdsCredentials(path: string, context: PathContext): boolean {
  const real = realFile(path);
  if (real === 'folder') return false;
  return [...new Set([path, real ?? path])].some((one) => locate(one, context.project, context).isSecret);
}

/** The target of a path; null if nothing is there. */
function realFile(path: string): string | 'folder' | null {
  try {
    const real = realpathSync.native(path);
    return statSync(real).isDirectory() ? 'folder' : real;
  } catch {
    return null;
  }
}
