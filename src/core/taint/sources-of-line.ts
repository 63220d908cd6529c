import type { TaintSource } from '../../protocol/tool.ts';
import { isBelow, locate, type PathContext } from '../commands/place.ts';
import { findProgram } from '../commands/programs/find-program.ts';
import type { Classification } from '../commands/verdict.ts';
import type { LineContext } from '../policy/classify-line.ts';
import { boundSources, MORE, toSource } from '../session/taint-state.ts';
import { type LineReading, readLine } from './read-line.ts';

/** What only the file system can tell. */
export interface FileFacts {
  exists(path: string): boolean;
  /** Where a path really leads; the path itself where that cannot be told. */
  real(path: string): string;
  /** It is a file that has other names as well, wherever these stand. */
  isShared(path: string): boolean;
  /** What a pattern may stand for, as absolute paths; null where that is more than can be gone through. */
  matches(pattern: string): readonly string[] | null;
  /**
   * What lies below a folder and comes from elsewhere, or may: links, files with other names, folders that are fetched; null for too much.
   */
  strangersBelow(folder: string): Strangers | null;
}

/** What comes from elsewhere below a folder. */
export interface Strangers {
  /** Symbolic links. */
  readonly links: readonly string[];
  /** Files that have other names as well. */
  readonly shared: readonly string[];
  /** Folders that hold what was fetched, and that were not gone into. */
  readonly fetched: readonly string[];
}

/** Where a line runs, and what is known of the text there. */
export type ReadContext = LineContext & Pick<TaintContext, 'paths' | 'older'>;

/** Where the text that a command printed comes from, and which files of the project hold untrusted content by it. */
interface LineTaint {
  readonly sources: readonly TaintSource[];
  readonly written: readonly string[];
}

const DEPENDENCIES = ['node_modules', 'vendor', 'venv', '.venv', 'third_party'];

/**
 * Classifies where the output of a line comes from. `wasHeard`: its driver had read untrusted content, so what it writes may say that
 * again. `isTyped`: the user ran it, and chose the folder that it lists: names of files that a user lists are no untrusted content.
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
    ...reading.connections.map((name) => toSource('network', name)),
    ...reading.unknown.map((name) => toSource('command', name)),
    ...files.paths.map((path) => toSource('file', path)),
    ...(files.isWhole ? [] : [MORE]),
  ];
  const isFilled = reading.connections.length > 0;
  const written = isFilled || wasTainted ? writtenBy(reading, context, facts, { isFilled }) : [];
  return { sources: boundSources(distinct(sources)), written };
}

/** The files with untrusted content that a line may have read. A word is a path where there is such a place: a pattern of grep is none. */
function filesOf(
  reading: LineReading,
  context: ReadContext,
  facts: FileFacts,
): { readonly paths: readonly string[]; readonly isWhole: boolean } {
  const matched = reading.globs.map((glob) => facts.matches(glob));
  const read = [...new Set([...reading.reads, ...matched.flatMap((one) => one ?? [])])];
  const named = read.flatMap((path) => (facts.exists(path) ? (ofOthers(path, context, facts) ?? []) : []));
  const known = reading.readsAround.flatMap((folder) => othersBelow(folder, context.paths) ?? []);
  const outside = reading.readsAround.filter((folder) => isOutside(folder, context));
  const there = reading.reads.filter((path) => facts.exists(path));
  const roots = there.length > 0 ? there : reading.readsAround;
  const walked = reading.tree === 'none' ? [] : rootsOf(reading, there).map((folder) => facts.strangersBelow(folder));
  const found = walked.flatMap((one) => strangersIn(one, reading, context, facts));
  const fetched = reading.isDeep
    ? roots.flatMap((folder) => DEPENDENCIES.map((name) => `${folder}/${name}`)).filter((path) => facts.exists(path))
    : [];
  const isBroad = !reading.isListing && (reading.isDeep || reading.showsHistory || reading.tree !== 'none');
  const gone = [...reading.patterns, ...(isBroad ? [...roots, ...(reading.tree === 'follows' ? reading.readsAround : [])] : [])];
  const older = gone.flatMap((folder) => othersBelow(folder, context.older ?? []) ?? []);
  const isWhole = !matched.includes(null) && !walked.includes(null);
  return { paths: [...new Set([...named, ...known, ...outside, ...fetched, ...found, ...older])], isWhole };
}

