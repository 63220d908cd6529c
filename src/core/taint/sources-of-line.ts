import type { CommandRecord } from '../../protocol/command.ts';
import type { TaintSource } from '../../protocol/tool.ts';
import { isBelow, locate, type PathContext } from '../commands/place.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import type { Classification } from '../commands/verdict.ts';
import type { LineContext } from '../policy/classify-line.ts';
import { boundSources, MORE, toSource } from '../session/taint-state.ts';
import { joinedRegExp } from '../text/joined-regexp.ts';
import { type LineReading, readLine } from './read-line.ts';

/** Facts from the file system. */
export interface FileFacts {
  exists(path: string): boolean;
  /** The path with links resolved; the path itself if that fails. */
  real(path: string): string;
  /** Whether a file has further hard links anywhere. */
  isShared(path: string): boolean;
  /** The absolute paths that match a pattern; null if there are too many. */
  matches(pattern: string): readonly string[] | null;
  /** Entries below a folder that may come from elsewhere: links, hard-linked files, fetched folders; null if there are too many. */
  strangersBelow(folder: string): Strangers | null;
}

/** Entries below a folder that come from elsewhere. */
export interface Strangers {
  /** Symbolic links. */
  readonly links: readonly string[];
  /** Files with further hard links. */
  readonly shared: readonly string[];
  /** Folders with fetched content, which were not entered. */
  readonly fetched: readonly string[];
}

/** The surroundings of a line, and the known untrusted content there. */
export type ReadContext = LineContext & Pick<TaintContext, 'paths' | 'older'>;

