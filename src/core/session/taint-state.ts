import type { CommandRecord } from '../../protocol/command.ts';
import type { CallPreview, CallTaint, TaintSource, Tool, ToolCall } from '../../protocol/tool.ts';
import { formatUntrusted, SOURCE_NAMES } from './messages.ts';

/** A user command whose output is in the next request, and whose sources are not known yet. */
interface UnreadCommand {
  readonly line: string;
  /** The directory of the command. */
  readonly cwd: string;
}

/**
 * Untrusted content in the conversation. Content leaves a conversation only with the conversation itself, so a source stays until the user
 * trusts it or another session begins: the model's own answers may repeat the content.
 */
export interface TaintState {
  /** Oldest first, without duplicates. */
  readonly sources: readonly TaintSource[];
  /** Absolute paths of project files and folders with untrusted content. */
  readonly paths: readonly string[];
  /** Sources that stay trusted because their content does not change. */
  readonly trusted: readonly TaintSource[];
  readonly unread: readonly UnreadCommand[];
}

/** No untrusted content. */
export const NO_TAINT: TaintState = { sources: [], paths: [], trusted: [], unread: [] };

/** The source of piped text and other input with a message. */
export const PIPED_TEXT: TaintSource = { kind: 'input', name: 'piped text' };

/** The source of a client's earlier conversation. */
export const IMPORTED_HISTORY: TaintSource = { kind: 'input', name: 'imported history' };

/** Represents further sources, so that a shortened list does not look complete. */
export const MORE: TaintSource = { kind: 'command', name: 'more than can be named' };

const MOST_SOURCES = 64;

/** Whether a source represents further ones. */
function isMore(source: TaintSource): boolean {
  return isSameSource(source, MORE);
}

/** The sources, limited in number, with a note about further ones. */
export function boundSources(sources: readonly TaintSource[]): readonly TaintSource[] {
  return sources.length <= MOST_SOURCES ? sources : [...sources.slice(0, MOST_SOURCES - 1), MORE];
}
const MOST_PATHS = 256;
const MOST_UNREAD = 256;
/** Number of unread commands searched for a repeated one, because resuming a long session passes all of them through here. */
const LOOKED_BACK = 16;
const LONGEST_NAME = 120;

/** Whether two sources are the same. */
export function isSameSource(one: TaintSource, other: TaintSource): boolean {
  return one.kind === other.kind && one.name === other.name;
}

/** A source with its name cut to the length for approval prompts. */
export function toSource(kind: TaintSource['kind'], name: string): TaintSource {
  return { kind, name: name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name };
}

/** The source for a server's tool descriptions. */
export function toDescriptionsSource(alias: string): TaintSource {
  return toSource('server', `descriptions of ${alias}`);
}

/** The alias of the server for a source of the kind `server`. */
export function aliasOf({ name }: TaintSource): string {
  const described = /^descriptions of (.+)$/s.exec(name)?.[1];
  return described ?? name.slice(0, Math.max(0, name.indexOf('.')));
}

/** Whether a source is a server's tool descriptions, and not a result of a tool. */
export function isDescriptions({ kind, name }: TaintSource): boolean {
  return kind === 'server' && name.startsWith('descriptions of ');
}

/** The new ones among the sources. */
export function newSources(taint: TaintState, sources: readonly TaintSource[]): readonly TaintSource[] {
  const known = [...taint.sources, ...taint.trusted];
  return sources.filter(
    (source, at) => !known.some((one) => isSameSource(one, source)) && sources.findIndex((one) => isSameSource(one, source)) === at,
  );
}

/** Adds sources that the model reads, and files with untrusted content. */
export function addTaint(taint: TaintState, sources: readonly TaintSource[], paths: readonly string[] = []): TaintState {
  const fresh = newSources(taint, sources);
  const freshPaths = paths.filter((path) => !taint.paths.includes(path));
  if (fresh.length === 0 && freshPaths.length === 0) return taint;
  const room = Math.max(0, MOST_SOURCES - taint.sources.length);
  const isFull = fresh.length > room && !taint.sources.some((one) => isSameSource(one, MORE));
  const added = [...fresh.slice(0, room), ...(isFull ? [MORE] : [])];
  return { ...taint, sources: [...taint.sources, ...added], paths: bounded([...taint.paths, ...new Set(freshPaths)]) };
}

/** Too many paths are replaced by their common folder, so that none is lost. */
function bounded(paths: readonly string[]): readonly string[] {
  if (paths.length <= MOST_PATHS) return paths;
  const [first = [], ...others] = paths.map((path) => path.split('/'));
  const differs = first.findIndex((part, at) => others.some((parts) => parts[at] !== part));
  const shared = differs < 0 ? first : first.slice(0, differs);
  return [shared.join('/') || '/'];
}

/** Removes sources that the user trusts. Tool descriptions stay trusted, because every request contains them. */
export function liftTaint(taint: TaintState): TaintState {
  const described = taint.sources.filter(isDescriptions);
  return { ...NO_TAINT, trusted: [...taint.trusted, ...described] };
}

