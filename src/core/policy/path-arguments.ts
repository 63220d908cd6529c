import type { Json, JsonObject } from '../../protocol/json.ts';
import { locate, type PathContext } from '../commands/place.ts';
import { type Effect, effect } from '../commands/verdict.ts';
import { decodeUri } from '../text/attempt.ts';

/** Deeper and longer lists of arguments are no honest call's, and are not looked through. */
const MOST_DEPTH = 8;
const MOST_PATHS = 200;

/** Longer texts are contents, not paths: no system takes such a path. */
const LONGEST_PATH = 4096;

/** Words in the name of an argument that say that its value is a path. */
const PATH_WORDS: ReadonlySet<string> = new Set([
  ...['path', 'paths', 'filepath', 'filepaths', 'pathname', 'file', 'files', 'filename', 'filenames'],
  ...['directory', 'directories', 'dir', 'dirs', 'folder', 'folders', 'cwd', 'root', 'roots', 'repo'],
  ...'source sources src destination destinations dest dst target targets output outfile'.split(' '),
]);

/**
 * Everything among the arguments of a call that may be a path: what stands under a name such as `path`, and what looks like an
 * absolute path or one that leads out of a directory. Null when there is too much to look through.
 */
export function findPathArguments(values: JsonObject): readonly string[] | null {
  const found = new Set<string>();
  const isWhole = Object.entries(values).every(([name, value]) => collect(value, isPathName(name), 1, found));
  return isWhole ? [...found] : null;
}

function collect(value: Json, isNamed: boolean, depth: number, found: Set<string>): boolean {
  if (typeof value === 'string') {
    const path = toPath(value, isNamed);
    if (path !== null) found.add(path);
    return found.size <= MOST_PATHS;
  }
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MOST_DEPTH) return false;
  if (Array.isArray(value)) return value.every((item) => collect(item, isNamed, depth + 1, found));
  return Object.entries(value).every(([name, item]) => collect(item, isNamed || isPathName(name), depth + 1, found));
}

function toPath(text: string, isNamed: boolean): string | null {
  if (text === '' || text.length > LONGEST_PATH) return null;
  const local = /^file:\/\/(?:localhost)?(?=\/)/i.exec(text);
  if (local !== null) return decodeUri(text.slice(local[0].length));
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) return null;
  return isNamed || looksLikePath(text) ? text : null;
}

/** One line that begins as a path does; `// ` and `/* ` begin comments. */
function looksLikePath(text: string): boolean {
  return /^(?=[^\n]*$)(?:\/(?!\*[\s*]|\/(?:\s|$))|~\/|~$|\.\.(?:\/|$)|(?:[^\n]*\/)\.\.(?:\/|$))[^\n]*$/.test(text);
}

/** `sourcePath`, `source_path` and `SOURCE-PATH` are the same words. */
function isPathName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => PATH_WORDS.has(word));
}

/** A file that a tool would write, under its own name and under the one that it leads to. Both are absolute. */
interface WrittenPath {
  readonly named: string;
  readonly real: string;
  /** Whether the whole of it is written or a part. */
  readonly use: 'replace' | 'edit';
}

/** What no yes lets a tool of ours write, as no yes lets a command write it; null for any other file. */
export function refuseWrite({ named, real, use }: WrittenPath, context: PathContext): Effect | null {
  if (isGuardedPath(named, context) || isGuardedPath(real, context))
    return effect('plants', { because: 'path', path: named, detail: named });
  // A project that is reached by a link may really lie anywhere: the name tells where it belongs.
  const { zone } = locate(named, null, context);
  return zone === 'disk' || (zone === 'system' && use === 'replace')
    ? effect('wrecks', { because: 'path', path: named, detail: named })
    : null;
}

/** Whether what stands at an absolute path acts later, or governs what may run. */
export function isGuardedPath(path: string, context: PathContext): boolean {
  return locate(path, null, context).isGuarded;
}
