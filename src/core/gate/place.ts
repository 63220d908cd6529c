import { mayMatch } from './glob.ts';
import type { OwnGround } from './own-ground.ts';
import { GUARDED_FOLDERS, GUARDED_NAMES, SYSTEM_FOLDERS } from './protected-paths.ts';
import {
  SECRET_EXCEPTIONS,
  SECRET_FOLDERS,
  SECRET_NAMES,
  SETTINGS_WITH_SECRETS,
  TELLING_SAMPLES,
  tellsOfSecret,
} from './secret-paths.ts';

/** Where the line runs, as absolute paths without a slash at the end. */
export interface Ground {
  readonly project: string;
  readonly home: string;
  /** What belongs to the program itself, where that is known. */
  readonly ours?: OwnGround;
}

/** What a path means to the gate. */
export interface Place {
  /** Absolute and normalised; null where it is not known. */
  readonly path: string | null;
  readonly zone:
    | 'project'
    | 'temporary'
    | 'home'
    | 'system'
    | 'outside'
    | 'null'
    | 'stream'
    | 'disk'
    | 'connection'
    | 'unknown';
  /** It is, holds or spans the whole of the project, the home directory or the file system. */
  readonly isWhole: boolean;
  /** What stands there may be a secret. */
  readonly isSecret: boolean;
  /** What stands there acts later, or governs what may run. */
  readonly isGuarded: boolean;
}

const UNKNOWN: Place = { path: null, zone: 'unknown', isWhole: false, isSecret: false, isGuarded: false };
const STREAMS = /^\/dev\/(stdin|stdout|stderr|tty|fd\/\d+|pts\/\d+)$|^\/proc\/self\/fd\/\d+$/;
const DISKS = /^\/dev\/(sd|hd|vd|xvd|nvme|mmcblk|dm-|md|mapper\/|disk\/|loop|mem$|kmem$|port$)/;

/** Finds out what a path is. The path may hold glob characters; `cwd` is null when a `cd` went somewhere unknown. */
export function locate(written: string, cwd: string | null, ground: Ground, isGlob = false): Place {
  if (written === '') return UNKNOWN;
  const absolute = written.startsWith('/') ? written : cwd === null ? null : `${cwd}/${written}`;
  if (absolute === null) return { ...UNKNOWN, ...protection(`/${written}`, ground, isGlob) };
  const path = normalize(absolute);
  const climbs = /(^|\/)\.\.(\/|$)/.test(written);
  return {
    path,
    zone: zoneOf(path, ground, climbs),
    isWhole: isWhole(path, ground, isGlob),
    ...protection(path, ground, isGlob),
  };
}

/** A path without `.`, `..` and doubled slashes, as far as the text alone tells. */
export function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return `/${parts.join('/')}`;
}

function zoneOf(path: string, ground: Ground, climbs: boolean): Place['zone'] {
  if (path === '/dev/null') return 'null';
  if (path === '/dev/zero' || path === '/dev/full' || path === '/dev/random' || path === '/dev/urandom') return 'null';
  if (STREAMS.test(path)) return 'stream';
  if (path.startsWith('/dev/tcp/') || path.startsWith('/dev/udp/')) return 'connection';
  if (DISKS.test(path)) return 'disk';
  if (!climbs && isBelow(path, ground.project)) return 'project';
  if (!climbs && isBelow(path, '/tmp') && path !== '/tmp') return 'temporary';
  if (isBelow(path, ground.home)) return 'home';
  return SYSTEM_FOLDERS.some((folder) => isBelow(path, folder)) || path === '/' ? 'system' : 'outside';
}

/** A glob that takes everything of a folder stands for the folder. */
function isWhole(path: string, { project, home }: Ground, isGlob: boolean): boolean {
  const spanned = isGlob ? path.replace(/\/(\.?\*+|\.\[!?.*\]\*|\.\?\?*\*?|\{[^/]*\})$/, '') || '/' : path;
  return [project, home, '/'].some((whole) => isBelow(whole, spanned)) || spanned === '/tmp';
}

