import { type Dirent, existsSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { toRealPath } from '../../adapters/system/file-status.ts';
import { readGlob } from '../../core/impact/shell-state.ts';
import type { LineContext } from '../../core/policy/classify-line.ts';
import { type FileFacts, isFetchedFolder, type ReadContext, type Strangers } from '../../core/taint/sources-of-line.ts';
import type { UntrustedContent } from './untrusted-content.ts';

/** Facts of the file system about the paths that a line names. */
export const FILE_FACTS: FileFacts = { exists: existsSync, real: toRealPath, isShared, matches, strangersBelow };

/** The most names to go through for one answer; beyond it the answer is unknown. */
const MOST_NAMES = 40_000;

function isShared(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.nlink > 1;
}

/** The names that a pattern may match in any shell: hidden names and those in other letters too. */
function matches(pattern: string): readonly string[] | null {
  const parts = readGlob(pattern, { dots: true, folds: true }).filter(({ name }) => name !== '');
  const left = { names: MOST_NAMES };
  let found: readonly string[] = ['/'];
  for (const [at, part] of parts.entries()) {
    // Two stars may go down as deep as there is something.
    if (/\*\*/.test(pattern.split('/').filter(Boolean)[at] ?? '')) return everythingBelow(found, left);
    found = found.flatMap((folder) => {
      if (part.name !== null) return [join(folder, part.name)];
      return entriesOf(folder, left).flatMap(({ name }) => (part.matches(name) ? [join(folder, name)] : []));
    });
    if (left.names < 0) return null;
  }
  return found;
}

function everythingBelow(folders: readonly string[], left: { names: number }): readonly string[] | null {
  const found: string[] = [];
  for (const waiting = [...folders]; waiting.length > 0; ) {
    const folder = waiting.pop() ?? '';
    for (const entry of entriesOf(folder, left)) {
      const path = join(folder, entry.name);
      found.push(path);
      if (entry.isDirectory() && entry.name !== '.git') waiting.push(path);
    }
    if (left.names < 0) return null;
  }
  return found;
}

/** Goes through a folder, but not into fetched folders, nor by links. */
function strangersBelow(folder: string): Strangers | null {
  const found = { links: [] as string[], shared: [] as string[], fetched: [] as string[] };
  const left = { names: MOST_NAMES };
  for (const waiting = [folder]; waiting.length > 0; ) {
    const at = waiting.pop() ?? '';
    for (const entry of entriesOf(at, left)) {
      const path = join(at, entry.name);
      if (entry.isSymbolicLink()) found.links.push(path);
      else if (!entry.isDirectory()) {
        if ((lstatSync(path, { throwIfNoEntry: false })?.nlink ?? 1) > 1) found.shared.push(path);
      } else if (isFetchedFolder(entry.name)) found.fetched.push(path);
      else if (entry.name !== '.git') waiting.push(path);
    }
    if (left.names < 0) return null;
  }
  return found;
}

/** A folder that cannot be read shows nothing to the command either. */
function entriesOf(folder: string, left: { names: number }): readonly Dirent[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    left.names -= entries.length;
    return entries;
  } catch {
    return [];
  }
}

/** The context in which a line reads files, without links: a file belongs to the project by its real path. */
export function toReadContext(
  { cwd, project, home, ...more }: LineContext,
  paths: readonly string[],
  others?: Pick<UntrustedContent, 'below'>,
): ReadContext {
  const root = toRealPath(project);
  const older = others?.below(root) ?? [];
  return { ...more, cwd: toRealPath(cwd), project: root, home: toRealPath(home), paths, older };
}

/** The real target of a named path. */
export function realTarget(path: string, { cwd, home }: Pick<ReadContext, 'cwd' | 'home'>): string {
  return toRealPath(resolve(cwd, path === '~' || path.startsWith('~/') ? join(home, path.slice(1)) : path));
}
