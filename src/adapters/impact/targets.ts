import type { Argument } from '../../core/commands/argument.ts';
import type { Search } from '../../core/commands/file-change.ts';
import { isSeveral } from '../../core/commands/scope.ts';
import { type GlobPart, type ImpactContext, readGlob, type ShellHabit } from '../../core/impact/shell-state.ts';
import type { FileEffectKind } from '../../protocol/change-report.ts';
import { errorCode } from '../../protocol/error.ts';
import type { CommandEffect } from '../../protocol/tool.ts';
import { SYSTEM_PATH } from '../sandbox/bubblewrap-words.ts';
import type { Repositories } from './git-facts.ts';
import { FAULTS, NOTES, UNKNOWN } from './messages.ts';
import type { Pace } from './pace.ts';
import type { Bucket, Tally } from './tally.ts';
import { type Child, type Entry, type Tree, toAbsolute } from './tree.ts';

/** A path that a word stands for. */
export interface Target {
  /** Absolute, as it would be passed on: links and `..` are in it still. */
  readonly path: string;
  /** As it is shown. */
  readonly text: string;
  readonly isMaybe: boolean;
  /** A search found it: what is gone by then is no failure. */
  readonly isFound: boolean;
  /** The entry that a search saw there. */
  readonly entry?: Entry;
}

/** The context of an estimate. */
export interface Work {
  readonly tree: Tree;
  readonly tally: Tally;
  readonly pace: Pace;
  readonly context: ImpactContext;
  /** Places where another file system begins. */
  readonly mounts: readonly string[];
  readonly repositories: Repositories;
  readonly hosts: Set<string>;
  readonly unknown: Set<string>;
  readonly unexplained: Set<CommandEffect>;
  readonly notes: Set<string>;
  /** An earlier change has an unknown effect. */
  isVague: boolean;
  /** A change of files before runs only perhaps. */
  hasMaybe: boolean;
  /** The index or the branches of git are not as they are on the disk. */
  isGitChanged: boolean;
}

/** The place of a change, and the data to count it. */
export interface Taking {
  readonly work: Work;
  readonly cwd: string | null;
  readonly isMaybe: boolean;
  /** The search whose results the words represent. */
  readonly found: Search | null;
  readonly isDashed?: boolean | undefined;
}

