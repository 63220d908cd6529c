import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import { AishError } from '../../protocol/error.ts';
import {
  failedFolder,
  NO_FOLDER,
  noFolder,
  OPEN_TO_OTHERS,
  OTHER_OWNER,
  relativeHome,
  unsafeFolder,
} from './messages.ts';

/** The environment as data. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The variables that are set, as another process gets them. */
export function definedOf(env: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The folders of aish, which may not exist yet. */
export interface Paths {
  readonly config: string;
  readonly state: string;
  readonly cache: string;
}

/** The folders by the XDG specification. A relative value is ignored; a relative home would lie in each directory. */
export function toPaths(env: Environment): Paths {
  return {
    config: join(baseFolder(env, 'XDG_CONFIG_HOME', '.config'), 'aish'),
    state: join(baseFolder(env, 'XDG_STATE_HOME', '.local/state'), 'aish'),
    cache: join(baseFolder(env, 'XDG_CACHE_HOME', '.cache'), 'aish'),
  };
}

/** The home of the user. Mostly the environment names it, and a start need not load `node:os`. */
export function homeOf({ HOME }: Environment): string {
  return HOME || process.getBuiltinModule('node:os').homedir();
}

function baseFolder(env: Environment, variable: string, underHome: string): string {
  const value = env[variable];
  if (value !== undefined && isAbsolute(value)) return value;
  const home = homeOf(env);
  if (!isAbsolute(home)) throw relativeHome(home);
  return join(home, underHome);
}

/** The folders from the root of the work tree around a directory down to it; null outside of a work tree. */
export function projectFolders(cwd: string): readonly string[] | null {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (existsSync(join(folder, '.git'))) return folders;
    if (dirname(folder) === folder) return null;
  }
}

/** The work tree around a directory, else the directory. One that holds the home directory, or all there is, is nobody's project. */
export function projectAround(cwd: string, home: string): string {
  const root = projectFolders(cwd)?.[0];
  return root === undefined || root === '/' || home.startsWith(`${root}/`) ? cwd : root;
}

/*
 * The folder for sockets, pipes and files of this login. In `XDG_RUNTIME_DIR` only its owner makes names. Without that variable the folder
 * is below the state folder and not under a name in `/tmp`, which any other user could take first, so that nothing would run any more. A
 * socket's address holds about a hundred bytes. If the state folder's path is too long for that, the folder gets an unpredictable name in
 * the temporary directory, and a link below the state folder leads every aish of this user to it.
 */

/** Longest folder path that leaves room for the name of a socket: an ID, `.sock` and a random end. */
const LONGEST = 103 - '/123456789012.sock.12345678'.length;

/** Makes the folder if it is missing and returns its path. Throws if it is not private. */
export function openRuntimeFolder(env: Environment): string {
  const base = runtimeBase(env);
  return base === null ? folderOfState(env) : makePrivate(join(base, 'aish'));
}

/** `XDG_RUNTIME_DIR`, if it is a folder of this user. */
function runtimeBase({ XDG_RUNTIME_DIR: base }: Environment): string | null {
  if (base === undefined || !isAbsolute(base)) return null;
  try {
    const real = realpathSync(base);
    return whyShared(real, { mayBeRead: true }) === null ? real : null;
  } catch {
    return null;
  }
}

function folderOfState(env: Environment): string {
  const path = join(toPaths(env).state, 'run');
  const kept = keptFolder(path);
  if (kept !== null) return kept;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    accessSync(dirname(path), constants.W_OK);
  } catch {
    // A read-only disk must not lock the user out of the shell.
    return ofThisProcess(env, path);
  }
  if (Buffer.byteLength(path) <= LONGEST) return makePrivate(path);
  return trying(path, () => keep(path, mkdtempSync(join(temporaryBase(env), 'aish-'))));
}

/** Without a place for a link, each process uses its own folder and removes it at its end. Taken names are skipped. */
function ofThisProcess(env: Environment, path: string): string {
  const names = Array.from({ length: 10 }, (_, at) => join(temporaryBase(env), `aish-${process.pid}-${at}`));
  const folder = names.find(isOursOrMade);
  if (folder === undefined) throw noFolder(path, temporaryBase(env));
  return folder;
}

function isOursOrMade(folder: string): boolean {
  try {
    if (existsSync(folder)) return whyShared(folder) === null;
    mkdirSync(folder, { mode: 0o700 });
    process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
    return true;
  } catch {
    return false;
  }
}

function temporaryBase({ TMPDIR }: Environment): string {
  return TMPDIR !== undefined && isAbsolute(TMPDIR) ? TMPDIR : process.getBuiltinModule('node:os').tmpdir();
}

/** The private folder to which an earlier aish left a link; null without one. */
function keptFolder(path: string): string | null {
  try {
    const target = readlinkSync(path);
    return isAbsolute(target) && whyShared(target) === null ? target : null;
  } catch {
    return null;
  }
}

/** Makes the link. If another aish was first, all use its folder. */
function keep(path: string, folder: string): string {
  try {
    symlinkSync(folder, path);
    return folder;
  } catch {
    const theirs = keptFolder(path);
    if (theirs !== null) {
      rmSync(folder, { recursive: true, force: true });
      return theirs;
    }
    // Its target is gone, because temporary directories are emptied.
    symlinkSync(folder, `${path}.${process.pid}`);
    renameSync(`${path}.${process.pid}`, path);
    return folder;
  }
}

function makePrivate(path: string): string {
  return trying(path, () => {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const why = whyShared(path);
    if (why === null) return path;
    throw unsafeFolder(path, why);
  });
}

function trying<T>(path: string, make: () => T): T {
  try {
    return make();
  } catch (cause) {
    if (cause instanceof AishError) throw cause;
    throw failedFolder(path, cause);
  }
}

/** Why a folder is not private; null if it is. Throws if it does not exist. */
function whyShared(path: string, { mayBeRead = false }: { readonly mayBeRead?: boolean } = {}): string | null {
  const stat = lstatSync(path);
  if (!stat.isDirectory()) return NO_FOLDER;
  if (stat.uid !== process.getuid?.()) return OTHER_OWNER;
  return !mayBeRead && (stat.mode & 0o077) !== 0 ? OPEN_TO_OTHERS : null;
}
