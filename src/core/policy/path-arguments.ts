import type { Json, JsonObject } from '../../protocol/json.ts';
import { locate, type PathContext } from '../commands/place.ts';
import { type Effect, effect } from '../commands/verdict.ts';
import { decodeUri } from '../text/attempt.ts';

/** Deeper or longer arguments are not examined. */
const MOST_DEPTH = 8;
const MOST_PATHS = 200;

/** Longer texts are content, because no system accepts such a path. */
const LONGEST_PATH = 4096;

/** Words in an argument's name that announce a path. */
const PATH_WORDS: ReadonlySet<string> = new Set([
  ...['path', 'paths', 'filepath', 'filepaths', 'pathname', 'file', 'files', 'filename', 'filenames'],
  ...['directory', 'directories', 'dir', 'dirs', 'folder', 'folders', 'cwd', 'root', 'roots', 'repo'],
  ...'source sources src destination destinations dest dst target targets output outfile'.split(' '),
]);

/** All arguments that may be a path: named `path` or the like, absolute, or leaving a directory. Null if there are too many values. */
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

/** One line that begins like a path; `// ` and `/* ` begin comments. */
function looksLikePath(text: string): boolean {
  return /^(?=[^\n]*$)(?:\/(?!\*[\s*]|\/(?:\s|$))|~\/|~$|\.\.(?:\/|$)|(?:[^\n]*\/)\.\.(?:\/|$))[^\n]*$/.test(text);
}

/** `sourcePath`, `source_path` and `SOURCE-PATH` are the same name. */
function isPathName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/);
  return words.some((word) => PATH_WORDS.has(word));
}

/** A file that a tool would write: its absolute path, and the absolute path with links resolved. */
interface WrittenPath {
  readonly named: string;
  readonly real: string;
  /** Whether the tool writes the whole file or a part. */
  readonly use: 'replace' | 'edit';
}

/** The hard denial for a file that no built-in tool may write, as no command may write it; null for any other file. */
export function refuseWrite({ named, real, use }: WrittenPath, context: PathContext): Effect | null {
  if (isGuardedPath(named, context) || isGuardedPath(real, context))
    return effect('plants', { because: 'path', path: named, detail: named });
  // A project reached through a link may really lie anywhere, so its name decides.
  const { zone } = locate(named, null, context);
  return zone === 'disk' || (zone === 'system' && use === 'replace')
    ? effect('wrecks', { because: 'path', path: named, detail: named })
    : null;
}

/** Whether the file at an absolute path acts later, or controls what may run. */
export function isGuardedPath(path: string, context: PathContext): boolean {
  return locate(path, null, context).isGuarded;
}
