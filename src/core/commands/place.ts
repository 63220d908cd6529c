import { mayExpandTo, mayMatch } from '../text/glob.ts';
import { once } from '../text/memoize.ts';
import {
  GUARDED_FOLDERS,
  GUARDED_NAMES,
  liesBesideKeys,
  type OwnFiles,
  SECRET_EXCEPTIONS,
  SECRET_FOLDERS,
  SECRET_FOLDERS_ANYWHERE,
  SECRET_NAMES,
  SETTINGS_WITH_SECRETS,
  SYSTEM_FOLDERS,
  TELLING_SAMPLES,
  tellsOfSecret,
} from './protected-files.ts';

/** The surroundings of a line, as absolute paths without a trailing slash. */
export interface PathContext {
  readonly project: string;
  readonly home: string;
  /** The files of aish itself, if known. */
  readonly ours?: OwnFiles;
  /** Values of shell variables, for a classification that decides nothing. */
  readonly variables?: ReadonlyMap<string, string>;
  /** Places found for a line: many of its words name the same path. */
  readonly places?: Map<string, Place>;
}

/** The properties of a path that classification depends on. */
export interface Place {
  /** Absolute and normalised; null if unknown. */
  readonly path: string | null;
  readonly zone: 'project' | 'temporary' | 'home' | 'system' | 'outside' | 'null' | 'stream' | 'disk' | 'connection' | 'unknown';
  /** The path is, contains or spans the whole project, the home directory or the file system. */
  readonly isWhole: boolean;
  /** The path may be a secret. */
  readonly isSecret: boolean;
  /** The path acts later, or controls what may run. */
  readonly isGuarded: boolean;
}

const UNKNOWN: Place = { path: null, zone: 'unknown', isWhole: false, isSecret: false, isGuarded: false };
const STREAMS = /^\/dev\/(stdin|stdout|stderr|tty|fd\/\d+|pts\/\d+)$|^\/proc\/self\/fd\/\d+$/;
const DISKS = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|dm-|md|mapper\/|disk\/|loop|mem$|kmem$|port$)/;

/** Finds the properties of a path. The path may contain glob characters; `cwd` is null after a `cd` to an unknown folder. */
export function locate(written: string, cwd: string | null, context: PathContext, isGlob = false): Place {
  if (written === '') return UNKNOWN;
  const key = `${isGlob ? '*' : ''}${cwd}\0${written}`;
  const known = context.places?.get(key);
  if (known !== undefined) return known;
  const place = findPlace(written, cwd, context, isGlob);
  context.places?.set(key, place);
  return place;
}

function findPlace(written: string, cwd: string | null, context: PathContext, isGlob: boolean): Place {
  const absolute = written.startsWith('/') ? written : cwd === null ? null : `${cwd}/${written}`;
  if (absolute === null) return { ...UNKNOWN, ...protection(`/${written}`, context, isGlob) };
  const path = normalize(absolute);
  const climbs = /(^|\/)\.\.(\/|$)/.test(written);
  return { path, zone: zoneOf(path, context, climbs), isWhole: isWhole(path, context, isGlob), ...protection(path, context, isGlob) };
}

/** A path without `.`, `..` and doubled slashes, as far as the text alone determines it. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

/**
 * The absolute path as typed, if `..` leaves a named folder: if that folder is a link, the system goes up from the link's target, which the
 * text does not show. Null for every other path.
 */
export function climbOf(written: string, cwd: string | null): string | null {
  const absolute = written.startsWith('/') ? written : cwd === null ? null : `${cwd}/${written}`;
  return absolute !== null && /\/\.\.(?:\/|$)/.test(absolute) ? absolute : null;
}

function zoneOf(path: string, context: PathContext, climbs: boolean): Place['zone'] {
  if (path === '/dev/null') return 'null';
  if (path === '/dev/zero' || path === '/dev/full' || path === '/dev/random' || path === '/dev/urandom') return 'null';
  if (STREAMS.test(path)) return 'stream';
  if (path.startsWith('/dev/tcp/') || path.startsWith('/dev/udp/')) return 'connection';
  if (DISKS.test(path)) return 'disk';
  if (!climbs && isBelow(path, context.project)) return 'project';
  if (!climbs && isBelow(path, '/tmp') && path !== '/tmp') return 'temporary';
  if (isBelow(path, context.home)) return 'home';
  return SYSTEM_FOLDERS.some((folder) => isBelow(path, folder)) || path === '/' ? 'system' : 'outside';
}