/** Keeps a user command until the next request shows its output. One dropped for lack of room counts as an unknown source. */
export function addUnread(
  taint: TaintState,
  { line, ...ended }: Pick<CommandRecord, 'line'> & Partial<Pick<CommandRecord, 'exit' | 'output'>>,
  cwd: string,
): TaintState {
  if (ranNothing(line, ended)) return taint;
  const at = indexOfLate(taint.unread, line, cwd);
  const others = at < 0 ? taint.unread : taint.unread.toSpliced(at, 1);
  const known = others.length >= MOST_UNREAD ? addMore(taint) : taint;
  // A long log has one of these for each line: room for many is made at once, and `concat` is faster than to copy and push.
  const kept = others.length >= MOST_UNREAD ? others.slice(-MOST_UNREAD / 2) : others;
  return { ...known, unread: kept.concat({ line, cwd }) };
}

/** The place of a command among the last ones; -1 if it is not there. */
function indexOfLate(unread: TaintState['unread'], line: string, cwd: string): number {
  for (let at = Math.max(0, unread.length - LOOKED_BACK); at < unread.length; at += 1) {
    const one = unread[at];
    if (one !== undefined && one.line === line && one.cwd === cwd) return at;
  }
  return -1;
}

function addMore(taint: TaintState): TaintState {
  return taint.sources.some(isMore) ? taint : addTaint(taint, [MORE]);
}

const MOST_NAMED = 4;

/** Names the sources, the latest first, because the user knows least about it. */
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

/** The same next to the effects and secrets of the call, which may already name the effect. */
export function formatTaintNote({ sources, reach, rule, isShown }: CallTaint): string {
  return formatUntrusted(formatSources(sources), isShown === true ? null : reach, rule);
}

function nameSource(source: TaintSource): string {
  if (isMore(source)) return source.name;
  if (source.kind === 'command') return SOURCE_NAMES.command(source.name);
  return isDescriptions(source) ? SOURCE_NAMES.descriptions(aliasOf(source)) : source.name;
}

/** The untrusted content that follows from the completion of a call alone. */
interface ResultTaint {
  readonly sources: readonly TaintSource[];
  readonly paths: readonly string[];
}

const NONE: ResultTaint = { sources: [], paths: [] };

/**
 * A server's result is untrusted, whatever the server says about its tool. A file written after untrusted content was read may contain it.
 * The content that built-in tools read is classified where files are accessible, and has an event of its own.
 */
export function taintOfResult(
  { call, stage, preview }: { readonly call: ToolCall; readonly stage: string; readonly preview?: Pick<CallPreview, 'path'> },
  untrusted: readonly TaintSource[] = [],
): ResultTaint {
  // aish itself answered a refused call.
  if (stage !== 'running') return NONE;
  if (!call.name.startsWith('aish.')) return { sources: [toSource('server', call.name)], paths: [] };
  if (call.effect !== 'write' || untrusted.length === 0 || preview?.path === undefined) return NONE;
  return { sources: [], paths: [preview.path] };
}

/** A single call of a program in the path: plain words, or words in quotes. */
const PLAIN = /^\s*([\w.+-]+)(?:\s+(?:[\w@%+=:,./~^{}[\]?*-]|'[^']*'|"[^"$`\\]*")+)*\s*$/;

const NOT_FOUND = 127;
const LONGEST = 2048;

/** Messages of shells, and of their helpers on some systems, about a missing program. `NAME` represents it. */
const SAYS_SO: readonly RegExp[] = [
  /^$/,
  /^(?:[\w./-]*sh|aish)?:? ?(?:line \d+: )?NAME: (?:command )?not found(?:\.\.\.)?$/,
  /^(?:-?zsh(?::\d+)?: )?command not found: NAME$/,
  /^(?:Command 'NAME' not found|NAME: command not found)(?:, did you mean:|, but can be installed with:)?$/,
  /^ *command '[\w.+-]+' from (?:deb|snap) [\w.+-]+(?: \([\w.:~+-]+\))?$/,
  /^(?:Try|Ask your administrator to): (?:sudo )?(?:apt|snap) install <?[\w.+ -]+>?$/,
  /^(?:sudo )?(?:apt|snap) install [\w.+-]+(?: +# version [\w.:~+-]+(?:, or)?)?$/,
];

/** Whether a word was no program, so that nothing ran and the output only says that. */
export function ranNothing(line: string, { exit, output = '' }: { readonly exit?: number | null; readonly output?: string }): boolean {
  const name = exit === NOT_FOUND && output.length <= LONGEST ? PLAIN.exec(line)?.[1] : undefined;
  if (name === undefined) return false;
  return output.split('\n').every((row) => {
    const told = row.trim().replace(name, () => 'NAME');
    return SAYS_SO.some((form) => form.test(told));
  });
}

/** The sources among the descriptions of the offered tools: each is untrusted until the user has reviewed exactly this definition. */
export function sourcesOfDescriptions(tools: readonly Tool[]): readonly TaintSource[] {
  const unknown = tools.filter((tool) => !tool.name.startsWith('aish.') && tool.reviewed !== true);
  const aliases = new Set(unknown.map(({ name }) => name.slice(0, name.indexOf('.'))));
  return [...aliases].map(toDescriptionsSource);
}