/**
 * Those of some files, by their real paths, whose content is untrusted content or may be: an image is classified by its place as a text is.
 */
export function sourcesOfFiles(paths: readonly string[], context: ReadContext, facts: FileFacts): readonly TaintSource[] {
  return paths.flatMap((path) => ofOthers(path, context, facts) ?? []).map((path) => toSource('file', path));
}

/** Where a walk begins: words that are handed on lie around. */
function rootsOf({ readsAround, tree }: LineReading, there: readonly string[]): readonly string[] {
  const named = there.length > 0 ? there : readsAround;
  return tree === 'follows' ? [...new Set([...named, ...readsAround])] : named;
}

/** The real path of a file that holds untrusted content, or may; null for none. */
function ofOthers(path: string, context: ReadContext, facts: FileFacts): string | null {
  const real = facts.real(path);
  if (holdsOthers(real, context)) return real;
  return isBelow(real, context.project) && facts.isShared(real) ? real : null;
}

/** Those below a folder that were read by going down. What was fetched counts where it is gone into. */
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
  if (reading.commands.some((command) => fillsFolder(command, isFilled))) return [project];
  const fetched = reading.paths.length === 0 ? [] : reading.paths;
  const byAddress = isFilled ? addressesOf(reading).map((name) => `${cwd}/${name}`) : [];
  return [...new Set([...fetched, ...byAddress])].filter(
    (path) => isBelow(path, project) && path !== project && path !== cwd && facts.exists(path),
  );
}

/** Whether a command makes files of what it has kept or fetched, whose names no word says. */
function fillsFolder(command: string, isFilled: boolean): boolean {
  const [program = '', verb = ''] = command.split(' ');
  const { fillsKept, fillsFetched } = findProgram(program) ?? {};
  return [fillsKept, isFilled ? fillsFetched : undefined].some((verbs) => verbs === '' || verbs?.split(' ').includes(verb));
}

/** The names under which programs keep what they fetch, where they are told none. */
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

/** Folders of a project that hold what others wrote: they are filled from the network. */
const FETCHED_FOLDERS: ReadonlySet<string> = new Set(
  `node_modules bower_components jspm_packages vendor third_party
  third-party site-packages venv .venv .tox .nox .cargo .gradle .m2 .bundle .npm .yarn .pnpm-store pods carthage
  deps .terraform`.split(/\s+/),
);

