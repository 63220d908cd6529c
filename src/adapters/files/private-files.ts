import { existsSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { locate, type PathContext, type Place } from '../../core/commands/place.ts';
import { GUARDED_NAMES, isCode, liesBesideKeys } from '../../core/commands/protected-files.ts';
import { textFacts } from '../../core/commands/text-facts.ts';
import { attempt } from '../../core/text/attempt.ts';
import { mayExpandTo } from '../../core/text/glob.ts';
import { isFile } from '../system/file-status.ts';

interface PrivateContext {
  readonly home: string;
  readonly project: string;
}

/** More files of folders are not looked at. */
const MOST_ENTRIES = 2000;
/** Settings that many a program writes for one user alone, and that hold nothing but settings. */
const PLAIN: ReadonlySet<string> = new Set(GUARDED_NAMES);
/** Folders of the home directory in which every program has a folder of its own. */
const SHARED: ReadonlySet<string> = new Set([
  '.config',
  '.cache',
  '.local',
  '.local/share',
  '.local/state',
  '.local/lib',
]);

/**
 * A file in the dot folders of the home directory, at a path or below it, that its owner alone may read; null where there is none. So
 * programs keep what nobody is to know, whatever they call it. The path may hold glob characters.
 */
export function findPrivate(path: string, context: PrivateContext): string | null {
  const left = { entries: MOST_ENTRIES };
  const home = realOf(context.home) ?? context.home;
  for (const one of expand(path, left)) {
    const real = realOf(one);
    if (real === null || !isKept(real, { ...context, realHome: home })) continue;
    const found = lookAt(real, isClosedAbove(dirname(real), home), left, home);
    if (found !== null) return found;
  }
  return null;
}

/** True for a folder of the home directory that is closed to others, or lies in such a folder. */
export function isClosedAbove(folder: string, home: string): boolean {
  for (let at = folder; at.startsWith(`${home}/.`); at = dirname(at)) if (isClosed(at, home)) return true;
  return false;
}

/** Folders of all programs say nothing of what one of them keeps. */
function isClosed(folder: string, home: string): boolean {
  return !SHARED.has(folder.slice(home.length + 1)) && ((statusOf(folder)?.mode ?? 0o777) & 0o077) === 0;
}

function isKept(path: string, { home, realHome, project }: PrivateContext & { readonly realHome: string }): boolean {
  if (!path.startsWith(`${realHome}/.`) && !path.startsWith(`${home}/.`)) return false;
  return !(path.startsWith(`${project}/`) && existsSync(join(project, '.git')));
}

function lookAt(path: string, isInClosed: boolean, left: { entries: number }, home: string): string | null {
  left.entries -= 1;
  if (left.entries < 0) return null;
  const stat = statusOf(path);
  if (stat?.isFile()) return isPrivate(path, stat, isInClosed) ? path : null;
  if (stat?.isDirectory() !== true) return null;
  const isHereClosed = isInClosed || isClosed(path, home);
  for (const name of namesIn(path)) {
    const found = lookAt(join(path, name), isHereClosed, left, home);
    if (found !== null) return found;
  }
  return null;
}

/** True for a file that its owner alone may read, by its mode or that of a folder, and that is neither code nor settings. */
export function isPrivateFile(path: string, isInClosed: boolean): boolean {
  const stat = statusOf(path);
  return stat?.isFile() === true && isPrivate(path, stat, isInClosed);
}

function isPrivate(path: string, { mode, size }: Stats, isInClosed: boolean): boolean {
  const isOpen = !isInClosed && (mode & 0o077) !== 0;
  return !(isOpen || size === 0) && mayBePrivate(path);
}

/** False for code and settings, whatever the mode of the file. */
export function mayBePrivate(path: string): boolean {
  const name = basename(path).toLowerCase();
  return !(isCode(name) || PLAIN.has(name) || liesBesideKeys(path));
}

/** The paths that a glob stands for. */
function expand(path: string, left: { entries: number }): readonly string[] {
  if (!/[*?[]/.test(path)) return [path];
  let found: readonly string[] = ['/'];
  for (const part of path.split('/').filter(Boolean)) {
    if (!/[*?[]/.test(part)) found = found.map((folder) => join(folder, part));
    else found = found.flatMap((folder) => namesLike(folder, part)).slice(0, Math.max(0, left.entries));
  }
  return found;
}

function namesLike(folder: string, pattern: string): readonly string[] {
  const names = namesIn(folder).filter((name) => name.startsWith('.') === pattern.startsWith('.'));
  return names.filter(mayExpandTo(pattern)).map((name) => join(folder, name));
}

function namesIn(folder: string): readonly string[] {
  // Not there, or closed to us, so to the command as well.
  return attempt(() => readdirSync(folder), []);
}

function statusOf(path: string): Stats | undefined {
  // A folder on the way is closed to us.
  return attempt(() => statSync(path, { throwIfNoEntry: false }), undefined);
}

function realOf(path: string): string | null {
  return attempt(() => realpathSync.native(path), null);
}

interface NamingContext extends Pick<PathContext, 'project' | 'home'> {
  readonly cwd: string;
}

/** More words of a line are not looked at. */
const MOST_WORDS = 400;
/** More located paths are not kept. */
const MOST_PLACES = 512;

/** Finds the files that a text names; the same words stand in a call, in its result and in the request after it. */
export class NamedFiles {
  #located: { readonly project: string; readonly home: string; readonly places: Map<string, Place> } | null = null;
  /** The last text, and the paths that it names where secrets may lie. */
  #last: { readonly key: string; readonly paths: readonly string[] } | null = null;

  /**
   * The files that the words of a text name and that hold secrets by their name or their place, or that only their owner may read: what is
   * in them is about to be shown. A word that is none, or leads nowhere, costs a look; what a variable or a glob stands for is found
   * elsewhere.
   */
  find(text: string, { cwd, project, home }: NamingContext): readonly string[] {
    const last = this.#located;
    const isKept = last?.project === project && last.home === home && last.places.size < MOST_PLACES;
    const located = isKept ? last : { project, home, places: new Map<string, Place>() };
    this.#located = located;
    const key = [cwd, project, home, text].join('\0');
    if (this.#last?.key !== key) this.#last = { key, paths: pathsIn(text, cwd, located) };
    return this.#last.paths.filter((path) => holdsSecrets(path, located));
  }
}

/** The paths that a text names where secrets may lie. */
function pathsIn(text: string, cwd: string, context: PathContext): readonly string[] {
  const { home } = context;
  const words = wordsOf(text).map((word) => word.replace(/^~(?=\/|$)|^\$\{?HOME\}?(?=\/|$)/, home));
  const folders = words.filter((_, at) => textFacts().get(words[at - 1] ?? '')?.asks === 'place');
  const bases = [cwd, ...folders.map((folder) => resolve(cwd, folder))];
  const found = new Set<string>();
  for (const word of words) {
    for (const base of word.startsWith('/') ? [cwd] : bases) {
      const path = resolve(base, word);
      if (locate(path, null, context).isSecret || path.startsWith(`${home}/.`)) found.add(path);
    }
  }
  return [...found];
}

function holdsSecrets(path: string, context: PathContext): boolean {
  if (locate(path, null, context).isSecret) return isFile(path);
  return isFile(path) && findPrivate(path, context) !== null;
}

/** Words in quotes, and runs of what a path is made of. */
function wordsOf(text: string): readonly string[] {
  const found = text.matchAll(/"((?:[^"\\]|\\.){1,400})"|'([^']{1,400})'|([^\s"'`;|&<>()=@,]{1,400})/g);
  const words: string[] = [];
  for (const [, double, single, bare] of found) {
    const word = double?.replace(/\\(.)/g, '$1') ?? single ?? bare ?? '';
    words.push(word);
    // A script in quotes, and `HEAD:.env`.
    if (/\s/.test(word)) words.push(...wordsOf(word.replace(/["']/g, ' ')));
    else if (word.includes(':')) words.push(word.slice(word.indexOf(':') + 1));
    if (words.length > MOST_WORDS) break;
  }
  return words.slice(0, MOST_WORDS);
}
