import { resolve } from 'node:path';
import { findPrivate } from '../../adapters/files/private-files.ts';
import { isFile } from '../../adapters/system/file-status.ts';
import { textFacts } from '../../core/commands/facts.ts';
import { locate, type PathContext, type Place } from '../../core/commands/place.ts';

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
