import { textFacts } from '../../core/commands/text-facts.ts';
import { type ArgumentKind, findExpected, SIGNALS } from '../../core/completion/argument-kind.ts';
import { type Candidate, type Completion, fitOf, takeBestFits } from '../../core/completion/completion.ts';
import { type CursorContext, findValueHead, findVariable } from '../../core/completion/cursor-context.ts';
import { type CursorWord, fillSlot, findSlot } from '../../core/completion/scan-line.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { WordKind } from '../../protocol/query.ts';
import { disarmFilters, readFilters, runGit } from '../git/process/git-process.ts';
import { listHosts, readGitNames } from './known-names.ts';
import type { LiveNames } from './live-names.ts';
import { completeGlob, completePath, isPathLike, listProcesses, listProcessNames, listUsers } from './path-words.ts';

interface OwnAnswer {
  readonly completions: readonly Completion[];
  /** No other source is needed. */
  readonly isFinal: boolean;
}

/** Completes by files and tables: it uses no network, and runs no program but git, for changed files. */
export async function completeByOurselves(context: CursorContext, live: LiveNames): Promise<OwnAnswer> {
  const variable = findVariable(context);
  if (variable !== null) return final(completeVariable(variable, live));
  const globbed = await completeGlob(context, live);
  if (globbed !== null) return final(globbed);
  if (context.place === 'target') return final(await completePath(context.word, live, { from: 0 }));
  if (context.place === 'command') return final(await completeCommand(context.word, live));
  return completeArgument(context, live);
}

async function completeArgument(context: CursorContext, live: LiveNames): Promise<OwnAnswer> {
  const { words, word } = context;
  const head = findValueHead(context);
  if (head !== '') {
    const from = head.startsWith('-') ? head.length : Math.max(head.length, word.raw.lastIndexOf(':') + 1);
    return { completions: await completePath(word, live, { from }), isFinal: !head.startsWith('-') };
  }
  const values = words.map(({ value }) => value);
  const stacked = completeStack(context, live);
  if (stacked !== null) return final(stacked);
  const expected = findExpected(values, word.value);
  const kinds = expected?.kinds ?? [];
  if (kinds.length > 0 && kinds.every((kind) => !OPEN.has(kind))) {
    const found = await Promise.all(kinds.map((kind) => completeKind(kind, context, live)));
    return final(bestOf(found, word.value));
  }
  if (isPathLike(word)) return final(await completePath(word, live, { from: 0 }));
  const named = await Promise.all(kinds.map((kind) => completeKind(kind, context, live)));
  const known = [...fillWhole(context, expected?.words ?? []), ...named.flat()];
  if (known.length > 0 || word.raw.startsWith('-')) return { completions: known, isFinal: false };
  return { completions: await completePath(word, live, { from: 0 }), isFinal: words.length === 0 };
}

/** `cd -` and `pushd +`: what the number stands for in the stack of directories; null where no number of it can stand. */
function completeStack({ words, word }: CursorContext, live: LiveNames): readonly Completion[] | null {
  const { stack, isStackOfCd } = live.directories;
  const [command, ...others] = words;
  const numbers = textFacts().get(command?.value ?? '')?.numbersStack;
  if (numbers === undefined || (numbers !== '' && !isStackOfCd)) return null;
  if (others.length > 0 || stack.length === 0 || !/^[-+]\d*$/.test(word.raw)) return null;
  const isFromEnd = word.raw.startsWith('-') !== live.options.includes('pushdminus');
  const all = isFromEnd ? [live.cwd, ...stack].reverse() : [live.cwd, ...stack];
  const found = all.map((description, at) => ({ value: `${word.raw.charAt(0)}${at}`, description }));
  const slot = findSlot(word, 0);
  return found.filter(({ value }) => value.startsWith(slot.typed)).map((candidate) => fillSlot(slot, candidate));
}

/** Kinds of which the user's shell may know more, or say more. */
const OPEN: ReadonlySet<ArgumentKind> = new Set([
  ...(['branch', 'tag', 'ref', 'remote', 'changed-file', 'modified-file', 'target'] as const),
]);