/** A glob that matches everything in a folder counts as the folder. */
function isWhole(path: string, { project, home }: PathContext, isGlob: boolean): boolean {
  const spanned = isGlob ? path.replace(/\/(\.?\*+|\.\[!?[^/]*\]\*|\.\?\?*\*?|\{[^/]*\})$/, '') || '/' : path;
  return [project, home, '/'].some((whole) => isBelow(whole, spanned)) || spanned === '/tmp';
}

/** Whether a name may match a pattern. */
type Like = (name: string) => boolean;

/** A list of names or folders, sorted for lookup. */
interface NameList {
  readonly plain: ReadonlySet<string>;
  readonly patterns: readonly Like[];
  /** Samples to match a typed pattern against: a star of the list becomes one letter. */
  readonly samples: readonly string[];
}

/** Folders by their parts: all, those that begin with a plain name, and those that begin with a pattern. */
interface Folders {
  readonly all: readonly (readonly string[])[];
  readonly begun: ReadonlyMap<string, readonly (readonly string[])[]>;
  readonly patterns: readonly (readonly string[])[];
}

/** Folders below the home directory, from the root, and anywhere. */
type FolderList = Readonly<Record<'home' | 'root' | 'anywhere', Folders>>;

function sortNames(names: readonly string[]): NameList {
  return {
    plain: new Set(names.filter((name) => !name.includes('*'))),
    patterns: names.filter((name) => name.includes('*')).map(mayMatch),
    samples: names.map((name) => name.replaceAll('*', 'x')),
  };
}

/** Paths are compared in lower case. */
function sortFolders(listed: readonly string[]): FolderList {
  const folders = listed.map((folder) => folder.toLowerCase());
  const isRelative = (folder: string) => !folder.startsWith('/') && !folder.startsWith('~/');
  return {
    home: indexFolders(folders.filter((one) => one.startsWith('~/')).map((one) => one.slice(2))),
    root: indexFolders(folders.filter((one) => one.startsWith('/')).map((one) => one.slice(1))),
    anywhere: indexFolders(folders.filter(isRelative)),
  };
}

function indexFolders(folders: readonly string[]): Folders {
  const all = folders.map((one) => one.split('/'));
  const isPlain = ([first = '']: readonly string[]): boolean => !first.includes('*');
  const begun = new Map<string, (readonly string[])[]>();
  for (const one of all.filter(isPlain)) begun.set(one[0] ?? '', [...(begun.get(one[0] ?? '') ?? []), one]);
  return { all, begun, patterns: all.filter((one) => !isPlain(one)) };
}

/** A word such as `ls ~/.config/app` or `cat /home/ann/.aws/x` is a quoted line, which is classified on its own. */
const HOLDS_PATH = /\s~?\//;

/** The lists, sorted when a path is first looked up: a start that classifies no line needs none. */
const lists = once(() => ({
  secrets: { names: sortNames([...SECRET_NAMES, ...SETTINGS_WITH_SECRETS]), folders: sortFolders(SECRET_FOLDERS) },
  exceptions: SECRET_EXCEPTIONS.map(mayMatch),
  /** A project may contain the dot files of a home directory. */
  copies: sortFolders(SECRET_FOLDERS_ANYWHERE),
  guarded: { names: sortNames(GUARDED_NAMES), folders: sortFolders(GUARDED_FOLDERS) },
}));