function isBelow(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

/** A list of names, or of folders, sorted by how it is asked. */
interface NameList {
  readonly plain: ReadonlySet<string>;
  readonly patterns: readonly string[];
  /** What a typed pattern is held against: a star of the list stands for one letter. */
  readonly samples: readonly string[];
}

interface FolderList {
  /** Below the home directory, from the root, and wherever they stand. */
  readonly home: readonly (readonly string[])[];
  readonly root: readonly (readonly string[])[];
  readonly anywhere: readonly (readonly string[])[];
}

function sortNames(names: readonly string[]): NameList {
  return {
    plain: new Set(names.filter((name) => !name.includes('*'))),
    patterns: names.filter((name) => name.includes('*')),
    samples: names.map((name) => name.replaceAll('*', 'x')),
  };
}

/** Paths are compared in small letters. */
function sortFolders(listed: readonly string[]): FolderList {
  const folders = listed.map((folder) => folder.toLowerCase());
  const isRelative = (folder: string) => !folder.startsWith('/') && !folder.startsWith('~/');
  return {
    home: folders.filter((one) => one.startsWith('~/')).map((one) => one.slice(2).split('/')),
    root: folders.filter((one) => one.startsWith('/')).map((one) => one.slice(1).split('/')),
    anywhere: folders.filter(isRelative).map((one) => one.split('/')),
  };
}

const SECRETS = { names: sortNames([...SECRET_NAMES, ...SETTINGS_WITH_SECRETS]), folders: sortFolders(SECRET_FOLDERS) };
const GUARDED = { names: sortNames(GUARDED_NAMES), folders: sortFolders(GUARDED_FOLDERS) };

/** File systems that fold letter case make `.GIT` the same as `.git`. */
function protection(path: string, { home }: Ground, isGlob: boolean): Pick<Place, 'isSecret' | 'isGuarded'> {
  const folded = path.toLowerCase();
  const parts = folded.slice(1).split('/');
  const homeParts = home.toLowerCase().slice(1).split('/');
  const isListed = ({ names, folders }: typeof SECRETS) =>
    matchesName(parts.at(-1) ?? '', names, isGlob) || liesBelow(parts, homeParts, folders, isGlob);
  const isKept = isListed(SECRETS) || isToldInHome(parts, homeParts, isGlob);
  const isSecret = isKept && !(!isGlob && isExcepted(parts.at(-1) ?? ''));
  return { isSecret, isGuarded: isListed(GUARDED) };
}

/** What programs keep in their folders of the home directory, or in dot files there, is told by its name. */
function isToldInHome(parts: readonly string[], home: readonly string[], isGlob: boolean): boolean {
  const name = parts.at(-1) ?? '';
  if (parts[home.length]?.startsWith('.') !== true || !home.every((part, at) => parts[at] === part)) return false;
  return tellsOfSecret(name) || (isGlob && name !== '*' && TELLING_SAMPLES.some((sample) => mayMatch(name, sample)));
}

function isExcepted(name: string): boolean {
  return SECRET_EXCEPTIONS.some((pattern) => mayMatch(pattern, name));
}

/** A name of the list may itself be a pattern; a glob that was typed is asked whether it could become that name. */
function matchesName(name: string, { plain, patterns, samples }: NameList, isGlob: boolean): boolean {
  if (plain.has(name) || patterns.some((pattern) => mayMatch(pattern, name))) return true;
  return isGlob && name !== '*' && samples.some((sample) => mayMatch(name, sample));
}

function liesBelow(parts: readonly string[], home: readonly string[], folders: FolderList, isGlob: boolean): boolean {
  const inHome = coversParts(parts, home, 0, isGlob);
  return (
    (inHome && folders.home.some((wanted) => coversParts(parts, wanted, home.length, isGlob))) ||
    folders.root.some((wanted) => coversParts(parts, wanted, 0, isGlob)) ||
    folders.anywhere.some((wanted) => parts.some((_, at) => coversParts(parts, wanted, at, isGlob)))
  );
}

function coversParts(parts: readonly string[], wanted: readonly string[], from: number, isGlob: boolean): boolean {
  return wanted.every((want, at) => {
    const part = parts[from + at];
    if (part === undefined) return false;
    if (part === want || (want.includes('*') && mayMatch(want, part))) return true;
    return isGlob && part.startsWith('.') === want.startsWith('.') && mayMatch(part, want.replaceAll('*', 'x'));
  });
}