/** The paths of a word. An unknown one is noted as unknown, and gives none. */
export async function targetsOf(word: Argument, taking: Taking): Promise<readonly Target[]> {
  const { work, cwd, isMaybe, found } = taking;
  const { text, value, pattern } = word;
  if (word.isFound === true || word.isFed === true) {
    const targets: Target[] = [];
    if (found === null) return unknown(work, UNKNOWN.value(text));
    await search(found, taking, async (target) => {
      targets.push(target);
    });
    return targets;
  }
  if (value === null || word.isExtended === true || (word.isGlob && pattern === undefined))
    return unknown(work, UNKNOWN.value(text));
  if (value === '') {
    work.notes.add(NOTES.emptyName());
    return [];
  }
  if (cwd === null && !value.startsWith('/')) return unknown(work, UNKNOWN.directory(text));
  const from = cwd ?? '/';
  const habits = work.context.shell?.habits;
  const isPlain = !word.isGlob || pattern === undefined || habits?.has('none') === true;
  if (isPlain) return [{ path: toAbsolute(value, from), text, isMaybe, isFound: false }];
  if (habits?.has('deep') === true && pattern.includes('**')) return unknown(work, UNKNOWN.deepPattern(text));
  const matches = await expandGlob(pattern, from, { tree: work.tree, pace: work.pace, habits });
  if (matches === null) return unknown(work, UNKNOWN.slowPattern(text));
  if (matches.length === 0 && work.isVague) return unknown(work, UNKNOWN.laterMatches(text));
  if (matches.length === 0 && habits?.has('empty') === true) return [];
  if (matches.length === 0 && habits?.has('fails') === true) {
    work.notes.add(FAULTS.noMatch(work, text));
    return [];
  }
  if (taking.isDashed !== true && matches.some((one) => one.startsWith('-')))
    return unknown(work, UNKNOWN.dashMatches(text));
  if (word.isSplit && matches.some((one) => /[\s*?[]/.test(one))) return unknown(work, UNKNOWN.splitMatches(text));
  const paths = matches.length === 0 ? [value] : matches;
  return paths.map((one) => ({ path: toAbsolute(one, from), text: one, isMaybe, isFound: false }));
}

/** The paths of words, one after the other. */
export async function allTargets(words: readonly Argument[], taking: Taking): Promise<readonly Target[]> {
  const targets: Target[] = [];
  for (const word of words) targets.push(...(await targetsOf(word, taking)));
  return targets;
}

/** Takes the paths of words one by one; what a search finds is taken as it is found. False where there was no time for all of them. */
export async function takeEach(
  words: readonly Argument[],
  taking: Taking,
  take: (target: Target) => Promise<void>,
): Promise<boolean> {
  const { work, found } = taking;
  for (const word of words) {
    if ((word.isFound === true || word.isFed === true) && found !== null) {
      if (!(await search(found, taking, take))) return false;
    } else
      for (const target of await targetsOf(word, taking)) {
        await take(target);
        if (!(await work.pace.breathe())) return false;
      }
  }
  return true;
}

/** The beginnings of what `find` takes for its conditions and actions, in the place of a start folder. */
const NO_ROOT = /^[-(),!]/;

/** False where there was no time for all of it. */
async function search(asked: Search, taking: Taking, take: (target: Target) => Promise<void>): Promise<boolean> {
  const { work, isMaybe } = taking;
  const cwd = taking.cwd ?? '/';
  const asksEmpty = asked.conditions.some((word) => word?.value === '-empty');
  const roots: string[] = [];
  for (const word of asked.roots)
    for (const { path, text } of await targetsOf(word, { ...taking, found: null, isDashed: false })) {
      const root = work.tree.follow(path);
      // `find` would take the name for an action or an operator, and would do it here and now.
      if (NO_ROOT.test(word.isGlob ? text : (word.value ?? ''))) unknown(work, UNKNOWN.value(word.text));
      if (root === null) noteMissing(work, text);
      else roots.push(word.isGlob ? text : (word.value ?? path));
      // `find` sees neither what the line itself has made, nor a folder that the line has emptied.
      const isLater = asksEmpty ? work.tree.isChanged : root !== null && work.tree.isMadeBelow(root.path);
      if (isLater) work.unknown.add(UNKNOWN.searchLater());
    }
  const conditions = asked.conditions.map((word) => (word === null ? '-print0' : word.value));
  // The shell expands a pattern without quotes before `find` sees it.
  const isOpen = (word: Argument | null) => word !== null && (word.value === null || isSeveral(word));
  const strange = [...asked.options, ...asked.conditions].find(isOpen);
  if (strange != null) unknown(work, UNKNOWN.value(strange.text));
  if (strange != null || roots.length === 0 || roots.some((one) => NO_ROOT.test(one))) return true;
  const words = [
    ...asked.options.flatMap(({ value }) => value ?? []),
    ...roots,
    ...conditions.flatMap((one) => one ?? []),
  ];
  const { isCut, unreadable, fault } = await runFind(words, { ...work.context, cwd }, work.pace, async (written) => {
    const entry = work.tree.look(toAbsolute(written, cwd));
    // A name in another encoding leads nowhere.
    if (written.includes('\ufffd')) unknown(work, UNKNOWN.unreadable(written));
    else if (asked.isParted === true && /[\s'"\\]/.test(written)) unknown(work, UNKNOWN.splitByXargs(written));
    else if (written !== '.' && entry !== null)
      await take({ path: entry.path, text: entry.path, isMaybe, isFound: true, entry });
  });
  if (isCut) work.unknown.add(UNKNOWN.restOfSearch());
  for (const one of unreadable) work.unknown.add(UNKNOWN.unreadable(toAbsolute(one, cwd)));
  if (fault !== null) unknown(work, fault);
  return !isCut;
}

function unknown(work: Work, what: string): readonly Target[] {
  work.unknown.add(what);
  work.isVague = true;
  return [];
}

/** Notes that something is missing, unless it may be there by then. */
export function noteMissing(work: Work, text: string): void {
  work.notes.add(work.isVague ? NOTES.missingYet(text) : NOTES.missing(text));
}

/** The bucket for a kind of effect on a target. */
export function bucketOf(kind: FileEffectKind, target: Pick<Target, 'isMaybe'>, work: Work): Bucket {
  return work.tally.of(kind, target.isMaybe);
}

const MOST_MATCHES = 20_000;

interface GlobMeans {
  readonly tree: Tree;
  readonly pace: Pace;
  readonly habits?: ReadonlySet<ShellHabit> | undefined;
}

const NO_HABITS: ReadonlySet<ShellHabit> = new Set();

/** Paths that a pattern matches on the tree, sorted; null where looking was stopped. Relative patterns give relative paths. */
async function expandGlob(
  pattern: string,
  cwd: string,
  { tree, pace, habits = NO_HABITS }: GlobMeans,
): Promise<readonly string[] | null> {
  const parts = readGlob(pattern, { dots: habits.has('dots'), folds: habits.has('folds') });
  let found: readonly string[] = pattern.startsWith('/') ? ['/'] : [''];
  for (const [at, part] of parts.entries()) {
    if (part.name === '' && at === 0) continue;
    const isLast = at === parts.length - 1;
    const next: string[] = [];
    for (const before of found) {
      if (!(await pace.breathe()) || next.length > MOST_MATCHES) return null;
      if (part.name !== null) next.push(before + part.name + (isLast ? '' : '/'));
      else next.push(...(await matchesIn(before, part, { cwd, tree, isLast, hasParents: habits.has('parents') })));
    }
    found = next;
  }
  // An entry that a folder listed exists.
  if (parts.at(-1)?.name !== null) return thoseThere(found, cwd, tree, pace);
  return [...found].sort();
}

async function thoseThere(
  paths: readonly string[],
  cwd: string,
  tree: Tree,
  pace: Pace,
): Promise<readonly string[] | null> {
  const there: string[] = [];
  for (const path of paths) {
    if (!(await pace.breathe())) return null;
    if (tree.look(toAbsolute(path, cwd)) !== null) there.push(path);
  }
  return there.sort();
}

async function matchesIn(
  before: string,
  { matches, isDotted }: GlobPart,
  {
    cwd,
    tree,
    isLast,
    hasParents,
  }: { readonly cwd: string; readonly tree: Tree; readonly isLast: boolean; readonly hasParents: boolean },
): Promise<readonly string[]> {
  const folder = tree.follow(before === '' ? cwd : toAbsolute(before, cwd));
  if (folder?.kind !== 'folder') return [];
  const children = await tree.children(folder.path, folder.stats?.size);
  const around = hasParents && isDotted ? AROUND : [];
  return [...around, ...children].flatMap(({ name, kind }) => {
    if (!matches(name)) return [];
    if (!isLast && kind !== 'folder' && kind !== 'link' && kind !== 'unknown') return [];
    return [before + name + (isLast ? '' : '/')];
  });
}

/** The entries that every folder lists, and newer shells leave out. */
const AROUND: readonly Child[] = [
  { name: '.', kind: 'folder' },
  { name: '..', kind: 'folder' },
];

/** How a search ended. */
interface Searched {
  readonly isCut: boolean;
  /** Folders that it could not read, as it wrote them. */
  readonly unreadable: readonly string[];
  /** Why it found nothing, or not all; null for no reason. */
  readonly fault: string | null;
}

/** Lets `find` itself evaluate conditions that only search, and passes on each name as it comes, as `find` writes it. */
async function runFind(
  words: readonly string[],
  { cwd, shell }: Pick<ImpactContext, 'cwd' | 'shell'>,
  pace: Pace,
  onFound: (written: string) => Promise<void>,
): Promise<Searched> {
  const program = Bun.which('find', { PATH: SYSTEM_PATH });
  if (program === null) return { isCut: false, unreadable: [], fault: UNKNOWN.noFind() };
  const env = findEnvironment(shell);
  const child = start([program, ...words], cwd, env);
  if (typeof child === 'string') return { isCut: false, unreadable: [], fault: child };
  const stop = (): void => child.kill();
  pace.signal.addEventListener('abort', stop, { once: true });
  try {
    const told = new Response(child.stderr).text();
    const isCut = !(await passOn(child.stdout, pace, onFound));
    if (isCut) stop();
    return { isCut, ...readFaults(await told) };
  } finally {
    stop();
    pace.signal.removeEventListener('abort', stop);
  }
}

/** A process of `find`; or why there is none. The line may make the folder that it runs in, or may never get there. */
function start(words: string[], cwd: string, env: Record<string, string | undefined>) {
  try {
    return Bun.spawn(words, { cwd, env, stdin: 'ignore', stderr: 'pipe' });
  } catch (thrown) {
    const code = errorCode(thrown);
    return /^(?:ENOENT|ENOTDIR)$/.test(code) ? UNKNOWN.searchLater() : UNKNOWN.findFails(code);
  }
}

/** Patterns and dates mean what they mean in the user's shell; the messages are in English, because they are read here. */
function findEnvironment(shell: ImpactContext['shell']): Record<string, string | undefined> {
  const all: Record<string, string | undefined> = { ...process.env, ...Object.fromEntries(shell?.variables ?? []) };
  const { LC_ALL, TZ, POSIXLY_CORRECT } = all;
  const locale = Object.entries(all).filter(([name]) => /^(?:LANG|LC_(?!ALL$)\w+)$/.test(name));
  return { ...(LC_ALL ? { LANG: LC_ALL } : Object.fromEntries(locale)), TZ, POSIXLY_CORRECT, LC_MESSAGES: 'C' };
}

/** Passes on the names of a stream; false where there was no time for all of them. */
async function passOn(
  stream: ReadableStream<Uint8Array>,
  pace: Pace,
  onFound: (written: string) => Promise<void>,
): Promise<boolean> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    const names = (rest + decoder.decode(chunk, { stream: true })).split('\0');
    rest = names.pop() ?? '';
    for (const name of names) {
      if (!(await pace.breathe())) return false;
      await onFound(name);
    }
  }
  return !pace.isOver;
}

/** A name that is gone by now is no fault, and neither is a warning. The quotes are those of the encoding. */
function readFaults(told: string): Pick<Searched, 'unreadable' | 'fault'> {
  const lines = Array.from(told.matchAll(/^\S*find: (?!warning)(.*)$/gm), ([, line = '']) => line);
  const closed = lines.map((line) => /^['‘](.*)['’]: Permission denied$/.exec(line)?.[1]);
  const [fault] = lines.filter((line, at) => closed[at] === undefined && !line.endsWith(': No such file or directory'));
  return {
    unreadable: closed.flatMap((path) => path ?? []),
    fault: fault === undefined ? null : UNKNOWN.findFails(fault.replace(/‘(.*?)’/g, "'$1'")),
  };
}