/** On file systems that ignore letter case `.GIT` is the same as `.git`. */
function protection(path: string, { home, project }: PathContext, isGlob: boolean): Pick<Place, 'isSecret' | 'isGuarded'> {
  const folded = path.toLowerCase();
  const parts = folded.slice(1).split('/');
  const homeParts = home.toLowerCase().slice(1).split('/');
  const name = parts.at(-1) ?? '';
  const likes = isGlob ? parts.map(mayExpandTo) : [];
  // All files of one kind in the project are no more than all of its files: `*.pem` is itself a kind in the list.
  const isKind = /^\*\.\w+$/.test(name) && isBelow(path, project);
  const { secrets, exceptions, copies, guarded } = lists();
  const isListed = ({ names, folders }: typeof secrets) =>
    matchesName(name, names, isKind && names === secrets.names ? undefined : likes.at(-1)) || liesBelow(parts, homeParts, folders, likes);
  const isCopy = isBelow(path, project) && !HOLDS_PATH.test(path) && liesBelow(parts, homeParts, copies, likes);
  const isKept = isListed(secrets) || isToldInHome(parts, homeParts, likes.at(-1)) || isCopy;
  const isSecret = isKept && (isGlob || !(exceptions.some((matches) => matches(name)) || liesBesideKeys(folded)));
  return { isSecret, isGuarded: isListed(guarded) };
}

/** Whether the name reveals a secret in a program's folder or dot file of the home directory. */
function isToldInHome(parts: readonly string[], home: readonly string[], like: Like | undefined): boolean {
  const name = parts.at(-1) ?? '';
  if (parts[home.length]?.startsWith('.') !== true || !home.every((part, at) => parts[at] === part)) return false;
  return tellsOfSecret(name) || (like !== undefined && name !== '*' && TELLING_SAMPLES.some(like));
}

/** A name of the list may be a pattern; a typed glob matches if it could expand to that name. */
function matchesName(name: string, { plain, patterns, samples }: NameList, like: Like | undefined): boolean {
  if (plain.has(name) || patterns.some((matches) => matches(name))) return true;
  return like !== undefined && name !== '*' && samples.some(like);
}

function liesBelow(parts: readonly string[], home: readonly string[], folders: FolderList, likes: readonly Like[]): boolean {
  return (
    (coversParts(parts, home, 0, likes) && coversAny(parts, folders.home, home.length, likes)) ||
    coversAny(parts, folders.root, 0, likes) ||
    parts.some((_, at) => coversAny(parts, folders.anywhere, at, likes))
  );
}

/** Every part of a path is looked up in hundreds of folders, so folders with another beginning are skipped. */
function coversAny(parts: readonly string[], { all, begun, patterns }: Folders, from: number, likes: readonly Like[]): boolean {
  const covers = (wanted: readonly string[]): boolean => coversParts(parts, wanted, from, likes);
  const first = parts[from] ?? '';
  if (likes.length > 0 && /[*?[]/.test(first)) return all.some(covers);
  return begun.get(first)?.some(covers) === true || patterns.some(covers);
}

function coversParts(parts: readonly string[], wanted: readonly string[], from: number, likes: readonly Like[]): boolean {
  return wanted.every((want, at) => {
    const part = parts[from + at];
    if (part === undefined) return false;
    if (part === want || (want.includes('*') && mayMatch(want)(part))) return true;
    return part.startsWith('.') === want.startsWith('.') && likes[from + at]?.(want.replaceAll('*', 'x')) === true;
  });
}

/** Public folders of the machine: results of a search there may be shown. */
const PUBLIC = /^\/(?:usr|etc|bin|sbin|lib|lib32|lib64|boot|sys|opt|nix|tmp|var\/(?:log|cache|tmp|www))(?:\/|$)/;

/** Whether a search, a pattern or a list would read files that the line does not name, outside the project. */
export function isBeyond(path: string, cwd: string | null, context: PathContext): boolean {
  const place = locate(path, cwd, context);
  if (place.path === null) return true;
  if (place.path === context.project || place.path.startsWith(`${context.project}/`)) return false;
  return !PUBLIC.test(place.path);
}

/** Whether a path is a folder or lies within it. */
export function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** Files in which a declared task finds its commands. */
export const TASK_FILES: readonly string[] = (
  'GNUmakefile Makefile makefile Justfile justfile Rakefile Gemfile package.json Cargo.toml build.rs build.gradle ' +
  'build.gradle.kts build.xml pom.xml setup.py conftest.py noxfile.py'
).split(' ');

/** Whether a file defines what a declared task runs. */
export function isTaskFile(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return TASK_FILES.includes(name) || /^\w+\.config\.[cm]?[jt]s$/.test(name);
}
