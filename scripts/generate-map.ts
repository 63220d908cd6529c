// Writes docs/files.md from what the files say about themselves.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** A file as the map reads it. */
export interface MappedFile {
  readonly path: string;
  readonly text: string;
}

const OPEN = '<!-- files: written by `npm run map` -->';
const CLOSE = '<!-- /files -->';

/** Puts a fresh map of the files between the markers of a document. */
export function withMap(document: string, files: readonly MappedFile[]): string {
  const [start, end] = [document.indexOf(OPEN), document.indexOf(CLOSE)];
  if (start < 0 || end < start) throw new Error(`no place for the map: put ${OPEN} and ${CLOSE} into the document`);
  return `${document.slice(0, start)}${OPEN}\n\n${formatMap(files)}\n\n${document.slice(end)}`;
}

/** One line for each file, grouped by folder. */
export function formatMap(files: readonly MappedFile[]): string {
  const folders = [...new Set(files.map(({ path }) => dirname(path)))];
  return folders
    .map((folder) => {
      const lines = files
        .filter(({ path }) => dirname(path) === folder)
        .map((file) => `- \`${basename(file.path)}\` ${describeFile(file)}`.trimEnd());
      return `**${folder}**\n\n${lines.join('\n')}`;
    })
    .join('\n\n');
}

interface Documented {
  readonly exported: boolean;
  readonly kind: string;
  readonly name: string;
  readonly sentence: string;
}

/**
 * The purpose of a file: a comment at its very top, else the first sentence about the export that it is named after or that does its work.
 */
export function describeFile({ path, text }: MappedFile): string {
  const stem = wordsOf(basename(path).replace(/\.\w+$/, ''));
  const documented = documentedNames(text);
  const does = ({ kind }: Documented): boolean => /function|class/.test(kind);
  const candidates = [
    documented.find(({ name }) => wordsOf(name).join() === stem.join()),
    headerOf(text),
    documented.find(({ name }) => stem.every((word) => wordsOf(name).includes(word))),
    documented.find((one) => one.exported && does(one)),
    documented.find((one) => one.exported),
    documented.find(does),
  ];
  return candidates.find((one) => one !== undefined)?.sentence ?? '';
}

const DOCUMENTED =
  /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\n(export )?(?:async )?((?:abstract )?(?:function\*?|class|interface|type|const)) (\w+)/g;

function documentedNames(text: string): Documented[] {
  return [...text.matchAll(DOCUMENTED)].map(([, comment = '', exported, kind = '', name = '']) => {
    return { exported: exported !== undefined, kind, name, sentence: firstSentence(comment) };
  });
}

/** A comment that opens the file and belongs to no declaration. */
function headerOf(text: string): { readonly sentence: string } | undefined {
  const block = /^\/\*\*?((?:(?!\*\/)[\s\S])*)\*\/\n(?=\n|import)/.exec(text);
  const lines = /^(?:#!.*\n)?((?:(?:\/\/|#) .*\n)+)/.exec(text);
  const comment = block?.[1] ?? lines?.[1];
  return comment === undefined ? undefined : { sentence: firstSentence(comment) };
}

/** The words of a name in kebab or camel case, plurals as singulars. */
function wordsOf(name: string): string[] {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((word) => word.replace(/s$/, ''));
}

function firstSentence(comment: string): string {
  const words = comment
    .replaceAll(/^\s*(?:\*|\/\/|#) ?/gm, '')
    .replaceAll(/\s+/g, ' ')
    .trim();
  return /^.*?[.;](?= |$)/.exec(words)?.[0]?.replace(/;$/, '.') ?? words;
}

/** Every file that the map names, in the order of the layers. */
export function mappedFiles(root: string): MappedFile[] {
  const globs = [
    ...['protocol', 'core', 'adapters', 'engine', 'hosts'].map((layer) => `src/${layer}/**/*`),
    ...['bin/*', 'scripts/*', 'bench/**/*.ts', 'test/support/**/*.ts', 'test/lab/*.ts', 'test/rules/*.ts'],
  ];
  return globs.flatMap((glob) =>
    [...new Bun.Glob(glob).scanSync({ cwd: root, onlyFiles: true })]
      .filter((path) => !path.includes('.test.') && !path.endsWith('tsconfig.json'))
      .sort((a, b) => dirname(a).localeCompare(dirname(b)) || a.localeCompare(b))
      .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') })),
  );
}

/** Rewrites the page. */
function main(): void {
  const root = join(import.meta.dir, '..');
  const path = join(root, 'docs/files.md');
  writeFileSync(path, withMap(readFileSync(path, 'utf8'), mappedFiles(root)));
}

if (import.meta.main) main();
