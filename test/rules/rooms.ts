import { posix } from 'node:path';
import { importsOf, type SourceFile } from './source.ts';

/** A shorter file that only one other imports belongs to that one. */
export const FRAGMENT = 40;

/** The longest file that may come of it. */
const LONGEST = 400;

/** A file that stays although only one other imports it, and why. */
export interface Exception {
  readonly path: string;
  readonly reason: string;
}

/** The folders of a tree that import one another in a ring, a line each; those aside that a prefix names. */
export function folderCycles(files: readonly SourceFile[], open: readonly string[] = []): string[] {
  const edges = new Map<string, Set<string>>();
  for (const file of files.filter(({ path }) => !open.some((prefix) => path.startsWith(prefix)))) {
    const from = posix.dirname(file.path);
    const targets = edges.get(from) ?? new Set();
    edges.set(from, targets);
    for (const { target } of importsOf(file)) if (target !== undefined) targets.add(posix.dirname(target));
  }
  const reached = new Map([...edges.keys()].map((folder) => [folder, reachedFrom(folder, edges)]));
  const rings = [...edges.keys()].map((folder) =>
    [...edges.keys()]
      .filter((other) => other === folder || (reached.get(folder)?.has(other) && reached.get(other)?.has(folder)))
      .sort(),
  );
  return [...new Set(rings.filter((ring) => ring.length > 1).map((ring) => ring.join(' ')))].sort();
}

function reachedFrom(folder: string, edges: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const queue = [folder];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    for (const other of edges.get(next) ?? []) {
      if (reached.has(other)) continue;
      reached.add(other);
      queue.push(other);
    }
  }
  return reached;
}

/** Source files that lie in a folder which has only rooms in it. Declarations of types for the compiler may. */
export function looseFiles(files: readonly SourceFile[], folders: readonly string[]): string[] {
  return files
    .map(({ path }) => path)
    .filter((path) => folders.includes(posix.dirname(path)) && !path.endsWith('.d.ts'));
}

/** Imports of files that are not there, `require` included: the compiler does not look at its argument. */
export function missingFiles(files: readonly SourceFile[], isThere: (path: string) => boolean): string[] {
  return files.flatMap((file) =>
    importsOf(file).flatMap(({ target }) =>
      target === undefined || isThere(target) ? [] : [`${file.path} loads ${target}, which does not exist`],
    ),
  );
}

/**
 * Files under 40 lines that only one file imports, and could be part of. A file that is loaded at its first use stands alone, and so do the
 * texts of a room.
 */
export function fragments(files: readonly SourceFile[], exceptions: readonly Exception[]): string[] {
  const importers = new Map<string, Map<string, boolean>>();
  for (const file of files) {
    for (const { target, isLazy } of importsOf(file)) {
      if (target === undefined) continue;
      const by = importers.get(target) ?? new Map<string, boolean>();
      importers.set(target, by.set(file.path, isLazy && (by.get(file.path) ?? true)));
    }
  }
  const lines = new Map(files.map(({ path, text }) => [path, text.split('\n').length - 1]));
  return files.flatMap(({ path }) => {
    if (/^messages(?:-\w+)?\.ts$/.test(posix.basename(path))) return [];
    const [only, ...more] = importers.get(path) ?? [];
    if (only === undefined || more.length > 0 || exceptions.some((exception) => exception.path === path)) return [];
    const [importer, isLazy] = only;
    const own = lines.get(path) ?? 0;
    if (isLazy || own >= FRAGMENT || own + (lines.get(importer) ?? 0) > LONGEST) return [];
    return [`${path} belongs to ${importer}`];
  });
}
