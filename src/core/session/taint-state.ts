import type { CommandRecord } from '../../protocol/command.ts';
import type { CallPreview, CallTaint, TaintSource, Tool, ToolCall } from '../../protocol/tool.ts';
import { formatUntrusted, SOURCE_NAMES } from './messages.ts';

/** A command of the user whose output the next request shows to the model, and nobody has looked yet where that came from. */
interface UnreadCommand {
  readonly line: string;
  /** Directory it was typed in. */
  readonly cwd: string;
}

/**
 * What is known of untrusted content in what the model is sent. Text leaves a conversation with the conversation alone, so a source stays
 * until a user trusts it or another session begins: what the model says of a text holds that text too.
 */
export interface TaintState {
  /** Oldest first, each once. */
  readonly sources: readonly TaintSource[];
  /** Files and folders of the project that hold untrusted content, absolute. */
  readonly paths: readonly string[];
  /** Sources that stay trusted because what they say stays the same. */
  readonly trusted: readonly TaintSource[];
  readonly unread: readonly UnreadCommand[];
}

/** Nothing of others was read. */
export const NO_TAINT: TaintState = { sources: [], paths: [], trusted: [], unread: [] };

/** Piped text, and what else comes in with a message. */
export const PIPED_TEXT: TaintSource = { kind: 'input', name: 'piped text' };

/** What a client says was talked about before. */
export const IMPORTED_HISTORY: TaintSource = { kind: 'input', name: 'imported history' };

/** Stands for all that were too many to be named: a list that forgets must not look like one that is whole. */
export const MORE: TaintSource = { kind: 'command', name: 'more than can be named' };

const MOST_SOURCES = 64;

/** True for what stands for those that were too many. */
function isMore(source: TaintSource): boolean {
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
  const known = [...taint.sources, ...taint.trusted];
  return sources.filter(
    (source, at) => !known.some((one) => isSameSource(one, source)) && sources.findIndex((one) => isSameSource(one, source)) === at,
  );
}

/** Takes in that the model is sent untrusted content, or that files hold some. */
export function addTaint(taint: TaintState, sources: readonly TaintSource[], paths: readonly string[] = []): TaintState {
  const fresh = newSources(taint, sources);
  const freshPaths = paths.filter((path) => !taint.paths.includes(path));
  if (fresh.length === 0 && freshPaths.length === 0) return taint;
  const room = Math.max(0, MOST_SOURCES - taint.sources.length);
  const isFull = fresh.length > room && !taint.sources.some((one) => isSameSource(one, MORE));
  const added = [...fresh.slice(0, room), ...(isFull ? [MORE] : [])];
  return { ...taint, sources: [...taint.sources, ...added], paths: bounded([...taint.paths, ...new Set(freshPaths)]) };
}

/** Too many paths are the folder that all of them lie in: none may be forgotten. */
function bounded(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST_PATHS) return paths;
  const [first = [], ...others] = paths.map((path) => path.split('/'));
  const differs = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  const shared = differs < 0 ? first : first.slice(0, differs);
  return [shared.join('/') || '/'];
}

/** Forgets what a user trusts. What a server says of its tools stays trusted: it comes along with every request. */
export function liftTaint(taint: TaintState): TaintState {
  const described = taint.sources.filter(isDescriptions);
  return { ...NO_TAINT, trusted: [...taint.trusted, ...described] };
}

