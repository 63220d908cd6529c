import type { Promised } from './requirements.ts';

/** A test file as the gate reads it. */
export interface TestFile {
  readonly path: string;
  readonly text: string;
}

/** Ids that test titles cite: `test('[id] sentence', …)`. One title may cite several. */
export function citedIds(files: readonly TestFile[]): ReadonlySet<string> {
  const titles = files.flatMap(({ text }) => [
    ...text.matchAll(/\b(?:test|it|describe)(?:\.\w+(?:\((?:[^()]|\([^()]*\))*\))?)*\(\s*['"`]((?:\[[\w.-]+\] ?)+)/g),
  ]);
  const ids = titles.flatMap(([, tags = '']) => [...tags.matchAll(/\[([\w.-]+)\]/g)].map(([, id = '']) => id));
  return new Set(ids);
}

/** Promises no test cites. */
export function uncited(promises: readonly Promised[], files: readonly TestFile[]): string[] {
  const cited = citedIds(files);
  return promises.filter(({ id }) => !cited.has(id)).map(({ id, text }) => `[${id}] ${text}`);
}

/** Ids that tests cite and no promise has: misspelt, or of a promise that was taken back. */
export function unknownIds(promises: readonly Promised[], files: readonly TestFile[]): string[] {
  const known = new Set(promises.map(({ id }) => id));
  return [...citedIds(files)].filter((id) => !known.has(id));
}
