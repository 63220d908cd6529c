import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';
import { NOT_REGULAR, TOO_LARGE, unreadableConfig } from './messages.ts';

/** The text of a configuration file, and who may read and write it. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  readonly rights?: Readonly<Record<'mode' | 'uid', number>>;
}

/** No file that a user writes is larger; a hostile one may be. */
const LARGEST = 1024 * 1024;

/** Reads a configuration file; null without one. A pipe or a device in its place never blocks the start. */
export function readConfigFile(path: string, largest = LARGEST): FileText | null {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (cause) {
    const code = errorCode(cause);
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw unreadableConfig(path, cause instanceof Error ? cause.message : String(cause), cause);
  }
  try {
    const stat = fstatSync(fd);
    if (!stat.isFile()) throw unreadableConfig(path, NOT_REGULAR);
    if (stat.size > largest) throw unreadableConfig(path, TOO_LARGE);
    return { path, text: readFileSync(fd, 'utf8'), rights: stat };
  } finally {
    closeSync(fd);
  }
}

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
