import type { CommandRecord } from '../../protocol/command.ts';
import type { TaintSource } from '../../protocol/taint.ts';
import { ranNothing } from './not-found.ts';

/** A command of the person whose output the next request shows to the model, and nobody has looked yet where that came from. */
export interface UnreadCommand {
  readonly line: string;
  /** Directory it was typed in. */
  readonly cwd: string;
}

/**
 * What is known of text of others in what the model is sent. Text leaves a conversation with the conversation alone, so a source stays
 * until a person vouches for it or another session begins: what the model says of a text holds that text too.
 */
export interface TaintState {
  /** Oldest first, each once. */
  readonly sources: readonly TaintSource[];
  /** Files and folders of the project that hold text of others, absolute. */
  readonly paths: readonly string[];
  /** Sources that stay vouched for because what they say stays the same. */
  readonly vouched: readonly TaintSource[];
  readonly unread: readonly UnreadCommand[];
}

/** Nothing of others was read. */
export const NO_TAINT: TaintState = { sources: [], paths: [], vouched: [], unread: [] };

/** Piped text, and what else comes in with a message. */
export const PIPED_TEXT: TaintSource = { kind: 'input', name: 'piped text' };

/** What a client says was talked about before. */
export const IMPORTED_HISTORY: TaintSource = { kind: 'input', name: 'imported history' };

/** Stands for all that were too many to be named: a list that forgets must not look like one that is whole. */
const MORE: TaintSource = { kind: 'command', name: 'more than can be named' };

const MOST_SOURCES = 64;

/** True for what stands for those that were too many. */
export function isMore(source: TaintSource): boolean {
  return isSameSource(source, MORE);
}

/** As many sources as are named, and that there are more. */
export function boundSources(sources: readonly TaintSource[]): readonly TaintSource[] {
  return sources.length <= MOST_SOURCES ? sources : [...sources.slice(0, MOST_SOURCES - 1), MORE];
}
const MOST_PATHS = 256;
const MOST_UNREAD = 256;
/** A command that was typed again is looked for among so many: each of a long session passes through here when it is resumed. */
const LOOKED_BACK = 16;
const LONGEST_NAME = 120;

/** True for the same place of origin. */
export function isSameSource(one: TaintSource, other: TaintSource): boolean {
  return one.kind === other.kind && one.name === other.name;
}

/** A source whose name is cut to what a question has room for. */
export function toSource(kind: TaintSource['kind'], name: string): TaintSource {
  return { kind, name: name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name };
}

/** What a server says of its tools, as a source. */
export function toDescriptionsSource(alias: string): TaintSource {
  return toSource('server', `descriptions of ${alias}`);
}

/** Alias of the server that a source of the kind `server` is of. */
export function aliasOf({ name }: TaintSource): string {
  const described = /^descriptions of (.+)$/s.exec(name)?.[1];
  return described ?? name.slice(0, Math.max(0, name.indexOf('.')));
}

/** True where a server's words about its tools are the source, and not what one of them answered. */
export function isDescriptions({ kind, name }: TaintSource): boolean {
  return kind === 'server' && name.startsWith('descriptions of ');
}

/** Those of the sources that are news. */
export function newSources(taint: TaintState, sources: readonly TaintSource[]): readonly TaintSource[] {
  const known = [...taint.sources, ...taint.vouched];
  return sources.filter(
    (source, at) =>
      !known.some((one) => isSameSource(one, source)) && sources.findIndex((one) => isSameSource(one, source)) === at,
  );
}

/** Takes in that the model is sent text of others, or that files hold some. */
export function addTaint(
  taint: TaintState,
  sources: readonly TaintSource[],
  paths: readonly string[] = [],
): TaintState {
  const fresh = newSources(taint, sources);
  const freshPaths = paths.filter((path) => !taint.paths.includes(path));
  if (fresh.length === 0 && freshPaths.length === 0) return taint;
  const room = Math.max(0, MOST_SOURCES - taint.sources.length);
  const isFull = fresh.length > room && !taint.sources.some((one) => isSameSource(one, MORE));
  const added = [...fresh.slice(0, room), ...(isFull ? [MORE] : [])];
  return {
    ...taint,
    sources: [...taint.sources, ...added],
    paths: bounded([...taint.paths, ...new Set(freshPaths)]),
  };
}

/** Too many paths are the folder that all of them lie in: none may be forgotten. */
function bounded(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST_PATHS) return paths;
  const [first = [], ...others] = paths.map((path) => path.split('/'));
  const differs = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  const shared = differs < 0 ? first : first.slice(0, differs);
  return [shared.join('/') || '/'];
}

/** Forgets what a person vouches for. What a server says of its tools stays vouched for: it comes along with every request. */
export function liftTaint(taint: TaintState): TaintState {
  const described = taint.sources.filter(isDescriptions);
  return { ...NO_TAINT, vouched: [...taint.vouched, ...described] };
}

/**
 * Keeps a command of the person until the next request, which shows the model what it printed: nothing where there is no such program. What is
 * too old to be kept came from anywhere.
 */
export function addUnread(
  taint: TaintState,
  { line, ...ended }: Pick<CommandRecord, 'line'> & Partial<Pick<CommandRecord, 'exit' | 'output'>>,
  cwd: string,
): TaintState {
  const { unread } = taint;
  if (ranNothing(line, ended)) return taint;
  const begin = Math.max(0, unread.length - LOOKED_BACK);
  const at = unread.slice(begin).findIndex((one) => one.line === line && one.cwd === cwd);
  const others = at < 0 ? unread : unread.toSpliced(begin + at, 1);
  const isFull = others.length >= MOST_UNREAD;
  const known = isFull ? addTaint(taint, [MORE]) : taint;
  return { ...known, unread: [...others.slice(1 - MOST_UNREAD), { line, cwd }] };
}