/**
 * Keeps a command of the user until the next request, which shows the model what it printed:
 * nothing where there is no such program. What is too old to be kept came from anywhere.
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

const MOST_NAMED = 4;

/** Names the sources, the latest first: the user knows least about those. */
export function formatSources(sources: readonly TaintSource[]): string {
  const shown = sources.toReversed().slice(0, MOST_NAMED).map(nameSource);
  const left = sources.length - shown.length;
  const all = left > 0 ? [...shown, SOURCE_NAMES.more(left)] : shown;
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`;
}

/** Why a call needs approval although a rule allows it. */
export function formatCallTaint({ sources, reach, rule }: CallTaint): string {
  return formatUntrusted(formatSources(sources), reach, rule);
}

/** The same beside the effects and secrets of the call, which may say already what the call does. */
export function formatTaintNote({ sources, reach, rule, isShown }: CallTaint): string {
  return formatUntrusted(formatSources(sources), isShown === true ? null : reach, rule);
}

function nameSource(source: TaintSource): string {
  if (isMore(source)) return source.name;
  if (source.kind === 'command') return SOURCE_NAMES.command(source.name);
  return isDescriptions(source) ? SOURCE_NAMES.descriptions(aliasOf(source)) : source.name;
}

/** What the fact that a call has ended tells by itself of untrusted content. */
interface ResultTaint {
  readonly sources: readonly TaintSource[];
  readonly paths: readonly string[];
}

const NONE: ResultTaint = { sources: [], paths: [] };

/**
 * A server's answer is untrusted content whatever the server says of its tool. A file that is written after such a text was read may hold
 * what it said. What our own tools read is classified where files can be looked at, and comes as a fact of its own.
 */
export function taintOfResult(
  { call, stage, preview }: { readonly call: ToolCall; readonly stage: string; readonly preview?: Pick<CallPreview, 'path'> },
  untrusted: readonly TaintSource[] = [],
): ResultTaint {
  // What was refused was answered by us.
  if (stage !== 'running') return NONE;
  if (!call.name.startsWith('aish.')) return { sources: [toSource('server', call.name)], paths: [] };
  if (call.effect !== 'write' || untrusted.length === 0 || preview?.path === undefined) return NONE;
  return { sources: [], paths: [preview.path] };
}

interface Ended {
  readonly exit?: number | null;
  readonly output?: string;
}

/** One call of a program of the path and nothing else: plain words, or such as quotes keep from meaning more. */
const PLAIN = /^\s*([\w.+-]+)(?:\s+(?:[\w@%+=:,./~^{}[\]?*-]|'[^']*'|"[^"$`\\]*")+)*\s*$/;

const NOT_FOUND = 127;
const LONGEST = 2048;

/** How shells, and what systems have them ask, say that there is no such program. `NAME` stands for it. */
const SAYS_SO: readonly RegExp[] = [
  /^$/,
  /^(?:[\w./-]*sh|aish)?:? ?(?:line \d+: )?NAME: (?:command )?not found(?:\.\.\.)?$/,
  /^(?:-?zsh(?::\d+)?: )?command not found: NAME$/,
  /^(?:Command 'NAME' not found|NAME: command not found)(?:, did you mean:|, but can be installed with:)?$/,
  /^ *command '[\w.+-]+' from (?:deb|snap) [\w.+-]+(?: \([\w.:~+-]+\))?$/,
  /^(?:Try|Ask your administrator to): (?:sudo )?(?:apt|snap) install <?[\w.+ -]+>?$/,
  /^(?:sudo )?(?:apt|snap) install [\w.+-]+(?: +# version [\w.:~+-]+(?:, or)?)?$/,
];

/** True for a word that is no program: nothing ran, and what was printed says no more than that. */
export function ranNothing(line: string, { exit, output = '' }: Ended): boolean {
  const name = exit === NOT_FOUND && output.length <= LONGEST ? PLAIN.exec(line)?.[1] : undefined;
  if (name === undefined) return false;
  return output.split('\n').every((row) => {
    const told = row.trim().replace(name, () => 'NAME');
    return SAYS_SO.some((form) => form.test(told));
  });
}

/**
 * The sources among the descriptions of the tools that are offered. What a server says of its tools is untrusted content too, sent with
 * every request, until the user has reviewed exactly these definitions.
 */
export function sourcesOfDescriptions(tools: readonly Tool[]): readonly TaintSource[] {
  const unknown = tools.filter((tool) => !tool.name.startsWith('aish.') && tool.reviewed !== true);
  const aliases = new Set(unknown.map(({ name }) => name.slice(0, name.indexOf('.'))));
  return [...aliases].map(toDescriptionsSource);
}
