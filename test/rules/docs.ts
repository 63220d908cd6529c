import { type MappedFile, withMap } from '../../scripts/generate-map.ts';
import type { SourceFile } from './source.ts';

/** Paths of this project that a document names and that do not exist. */
export function missingPaths(documents: readonly SourceFile[], exists: (path: string) => boolean): string[] {
  return documents.flatMap(({ path, text }) => {
    const named = [...text.matchAll(/(?<![\w/.-])(?:src|test|scripts|bench|docs|bin)\/[\w./-]*\w/g)].map(
      ([name]) => name,
    );
    return [...new Set(named)]
      .filter((name) => !exists(name))
      .map((name) => `${path} names ${name}, which does not exist`);
  });
}

/** Says so when the file map of the contributor's guide is not what the files say about themselves. */
export function staleMap(guide: SourceFile, files: readonly MappedFile[]): string[] {
  const fresh = withMap(guide.text, files).split('\n');
  if (fresh.join('\n') === guide.text) return [];
  const kept = new Set(guide.text.split('\n'));
  const wanted = new Set(fresh);
  return [
    ...[...kept]
      .filter((line) => !wanted.has(line))
      .map((line) => `${guide.path} has a stale line (npm run map): ${line}`),
    ...fresh.filter((line) => !kept.has(line)).map((line) => `${guide.path} lacks a line (npm run map): ${line}`),
  ];
}

/** Files that hold one of the given paths of the machine they were written on. */
export function machinePaths(files: readonly SourceFile[], paths: readonly string[]): string[] {
  return files.flatMap(({ path, text }) =>
    paths.filter((one) => text.includes(one)).map((one) => `${path} holds ${one}`),
  );
}

/** Files with a note that something is left to do. */
export function leftovers(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    [...text.matchAll(/\b(?:TODO|FIXME|XXX)\b/g)].map(([word]) => `${path} still says ${word}`),
  );
}