/** If several kinds of things are possible, those count that fit best; parts of a longer word were compared as such already. */
function bestOf(found: readonly (readonly Completion[])[], typed: string): readonly Completion[] {
  if (found.length === 1 || /[/@:]/.test(typed)) return found.flat();
  return takeBestFits(found.flat(), typed, (one) => one.value ?? one.text);
}

async function completeKind(
  kind: ArgumentKind,
  context: CursorContext,
  live: LiveNames,
): Promise<readonly Completion[]> {
  const { word } = context;
  switch (kind) {
    case 'file':
      return completePath(word, live, { from: 0 });
    case 'folder':
      return completePath(word, live, { from: 0, only: 'folder', searched: searchedBy(context, live) });
    case 'command':
      return completeCommand(word, live);
    case 'host':
      return completeHost(context, live, {});
    case 'remote-path':
      return isPathLike(word) ? [] : completeHost(context, live, { suffix: ':' });
    case 'process':
      return completeProcess(context);
    case 'nothing':
      return [];
    default:
      return fillWhole(context, await NAMES[kind](context, live));
  }
}

/** The directories in which the command looks for a relative path beside the current one. */
function searchedBy({ words, word }: CursorContext, { directories }: LiveNames): readonly string[] {
  const isSearching = textFacts().get(words[0]?.value ?? '')?.searchesPath !== undefined;
  return isSearching && !isPathLike(word) ? directories.searched : [];
}

type NameKind = Exclude<ArgumentKind, 'file' | 'folder' | 'command' | 'host' | 'remote-path' | 'process' | 'nothing'>;
type ListNames = (context: CursorContext, live: LiveNames) => Promise<readonly Candidate[]>;

const NAMES: Readonly<Record<NameKind, ListNames>> = {
  branch: async (_, { cwd }) => (await readGitNames(cwd)).branches,
  tag: async (_, { cwd }) => (await readGitNames(cwd)).tags,
  remote: async (_, { cwd }) => (await readGitNames(cwd)).remotes,
  ref: async (_, { cwd }) => {
    const { branches, tags, remoteBranches } = await readGitNames(cwd);
    return [...branches, ...tags, ...remoteBranches];
  },
  'changed-file': (_, { cwd, env }) => listChangedFiles(cwd, { untracked: true, env }),
  'modified-file': (_, { cwd, env }) => listChangedFiles(cwd, { untracked: false, env }),
  target: async ({ words }, { calls, cwd }) =>
    named(await calls.follow(words.map(({ value }) => value).join(' '), cwd)),
  signal: async ({ word }) =>
    word.raw.startsWith('-') ? SIGNALS.map((one) => ({ ...one, value: `-${one.value}` })) : SIGNALS,
  'process-name': () => listProcessNames(),
  job: async (_, { jobs }) => jobs.map(({ number, line }) => ({ value: `%${number}`, description: line })),
  user: async () => named((await listUsers()).map(({ name }) => name)),
  variable: async (_, { variables }) => named([...variables].sort()),
  alias: (_, live) => listCommands('alias', live),
  function: (_, live) => listCommands('function', live),
};

function named(values: readonly string[]): readonly Candidate[] {
  return values.map((value) => ({ value }));
}

async function listCommands(kind: 'alias' | 'function', live: LiveNames): Promise<readonly Candidate[]> {
  return named([...(await live.commands(() => true))].filter(([, found]) => found === kind).map(([name]) => name));
}

async function completeHost(
  { word }: CursorContext,
  live: LiveNames,
  { suffix }: { readonly suffix?: string },
): Promise<readonly Completion[]> {
  if (word.raw.startsWith('-') || word.raw.includes(':')) return [];
  const slot = findSlot(word, word.raw.lastIndexOf('@') + 1);
  const hosts = takeBestFits(await listHosts(live.home), slot.typed, (host) => host);
  if (suffix === undefined) return hosts.map((value) => fillSlot(slot, { value }));
  return hosts.map((host) => fillSlot(slot, { value: `${host}${suffix}`, suffix: '' }));
}