/** The sources of a command's output, and the project files that contain untrusted content because of it. */
interface LineTaint {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

const DEPENDENCIES = ['node_modules', 'vendor', 'venv', '.venv', 'third_party'];

/**
 * Determines the sources of a line's output. `wasHeard`: its driver has read untrusted content, so its text may repeat that. `isTyped`: the
 * user ran the line and chose the listed folder, so the listed names are not untrusted.
 */
export function sourcesOfLine(
  classification: Classification,
  context: ReadContext,
  facts: FileFacts,
  { wasTainted, isTyped = false }: { readonly wasTainted: boolean; readonly isTyped?: boolean },
): LineTaint {
  const reading = readLine(classification, context);
  const files = isTyped && reading.isListing ? { paths: [], isWhole: true } : filesOf(reading, context, facts);
  const sources = [
    ...[...reading.connections].map((name) => toSource('network', name)),
    ...reading.unknown.map((name) => toSource('command', name)),
    ...files.paths.map((path) => toSource('file', path)),
    ...(files.isWhole ? [] : [MORE]),
  ];
  const isFilled = reading.connections.size > 0;
  const written = isFilled || wasTainted ? writtenBy(reading, context, facts, { isFilled }) : [];
  return { sources: boundSources(distinct(sources)), written };
}

/** The files with untrusted content that a line may have read. A word counts as a path only if the path exists. */
function filesOf(
  reading: LineReading,
  context: ReadContext,
  facts: FileFacts,
): { readonly paths: readonly string[]; readonly isWhole: boolean } {
  const readsAround = [...reading.readsAround];
  const matched = [...reading.globs].map((glob) => facts.matches(glob));
  const read = [...new Set([...reading.reads, ...matched.flatMap((one) => one ?? [])])];
  const named = read.flatMap((path) => (facts.exists(path) ? (ofOthers(path, context, facts) ?? []) : []));
  const known = readsAround.flatMap((folder) => othersBelow(folder, context.paths) ?? []);
  const outside = readsAround.filter((folder) => isOutside(folder, context));
  const there = [...reading.reads].filter((path) => facts.exists(path));
  const roots = there.length > 0 ? there : readsAround;
  const walked = reading.tree === 'none' ? [] : rootsOf(reading, there).map((folder) => facts.strangersBelow(folder));
  const found = walked.flatMap((one) => strangersIn(one, reading, context, facts));
  const fetched = reading.isDeep
    ? roots.flatMap((folder) => DEPENDENCIES.map((name) => `${folder}/${name}`)).filter((path) => facts.exists(path))
    : [];
  const isBroad = !reading.isListing && (reading.isDeep || reading.showsHistory || reading.tree !== 'none');
  const gone = [...reading.patterns, ...(isBroad ? [...roots, ...(reading.tree === 'follows' ? readsAround : [])] : [])];
  const older = gone.flatMap((folder) => othersBelow(folder, context.older ?? []) ?? []);
  const isWhole = !matched.includes(null) && !walked.includes(null);
  return { paths: [...new Set([...named, ...known, ...outside, ...fetched, ...found, ...older])], isWhole };
}

/** The files, by real path, with possibly untrusted content. An image is classified by its place, like a text. */
export function sourcesOfFiles(paths: readonly string[], context: ReadContext, facts: FileFacts): readonly TaintSource[] {
  return paths.flatMap((path) => ofOthers(path, context, facts) ?? []).map((path) => toSource('file', path));
}

/** The start folders of a recursion: words from an input may lie anywhere in them. */
function rootsOf({ readsAround, tree }: LineReading, there: readonly string[]): readonly string[] {
  const named = there.length > 0 ? there : [...readsAround];
  return tree === 'follows' ? [...new Set([...named, ...readsAround])] : named;
}

/** The real path of a file with possibly untrusted content; null for any other. */
function ofOthers(path: string, context: ReadContext, facts: FileFacts): string | null {
  const real = facts.real(path);
  if (holdsOthers(real, context)) return real;
  return isBelow(real, context.project) && facts.isShared(real) ? real : null;
}

/** Entries below a folder that a recursion reads. Fetched folders count if the recursion enters them. */
function strangersIn(below: Strangers | null, { tree, isDeep }: LineReading, context: ReadContext, facts: FileFacts): readonly string[] {
  if (below === null) return [];
  const links = tree === 'follows' ? below.links : [];
  const others = [...links, ...below.shared].flatMap((path) => ofOthers(path, context, facts) ?? []);
  return [...others, ...(isDeep ? below.fetched : [])];
}

function writtenBy(
  reading: LineReading,
  context: ReadContext,
  facts: FileFacts,
  { isFilled }: { readonly isFilled: boolean },
): readonly string[] {
  if (!isProject(context)) return [];
  if (reading.classification.class === 'read-only' && !isFilled) return [];
  const { cwd, project } = context;
  const fills = reading.commands.filter((command) => fillsFolder(command, isFilled));
  // Most of what git brings back was there before.
  if (fills.some((command) => programOf(command)?.fillsKept !== '')) return [project];
  const byAddress = isFilled ? addressesOf(reading).map((name) => `${cwd}/${name}`) : [];
  const named = [...reading.paths, ...byAddress];
  const packed = reading.commands.some(packs) ? named.flatMap((path) => SUFFIXES.map((suffix) => renamed(path, suffix))) : [];
  return [
    ...(fills.length > 0 ? [project] : []),
    ...[...new Set([...named, ...packed])].filter(
      (path) => isBelow(path, project) && path !== project && path !== cwd && facts.exists(path),
    ),
  ];
}

/** A packer names its result after what it packed or unpacked. */
const SUFFIXES = ['.gz', '.bz2', '.xz', '.zst', '.lz4', '.lzma', '.Z'];

function renamed(path: string, suffix: string): string {
  return path.endsWith(suffix) ? path.slice(0, -suffix.length) : path + suffix;
}

function packs(command: string): boolean {
  return programOf(command)?.unpacks !== undefined;
}

function programOf(command: string): ReturnType<typeof findProgram> {
  return findProgram(command.split(' ')[0] ?? '');
}

/** Whether a command creates files, with unnamed paths, from fetched or archived data. */
function fillsFolder(command: string, isFilled: boolean): boolean {
  const [, verb = ''] = command.split(' ');
  const { fillsKept, fillsFetched } = programOf(command) ?? {};
  return [fillsKept, isFilled ? fillsFetched : undefined].some((verbs) => verbs === '' || verbs?.split(' ').includes(verb));
}

/** Default file names for fetched data. */
function addressesOf({ classification }: LineReading): readonly string[] {
  const words = classification.parts.flatMap((part) => part.words.flatMap((word) => word ?? []));
  return words.flatMap((word) => {
    if (!/^[\w+.-]+:/.test(word)) return [];
    const name =
      word
        .replace(/[?#].*$/s, '')
        .split(/[/:]/)
        .at(-1) ?? '';
    return name === '' ? ['index.html'] : [name.replace(/\.git$/, '')];
  });
}

function distinct(sources: readonly TaintSource[]): readonly TaintSource[] {
  return sources.filter((one, at) => sources.findIndex(({ kind, name }) => kind === one.kind && name === one.name) === at);
}

/** Project folders with third-party content, which are filled from the network. */
const FETCHED_FOLDERS: ReadonlySet<string> = new Set(
  `node_modules bower_components jspm_packages vendor third_party
  third-party site-packages venv .venv .tox .nox .cargo .gradle .m2 .bundle .npm .yarn .pnpm-store pods carthage
  deps .terraform`.split(/\s+/),
);

/** Folders that only the superuser fills, with parts of the system. Logs, queues and devices are not among them. */
const SYSTEM = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/boot', '/opt', '/nix/store'];
const TOLD_BY_THE_KERNEL = /^\/(?:proc\/(?:[a-z_]+$|sys(?:\/|$)|net(?:\/|$))|sys(?:\/|$))/;

/** The facts needed to find the origin of text in a place. */
interface TaintContext extends PathContext {
  /** Project files and folders with untrusted content. */
  readonly paths: readonly string[];
  /** Project files with such content from an earlier session, which counts only if they are read. */
  readonly older?: readonly string[];
}

/** Whether a folder is filled from the network, by its name. */
export function isFetchedFolder(name: string): boolean {
  return FETCHED_FOLDERS.has(name.toLowerCase());
}

/** Whether a folder is a separate project. A folder that contains the home directory, or everything, is not. */
export function isProject({ project, home }: PathContext): boolean {
  return project !== '/' && !isBelow(home, project);
}

/** Whether a path is outside the project and the system. */
export function isOutside(path: string, context: PathContext): boolean {
  if (isSystem(path) || (isProject(context) && isBelow(path, context.project))) return false;
  const { zone } = locate(path, null, context);
  return zone !== 'null' && zone !== 'stream';
}

/** Whether the content of a path may be untrusted: it is outside, was fetched, or was written after untrusted content was read. */
function holdsOthers(path: string, context: TaintContext): boolean {
  if (isOutside(path, context)) return true;
  if (!isProject(context) || !isBelow(path, context.project)) return false;
  const folders = path.slice(context.project.length).toLowerCase().split('/');
  const written = [...context.paths, ...(context.older ?? [])];
  return folders.some((name) => FETCHED_FOLDERS.has(name)) || written.some((one) => isBelow(path, one));
}

/** A path with untrusted content below a folder, or above it; null if there is none. */
function othersBelow(folder: string, paths: readonly string[]): string | null {
  return paths.find((one) => isBelow(one, folder) || isBelow(folder, one)) ?? null;
}

function isSystem(path: string): boolean {
  return path === '/' || SYSTEM.some((folder) => isBelow(path, folder)) || TOLD_BY_THE_KERNEL.test(path);
}

interface Ended {
  readonly exit: number | null;
  readonly output: string;
}

/** curl could not resolve a name, or could not connect. */
const NOT_REACHED: ReadonlySet<number> = new Set([5, 6, 7]);
const LONGEST = 512;

/** Options of curl with a value that has no influence on the connection. */
const WITH_VALUE = joinedRegExp(
  '',
  '^(?:-[a-zA-Z]*[AHXbdemouw]|--(?:connect-timeout|cookie|data|data-binary|data-raw|header|max-time|output',
  '|referer|request|retry|user|user-agent|write-out))$',
);

/**
 * Whether a fetch never reached the other machine, so that nothing was read from it. It must be a single plain curl call for one address,
 * and its output must be empty, or contain no other name than the line does.
 */
export function reachedNobody(line: Pick<Classification, 'parts' | 'trace'>, { exit, output }: Ended): boolean {
  if (exit === null || !NOT_REACHED.has(exit) || output.length > LONGEST) return false;
  const [program, ...words] = plainWords(line) ?? [];
  const address = program === 'curl' ? onlyAddress(words) : null;
  const host = address === null ? null : hostOf(address);
  return host !== null && output.split('\n').every((row) => saysNoMore(row.trim(), host));
}

/** The words of a line that is a single command; null for any other. */
function plainWords({ parts, trace }: Pick<Classification, 'parts' | 'trace'>): readonly string[] | null {
  const [call, ...more] = trace;
  if (call?.type !== 'call' || more.length > 0 || parts.length !== 1 || parts[0]?.plain !== true) return null;
  const words = call.words.flatMap(({ value }) => value ?? []);
  return words.length === call.words.length ? [call.name, ...words] : null;
}

/** The only word that is neither an option nor its value; null if there may be several. */
function onlyAddress(words: readonly string[]): string | null {
  // A configuration file, a further call after `--next`, and patterns may add addresses.
  if (words.some((word) => /^(?:-[a-zA-Z]*K|--(?:config|next|url)|-[a-zA-Z]*:)/.test(word))) return null;
  const found = words.filter((word, at) => !word.startsWith('-') && !WITH_VALUE.test(words[at - 1] ?? ''));
  const [address = ''] = found;
  return found.length === 1 && !/[[\]{}]/.test(address) ? address : null;
}

function hostOf(address: string): string | null {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#\s]*@)?([\w.-]+)(?::\d+)?(?:[/?#]|$)/i.exec(address)?.[1] ?? null;
}

/** curl's messages about an unreachable machine. */
const UNREACHED = joinedRegExp(
  '',
  String.raw`^curl: \(7\) Failed to connect to HOST port \d+(?: after \d+ ms)?: (?:Couldn't connect to server`,
  '|Could not connect to server|Connection refused|No route to host)$',
);

function saysNoMore(row: string, host: string): boolean {
  const told = row.replace(host, 'HOST');
  return row === '' || /^curl: \(6\) Could not resolve host: HOST$/.test(told) || UNREACHED.test(told);
}

/** A place in another session is as untrusted as the content that its model had read. */
export function sourcesOfPlace(record: CommandRecord | null): readonly TaintSource[] {
  const { session, untrusted } = record?.recalled ?? {};
  return session === undefined || untrusted === undefined ? [] : [toSource('input', `session ${session}`)];
}
