import type { PathWord, Search } from '../../core/blast/plan.ts';
import type { BlastGround } from '../../core/blast/shell-state.ts';
import type { Mounts } from './mounts.ts';
import type { Pace } from './pace.ts';
import { expandGlob, toAbsolute } from './place-words.ts';
import { runSearch } from './search.ts';
import type { Bucket, Tally } from './tally.ts';
import type { Entry, Tree } from './tree.ts';

/** A path that a word stands for. */
export interface Target {
  /** Absolute, as it would be handed over: links and `..` are in it still. */
  readonly path: string;
  /** As it is told. */
  readonly text: string;
  readonly isMaybe: boolean;
  /** A search found it: what is gone by then is no failure. */
  readonly isFound: boolean;
  /** What a search saw there. */
  readonly entry?: Entry;
}

/** What steps are taken with. */
export interface Work {
  readonly tree: Tree;
  readonly tally: Tally;
  readonly pace: Pace;
  readonly ground: BlastGround;
  readonly mounts: Mounts;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly hosts: Set<string>;
  readonly unknown: Set<string>;
  readonly notes: Set<string>;
  /** Something happened by now that nobody can tell. */
  isVague: boolean;
  /** git's own books are not as they are on the disk. */
  isGitChanged: boolean;
}

/** A step's place, and what it is taken with. */
export interface Taking {
  readonly work: Work;
  readonly cwd: string | null;
  readonly isMaybe: boolean;
}

/** The paths of a word. What is not known is told as such, and gives none. */
export async function targetsOf(word: PathWord, { work, cwd, isMaybe }: Taking): Promise<readonly Target[]> {
  const { text, path, pattern } = word;
  if (word.search !== undefined) return foundBy(word.search, { work, cwd, isMaybe });
  if (word.list !== undefined && cwd !== null)
    return word.list.map((one) => ({ path: toAbsolute(one, cwd), text: one, isMaybe, isFound: false }));
  if (path === null) return unknown(work, `${text}, whatever that is`);
  if (path === '') {
    work.notes.add('an empty name: that would fail');
    return [];
  }
  if (cwd === null && !path.startsWith('/')) return unknown(work, `${text}, from a place that is not known`);
  const from = cwd ?? '/';
  if (pattern === undefined) return [{ path: toAbsolute(path, from), text, isMaybe, isFound: false }];
  const habits = work.ground.shell?.habits;
  if (habits?.has('deep') === true && pattern.includes('**'))
    return unknown(work, `${text}, which goes through all folders`);
  const matches = await expandGlob(pattern, from, { tree: work.tree, pace: work.pace, habits });
  if (matches === null) return unknown(work, `${text}: there was no time to see what it matches`);
  if (matches.length === 0 && work.isVague) return unknown(work, `${text}, which may match something by then`);
  if (matches.length === 0 && habits?.has('empty') === true) return [];
  if (matches.length === 0 && habits?.has('fails') === true) {
    work.notes.add(`${text} matches nothing: that would fail`);
    return [];
  }
  const paths = matches.length === 0 ? [path] : matches;
  return paths.map((one) => ({ path: toAbsolute(one, from), text: one, isMaybe, isFound: false }));
}

/** The paths of words, one after the other. */
export async function allTargets(words: readonly PathWord[], taking: Taking): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const word of words) targets.push(...(await targetsOf(word, taking)));
  return targets;
}

/** Takes the paths of words one by one; what a search finds is taken as it is found. False where there was no time for all of them. */
export async function takeEach(
  words: readonly PathWord[],
  taking: Taking,
  take: (target: Target) => Promise<void>,
): Promise<boolean> {
  const { pace } = taking.work;
  for (const word of words) {
    if (word.search !== undefined) {
      if (!(await search(word.search, taking, take))) return false;
    } else
      for (const target of await targetsOf(word, taking)) {
        await take(target);
        if (!(await pace.breathe())) return false;
      }
  }
  return true;
}

async function foundBy(asked: Search, taking: Taking): Promise<readonly Target[]> {
  const targets: Target[] = [];
  await search(asked, taking, async (target) => {
    targets.push(target);
  });
  return targets;
}

/** False where there was no time for all of it. */
async function search(
  asked: Search,
  { work, isMaybe }: Taking,
  take: (target: Target) => Promise<void>,
): Promise<boolean> {
  if (asked.follows) {
    unknown(work, 'what find finds where it follows links');
    return true;
  }
  const places: { path: string; written: string }[] = [];
  for (const root of asked.roots)
    for (const { path, text } of await targetsOf(root, { work, cwd: asked.cwd, isMaybe }))
      places.push({ path, written: text });
  const { isCut, missing, unreadable } = await runSearch(asked, places, work, async ({ entry, isDot, isSure }) => {
    const { path } = entry;
    if (!isDot) await take({ path, text: path, isMaybe: isMaybe || !isSure, isFound: true, entry });
  });
  if (isCut) work.unknown.add('what else find finds: there was no time to go through all of it');
  for (const one of missing) tellMissing(work, one);
  for (const one of unreadable) work.unknown.add(formatUnreadable(one));
  return !isCut;
}

function unknown(work: Work, reason: string): readonly Target[] {
  work.unknown.add(reason);
  work.isVague = true;
  return [];
}

/** What cannot be looked at is unknown, and not nothing. */
export function formatUnreadable(path: string): string {
  return `what is at ${path}, which cannot be looked at`;
}

/** Says that something is missing, unless it may be there by then. */
export function tellMissing(work: Work, text: string): void {
  work.notes.add(work.isVague ? `${text} does not exist yet` : `${text} does not exist: that would fail`);
}

/** Where a kind of effect on a target is counted. */
export function bucketOf(kind: Bucket['kind'], target: Pick<Target, 'isMaybe'>, work: Work): Bucket {
  return work.tally.of(kind, target.isMaybe);
}