/** Folders that only the superuser fills, with what the user's system is made of. Logs, queues and devices are no part of that. */
const SYSTEM = ['/usr', '/etc', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/boot', '/opt', '/nix/store'];
const TOLD_BY_THE_KERNEL = /^\/(?:proc\/(?:[a-z_]+$|sys(?:\/|$)|net(?:\/|$))|sys(?:\/|$))/;

/** What one needs to know of a place to tell whose text stands there. */
interface TaintContext extends PathContext {
  /** Files and folders of the project that hold untrusted content. */
  readonly paths: readonly string[];
  /** Files of the project that hold such text since an earlier session: only who reads them reads it. */
  readonly older?: readonly string[];
}

/** True for the name of a folder that is filled from the network. */
export function isFetchedFolder(name: string): boolean {
  return FETCHED_FOLDERS.has(name.toLowerCase());
}

/** True where a folder is a project of its own: one that holds the home directory, or everything, holds whatever was ever saved. */
export function isProject({ project, home }: PathContext): boolean {
  return project !== '/' && !isBelow(home, project);
}

/** True for what lies neither in the project nor in the system. */
export function isOutside(path: string, context: PathContext): boolean {
  if (isSystem(path) || (isProject(context) && isBelow(path, context.project))) return false;
  const { zone } = locate(path, null, context);
  return zone !== 'null' && zone !== 'stream';
}

/** True for what the text at a path may be of others: it lies outside, was fetched, or was written after such a text was read. */
function holdsOthers(path: string, context: TaintContext): boolean {
  if (isOutside(path, context)) return true;
  if (!isProject(context) || !isBelow(path, context.project)) return false;
  const folders = path.slice(context.project.length).toLowerCase().split('/');
  const written = [...context.paths, ...(context.older ?? [])];
  return folders.some((name) => FETCHED_FOLDERS.has(name)) || written.some((one) => isBelow(path, one));
}

/** One of some paths with untrusted content that is below a folder, or around it; null for none. */
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

/** curl could not resolve a name, or not connect. */
const NOT_REACHED: ReadonlySet<number> = new Set([5, 6, 7]);
const LONGEST = 512;

/** Options of curl that take the word behind them, and say nothing of where it connects. */
const WITH_VALUE = new RegExp(
  [
    '^(?:-[a-zA-Z]*[AHXbdemouw]|--(?:connect-timeout|cookie|data|data-binary|data-raw|header|max-time|output',
    '|referer|request|retry|user|user-agent|write-out))$',
  ].join(''),
);

/**
 * True for a fetch that never reached the other machine: nothing of it was read. It has to be one plain call of curl for one
 * address, and what it printed must be nothing, or words that hold no more than the name that the line itself has.
 */
export function reachedNobody(line: Pick<Classification, 'parts' | 'trace'>, { exit, output }: Ended): boolean {
  if (exit === null || !NOT_REACHED.has(exit) || output.length > LONGEST) return false;
  const [program, ...words] = plainWords(line) ?? [];
  const address = program === 'curl' ? onlyAddress(words) : null;
  const host = address === null ? null : hostOf(address);
  return host !== null && output.split('\n').every((row) => saysNoMore(row.trim(), host));
}

/** The words of a line that is one command and nothing else; null for any other. */
function plainWords({ parts, trace }: Pick<Classification, 'parts' | 'trace'>): readonly string[] | null {
  const [call, ...more] = trace;
  if (call?.type !== 'call' || more.length > 0 || parts.length !== 1 || parts[0]?.plain !== true) return null;
  const words = call.words.flatMap(({ value }) => value ?? []);
  return words.length === call.words.length ? [call.name, ...words] : null;
}

/** The one word that is no option and belongs to none; null where there are more, or may be. */
function onlyAddress(words: readonly string[]): string | null {
  // A configuration, another call behind `--next` and patterns may stand for more addresses.
  if (words.some((word) => /^(?:-[a-zA-Z]*K|--(?:config|next|url)|-[a-zA-Z]*:)/.test(word))) return null;
  const found = words.filter((word, at) => !word.startsWith('-') && !WITH_VALUE.test(words[at - 1] ?? ''));
  const [address = ''] = found;
  return found.length === 1 && !/[[\]{}]/.test(address) ? address : null;
}

function hostOf(address: string): string | null {
  return /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/?#\s]*@)?([\w.-]+)(?::\d+)?(?:[/?#]|$)/i.exec(address)?.[1] ?? null;
}

/** What curl says of a machine that cannot be reached. */
const UNREACHED = new RegExp(
  [
    String.raw`^curl: \(7\) Failed to connect to HOST port \d+(?: after \d+ ms)?: (?:Couldn't connect to server`,
    '|Could not connect to server|Connection refused|No route to host)$',
  ].join(''),
);

function saysNoMore(row: string, host: string): boolean {
  const told = row.replace(host, 'HOST');
  return row === '' || /^curl: \(6\) Could not resolve host: HOST$/.test(told) || UNREACHED.test(told);
}
