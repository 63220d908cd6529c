import { joinPath, type PathWord, type Plan, type Step } from '../../core/blast/plan.ts';
import type { GitReader, Repositories } from './git-facts.ts';
import type { Tree } from './tree.ts';
import type { GitFacts } from './worth.ts';

/** More places of one repository than this are asked about as all of it. */
const MOST_PLACES = 50;
const MOST_REPOSITORIES = 4;

/** True for a step that does something to files. */
export function isAboutFiles({ do: deed }: Step): boolean {
  return !TOLD.has(deed);
}

const TOLD: ReadonlySet<Step['do']> = new Set([
  'enter',
  'make-folder',
  'hooks',
  'host',
  'registry',
  'remote',
  'note',
  'unknown',
]);

/** What git knows of the files that a plan is about, of each repository that they lie in; null without one, and where one cannot say. */
export async function readFacts(plan: Plan, repositories: Repositories, tree: Tree): Promise<GitFacts | null> {
  const asked = new Map<GitReader, Set<string>>();
  for (const { step, cwd } of plan.steps) {
    if (!isAboutFiles(step)) continue;
    for (const place of placesOf(step, cwd)) {
      const real = folderOf(place, tree);
      const reader = real === null ? null : repositories.around(real);
      if (reader === null || real === null) continue;
      const name = place.endsWith('/') ? '' : place.slice(place.lastIndexOf('/'));
      asked.set(reader, (asked.get(reader) ?? new Set()).add(`${real === '/' ? '' : real}${name}`));
    }
  }
  if (asked.size === 0 || asked.size > MOST_REPOSITORIES) return null;
  const told = await Promise.all(
    [...asked].map(([reader, places]) =>
      reader.facts(places.has(reader.root) || places.size > MOST_PLACES ? [] : [...places]),
    ),
  );
  const facts = { modified: [] as string[], untracked: [] as string[], ignored: [] as string[] };
  for (const one of told) {
    if (one === null) return null;
    facts.modified.push(...one.modified);
    facts.untracked.push(...one.untracked);
    facts.ignored.push(...one.ignored);
  }
  return facts;
}

function folderOf(place: string, tree: Tree): string | null {
  const entry = tree.follow(place.slice(0, place.lastIndexOf('/')) || '/');
  return entry?.kind === 'folder' ? entry.path : null;
}

/** The places that a step is about, as far as its words say; a folder ends in a slash. */
function placesOf(step: Step, cwd: string | null): readonly string[] {
  const here = cwd === null ? [] : [`${cwd}/`];
  const words = wordsOf(step);
  return words === null ? here : words.flatMap((word) => placeOf(word, cwd) ?? here);
}

function wordsOf(step: Step): readonly PathWord[] | null {
  switch (step.do) {
    case 'delete':
    case 'write':
    case 'attributes':
    case 'touch':
    case 'pack':
      return step.targets;
    case 'copy':
    case 'move':
    case 'link':
      return [...step.sources, step.target];
    default:
      return null;
  }
}

/** A pattern is about the folder before it, and a search about where it begins. */
function placeOf({ path, pattern, search }: PathWord, cwd: string | null): readonly string[] | null {
  if (search !== undefined) return search.roots.flatMap((root) => placeOf(root, search.cwd) ?? []);
  const place = joinPath(cwd, path);
  if (place === null) return null;
  if (pattern !== undefined) {
    const open = /[*?[\\]/.exec(place)?.index ?? place.length;
    return [place.slice(0, place.lastIndexOf('/', open) + 1)];
  }
  const plain = place.replace(/\/+$/, '');
  return [/(^|\/)\.\.?$/.test(plain) ? `${plain}/` : plain];
}
