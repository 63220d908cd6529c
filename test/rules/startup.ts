import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { packageOf } from './source.ts';

/** Packages that may load before the first prompt. */
export const LIGHT: readonly string[] = ['valibot'];

/** The modules that a file loads: each reachable module with the chain of files that leads to it. */
export function reachableFrom(root: string, entry: string): ReadonlyMap<string, readonly string[]> {
  const chains = new Map<string, readonly string[]>([[entry, [entry]]]);
  const queue = [entry];
  for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
    const chain = chains.get(path) ?? [];
    for (const found of staticImports(root, path)) {
      if (chains.has(found)) continue;
      chains.set(found, [...chain, found]);
      if (/^\w.*\.tsx?$/.test(found) && found.startsWith('src/')) queue.push(found);
    }
  }
  return chains;
}

function staticImports(root: string, path: string): string[] {
  const text = readFileSync(join(root, path), 'utf8');
  const found = new Bun.Transpiler({ loader: path.endsWith('x') ? 'tsx' : 'ts' }).scanImports(text);
  return found
    .filter(({ kind }) => kind !== 'dynamic-import' && kind !== 'require-call')
    .map((one) => (one.path.startsWith('.') ? toLocalPath(posix.join(posix.dirname(path), one.path)) : one.path));
}

/** A file outside of the source, such as the manifest, keeps a dot in front so that it is not taken for a package. */
function toLocalPath(path: string): string {
  return path.startsWith('src/') ? path : `./${path}`;
}

/** Packages and foreign hosts that load with an entry although they should wait for their first use. */
export function heavyImports(root: string, entry: string, barred: readonly string[]): string[] {
  return [...reachableFrom(root, entry)].flatMap(([path, chain]) => {
    const name = packageOf(path);
    const heavy = path.startsWith('src/')
      ? barred.some((folder) => path.startsWith(folder))
      : name !== undefined && !LIGHT.includes(name);
    return heavy ? [chain.join(' > ')] : [];
  });
}

/** How much of the source loads with any of the entries, in bytes: code, and the texts that it holds. */
export function loadedBytes(root: string, entries: readonly string[]): number {
  const loaded = new Set(entries.flatMap((entry) => [...reachableFrom(root, entry).keys()]));
  const own = [...loaded].filter((path) => path.startsWith('src/'));
  return own.reduce((sum, path) => sum + statSync(join(root, path)).size, 0);
}