/** By the number, or by what stands in the command line. */
async function completeProcess({ word }: CursorContext): Promise<readonly Completion[]> {
  const slot = findSlot(word, 0);
  const processes = await listProcesses();
  const typed = slot.typed.toLowerCase();
  const isNumber = /^\d*$/.test(typed);
  return processes
    .filter(({ value, description = '' }) =>
      isNumber ? value.startsWith(typed) : description.toLowerCase().includes(typed),
    )
    .map((candidate) => fillSlot(slot, candidate));
}

function completeVariable(
  { start, name, isBraced }: NonNullable<ReturnType<typeof findVariable>>,
  live: LiveNames,
): readonly Completion[] {
  const names = takeBestFits([...live.variables].sort(), name, (one) => one);
  return names.map((value) => {
    const text = isBraced ? `${value}}` : value;
    return { start, text, value, label: value, suffix: '' };
  });
}

function fillWhole({ word }: CursorContext, candidates: readonly Candidate[]): readonly Completion[] {
  const slot = findSlot(word, 0);
  return takeBestFits(candidates, slot.typed, ({ value }) => value).map((candidate) => fillSlot(slot, candidate));
}

function final(completions: readonly Completion[]): OwnAnswer {
  return { completions, isFinal: true };
}

/** Completions of a word as the beginning of a command: commands by name, programs by path. */
async function completeCommand(word: CursorWord, live: LiveNames): Promise<readonly Completion[]> {
  if (isPathLike(word) || word.raw.includes('/')) return completePath(word, live, { from: 0, only: 'program' });
  const slot = findSlot(word, 0);
  const found = await findCommands(slot.typed, live);
  return found.map((candidate) => fillSlot(slot, candidate));
}

/** Asks for the best fits first: each program that fits has to be looked at. */
async function findCommands(typed: string, live: LiveNames): Promise<readonly Candidate[]> {
  for (const worst of [0, 1, 3]) {
    const words = await live.commands((word) => {
      const fit = fitOf(word, typed);
      return fit !== null && fit <= worst;
    });
    if (words.size > 0) return takeBestFits(toCandidates(words), typed, ({ value }) => value);
  }
  return [];
}

function toCandidates(words: ReadonlyMap<string, WordKind>): readonly Candidate[] {
  return [...words]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([value, kind]) => (kind === 'file' ? { value } : { value, description: kind }));
}

/** A repository too large to tell within this tells nothing. */
const LIMIT_MS = 250;
const MOST_FILES = 2000;

/** Letters that `git ls-files -t` puts before names. */
const STATES: Readonly<Record<string, string>> = { C: 'modified', R: 'deleted', '?': 'untracked', M: 'unmerged' };

/** Files from a folder on that differ from what git has of them. No program that the repository names is run. */
export async function listChangedFiles(
  cwd: string,
  { untracked, env }: { readonly untracked: boolean; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<readonly Candidate[]> {
  const { HOME, XDG_CONFIG_HOME } = env;
  const home = { ...omitUndefined({ HOME, XDG_CONFIG_HOME }) };
  const place = { cwd, env: home, signal: AbortSignal.timeout(LIMIT_MS) };
  const others = untracked ? ['-o', '--exclude-standard', '--directory', '--no-empty-directory'] : [];
  try {
    // Content that only a filter could tell from what is kept counts as changed then.
    const settings = disarmFilters(await readFilters(place, { ownOnly: false }), { required: false });
    const git = await runGit({ ...place, args: [...settings, 'ls-files', '-z', '-t', '-m', '-d', ...others] });
    return git.exit === 0 ? readChangedFiles(git.stdout.toString('utf8')) : [];
  } catch {
    // No git, no such folder, or too large a repository: there is nothing to offer.
    return [];
  }
}

/** A deleted file is listed as modified too; the first word counts. */
function readChangedFiles(output: string): readonly Candidate[] {
  const found = new Map<string, Candidate>();
  for (const entry of output.split('\0')) {
    const value = entry.slice(2);
    const description = STATES[entry.charAt(0)] ?? 'changed';
    if (value === '' || (found.has(value) && description !== 'deleted')) continue;
    found.set(value, { value, description, ...(value.endsWith('/') ? { suffix: '' } : {}) });
  }
  return [...found.values()].slice(0, MOST_FILES);
}
