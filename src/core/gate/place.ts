import { mayMatch } from './glob.ts';
import {
  GUARDED_FOLDERS,
  GUARDED_NAMES,
  SECRET_EXCEPTIONS,
  SECRET_FOLDERS,
  SECRET_NAMES,
  SYSTEM_FOLDERS,
} from './protected-paths.ts';

/** Where the line runs, as absolute paths without a slash at the end. */
export interface Ground {
  readonly project: string;
  readonly home: string;
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

/** File systems that fold letter case make `.GIT` the same as `.git`. */
function protection(path: string, { home }: Ground, isGlob: boolean): Pick<Place, 'isSecret' | 'isGuarded'> {
  const folded = path.toLowerCase();
  const name = folded.slice(folded.lastIndexOf('/') + 1);
  const isNamed = (names: readonly string[]) => names.some((one) => matchesName(name, one, isGlob));
  const below = (folders: readonly string[]) =>
    folders.some((one) => holdsFolder(folded, one, home.toLowerCase(), isGlob));
  const isSecret = (isNamed(SECRET_NAMES) || below(SECRET_FOLDERS)) && !(!isGlob && isExcepted(name));
  return { isSecret, isGuarded: isNamed(GUARDED_NAMES) || below(GUARDED_FOLDERS) };
}

function isExcepted(name: string): boolean {
  return SECRET_EXCEPTIONS.some((pattern) => mayMatch(pattern, name));
}

/** A name of the list may itself be a pattern; a glob that was typed is asked whether it could become that name. */
function matchesName(name: string, listed: string, isGlob: boolean): boolean {
  if (mayMatch(listed, name)) return true;
  if (!isGlob || name === '*') return false;
  return mayMatch(name, listed.replaceAll('*', 'x'));
}

/** `~/x` stands for the folder in the home directory; a name without a slash before it for one anywhere. */
function holdsFolder(path: string, listed: string, home: string, isGlob: boolean): boolean {
  const parts = path.split('/');
  if (listed.startsWith('~/')) return coversParts(parts, `${home}/${listed.slice(2)}`.split('/'), 0, isGlob);
  const wanted = listed.split('/');
  if (listed.startsWith('/')) return coversParts(parts, wanted, 0, isGlob);
  return parts.some((_, at) => coversParts(parts, wanted, at, isGlob));
}

function coversParts(parts: readonly string[], wanted: readonly string[], from: number, isGlob: boolean): boolean {
  return wanted.every((want, at) => {
    const part = parts[from + at];
    if (part === undefined) return false;
    return (
      mayMatch(want, part) ||
      (isGlob && part.startsWith('.') === want.startsWith('.') && mayMatch(part, want.replaceAll('*', 'x')))
    );
  });
}
