/** Path of a value: table names, then the key. */
export type KeyPath = readonly string[];

/** Writes a key as in TOML, quoted and escaped unless it is plain: names in a file may be hostile. */
export function formatKey(path: KeyPath): string {
  return path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : quote(part))).join('.');
}

function quote(part: string): string {
  return JSON.stringify(part).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** True if the path matches the pattern; a star is any one name. */
export function matchesPattern(path: KeyPath, pattern: KeyPath): boolean {
  return path.length === pattern.length && pattern.every((part, index) => part === '*' || part === path[index]);
}

/** A value with its path. Lists are values; tables are not. */
export interface Leaf {
  readonly path: KeyPath;
  readonly value: unknown;
}

/** All values under a table. An empty table has none. */
export function listLeaves(value: unknown, path: KeyPath = []): readonly Leaf[] {
  if (!isTable(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, inner]) =>
    inner === undefined ? [] : listLeaves(inner, [...path, key]),
  );
}

/** True for a table. */
export function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
