import { posix } from 'node:path';
import { type MappedFile, withMap } from '../../scripts/generate-map.ts';
import type { SourceFile } from './source.ts';

/** Files of the projects that the pages take for examples. */
const EXAMPLES: readonly string[] = ['src/a.ts', 'src/main.c'];

/** Paths of this project that a document names and that do not exist. */
export function missingPaths(documents: readonly SourceFile[], exists: (path: string) => boolean): string[] {
  return documents.flatMap(({ path, text }) => {
    const named = [...text.matchAll(/(?<![\w/.-])(?:src|test|scripts|bench|docs|bin)\/[\w./-]*\w/g)].map(
      ([name]) => name,
    );
    return [...new Set(named)]
      .filter((name) => !EXAMPLES.includes(name) && !exists(name))
      .map((name) => `${path} names ${name}, which does not exist`);
  });
}

/** Links of documents to a page, or to a heading of one, that does not exist. Only other documents can be linked with a heading. */
export function brokenLinks(documents: readonly SourceFile[], exists: (path: string) => boolean): string[] {
  const headings = new Map(documents.map(({ path, text }) => [path, anchorsOf(text)]));
  return documents.flatMap(({ path, text }) =>
    [...text.replace(/^`{3,}[\s\S]*?^`{3,}$/gm, '').matchAll(/\]\((?!\w+:)([^()\s#]*)(?:#([^()\s]*))?\)/g)].flatMap(
      ([, to = '', anchor]) => {
        const page = to === '' ? path : posix.join(posix.dirname(path), to);
        if (!exists(page)) return [`${path} links to ${page}, which does not exist`];
        const isThere = anchor === undefined || headings.get(page)?.has(anchor) === true;
        return isThere ? [] : [`${path} links to ${page}#${anchor}, a heading that does not exist`];
      },
    ),
  );
}

/** The anchors of a document's headings, as the hosting page makes them. */
function anchorsOf(text: string): ReadonlySet<string> {
  const titles = [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = '']) => title.toLowerCase());
  return new Set(titles.map((title) => title.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-')));
}

/** Says so when the page that lists the files is not what the files say about themselves. */
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
