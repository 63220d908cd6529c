import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

/** One file of a tree under a rule; the path is relative to the tree's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Root of this checkout. */
export const ROOT = join(import.meta.dir, '../..');

/** Reads the files of a tree that match a glob, in the order of their paths. */
export function readTree(root: string, pattern: string): SourceFile[] {
  if (!existsSync(root)) return [];
  const paths = [...new Bun.Glob(pattern).scanSync({ cwd: root, onlyFiles: true })];
  return paths
    .filter((path) => !path.includes('node_modules/') && !path.includes('rules/planted/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }));
}

/** The product's own files, without its tests. */
export function readSource(root: string): SourceFile[] {
  return readTree(root, 'src/**/*.{ts,tsx}').filter((file) => !file.path.includes('.test.'));
}

/** The tree that breaks one rule on purpose. */
export function plantedTree(rule: string): string {
  return join(import.meta.dir, 'planted', rule);
}

/** One import of a file, type-only or not, static or not. */
export interface Import {
  readonly specifier: string;
  /** Path of the imported file, for a relative import. */
  readonly target: string | undefined;
  /** It loads at its first use. */
  readonly isLazy: boolean;
}

const STATEMENT =
  /^(?:import|export)\b[^'"`;]*?\bfrom\s*'([^']+)'|^import\s*'([^']+)'|\b(?:import|require)\(\s*'([^']+)'\s*\)/gm;

/** All imports of a file, type-only ones too, which a transpiler would have dropped. Relies on the formatter's layout. */
export function importsOf(file: SourceFile): Import[] {
  return [...file.text.matchAll(STATEMENT)].map((match) => {
    const specifier = match[1] ?? match[2] ?? match[3] ?? '';
    const relative = specifier.startsWith('.');
    const target = relative ? posix.join(posix.dirname(file.path), specifier) : undefined;
    return { specifier, target, isLazy: match[3] !== undefined };
  });
}

/** The npm package of an import, or undefined for a file or a built-in module. */
export function packageOf(specifier: string): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:') || specifier === 'bun' || specifier.startsWith('bun:'))
    return undefined;
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0];
}

/** The code of a file as it runs: no types, no comments, top-level statements at the start of a line. */
export function codeOf(file: SourceFile): string {
  return new Bun.Transpiler({ loader: file.path.endsWith('x') ? 'tsx' : 'ts', target: 'bun' }).transformSync(file.text);
}
