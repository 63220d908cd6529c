import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  GUARDED_FOLDERS,
  GUARDED_NAMES,
  isSecretFileName,
  liesInSecretFolder,
  tellsOfSecret,
} from '../../core/commands/protected-files.ts';
import { errorCode } from '../../protocol/error.ts';
import { isClosedAbove, isPrivateFile, mayBePrivate } from '../files/private-files.ts';
import { type FolderState, isStill, lookAtState } from '../system/folder-state.ts';
import { hasSame, keepSame } from './while-unchanged.ts';

/** Secret and governing files of a folder, as absolute paths; a folder that cannot be looked through is as secret as a file. */
export interface Found {
  readonly secret: readonly string[];
  readonly governing: readonly string[];
  /** Pipes: a command that writes to one reaches the program that reads from it outside. */
  readonly pipes: readonly string[];
}

/** The content of one folder, as a look finds it. */
interface Content extends Found {
  readonly folders: readonly string[];
  /** Files of the home that are no secret now, and are one as soon as their mode or their size is another. */
  readonly open: readonly string[];
  /** The folder, or one above it in the home, is closed to others. */
  readonly isClosed: boolean;
}

interface Folder extends Content {
  readonly isAboveClosed: boolean;
  /** Its time of change and its number, as it was read; null where it may have changed within one tick of the clock. */
  readonly state: FolderState | null;
}

/** Folders of a project that are looked through; what lies deeper in a larger one is not hidden. */
const MOST_FOLDERS = 4000;
/** Files whose mode and size are looked at again each time, those nearest to the home first. */
const MOST_OPEN = 2000;
const GUARDED: ReadonlySet<string> = new Set([...GUARDED_NAMES, '.git']);
const GUARDED_HERE: ReadonlySet<string> = new Set(GUARDED_FOLDERS);
const PASSED_OVER: ReadonlySet<string> = new Set(['.git', 'node_modules', '.venv', 'target', '__pycache__']);
/** Bytes of a path that can be laid over in a sandbox: the kernel takes 4096, with what is put before it and the name of an entry. */
const LONGEST_PATH = 3800;
/** Stands for bytes that are no letter. */
const NO_LETTER = '\ufffd';
const NOTHING: Content = { secret: [], governing: [], pipes: [], folders: [], open: [], isClosed: false };

/** The folders of a project with what each holds: a folder is read again when it has changed. */
export class ProjectFolders {
  readonly #project: string;
  readonly #home: string | null;
  #known = new Map<string, Folder>();
  /** The last look: what it was made of, and what came of it. */
  #from: readonly unknown[] = [];
  #found: Found = NOTHING;

  /** The home is given where the project shows it: what programs keep there is found as well. */
  constructor(project: string, home: string | null) {
    this.#project = project;
    this.#home = home;
  }

  /** The files of the project, as of now. A list of secret files that has not changed is the same object. */
  look(): Found {
    if (this.#isUnchanged()) return this.#found;
    const waiting = [{ path: this.#project, isAboveClosed: false }];
    const known = new Map<string, Folder>();
    const closed: string[] = [];
    let left = MOST_OPEN;
    for (let count = 0; count < MOST_FOLDERS; count += 1) {
      const next = waiting[count];
      if (next === undefined) break;
      const folder = this.#read(next.path, next.isAboveClosed);
      const { isClosed } = folder;
      // The state of a folder does not tell the modes and sizes of its files.
      if (folder === this.#known.get(next.path))
        closed.push(...folder.open.slice(0, left).filter((path) => isPrivateFile(path, isClosed)));
      left = Math.max(0, left - folder.open.length);
      known.set(next.path, folder);
      waiting.push(...folder.folders.map((path) => ({ path, isAboveClosed: isClosed })));
    }
    const all = [...known.values()];
    const from = [...all, ...closed];
    this.#known = known;
    if (hasSame(this.#from, from)) return this.#found;
    this.#from = from;
    this.#found = {
      secret: keepSame(this.#found.secret, [...all.flatMap(({ secret }) => secret), ...closed]),
      governing: all.flatMap(({ governing }) => governing),
      pipes: all.flatMap(({ pipes }) => pipes),
    };
    return this.#found;
  }

  /** Most looks find nothing new, and need no lists. */
  #isUnchanged(): boolean {
    for (const [path, { state, open }] of this.#known)
      if (state === null || open.length > 0 || !isStill(path, state)) return false;
    return this.#known.size > 0;
  }

  #read(path: string, isAboveClosed: boolean): Folder {
    const before = this.#known.get(path);
    if (before?.isAboveClosed === isAboveClosed && before.state !== null && isStill(path, before.state)) return before;
    const state = lookAtState(path);
    const found = lookAt(path, this.#home, this.#project);
    // One that is hidden whole may have changed further down.
    return { ...found, isAboveClosed, state: found.secret.includes(path) ? null : state };
  }
}

/**
 * Secret and governing files of one folder, and the folders in it. A folder that we cannot list may still give its files to the command, and
 * a name or a path that has no text cannot be covered. Then the folder is hidden whole.
 */
export function lookAt(folder: string, home: string | null, project: string | null = null): Content {
  const entries = Buffer.byteLength(folder) > LONGEST_PATH ? 'closed' : readEntries(folder);
  if (entries === 'none') return NOTHING;
  if (entries === 'closed' || entries.some(isNameless(folder))) return { ...NOTHING, secret: [folder] };
  const secret: string[] = [];
  const governing: string[] = [];
  const pipes: string[] = [];
  const folders: string[] = [];
  const open: string[] = [];
  const isClosed = home !== null && isClosedAbove(folder, home);
  for (const entry of entries) {
    const name = entry.name.toLowerCase();
    const path = join(folder, entry.name);
    if (project !== null && liesInSecretFolder(path.slice(project.length))) {
      secret.push(path);
      continue;
    }
    if (entry.isDirectory()) {
      if (!PASSED_OVER.has(entry.name)) folders.push(path);
      if (GUARDED_HERE.has(name)) governing.push(path);
      continue;
    }
    if (entry.isFIFO()) pipes.push(path);
    if (isSecretFileName(name)) secret.push(path);
    else if (home !== null && path.startsWith(`${home}/.`)) {
      if (tellsOfSecret(name) || isPrivateFile(path, isClosed)) secret.push(path);
      else if (mayBePrivate(path)) open.push(path);
    }
    if (GUARDED.has(name)) governing.push(path);
  }
  return { secret, governing, pipes, folders, open, isClosed };
}

/** True for an entry whose name is not told as it is, where a secret lies under that name. */
function isNameless(folder: string): (entry: Dirent) => boolean {
  return (entry) => {
    if (!entry.name.includes(NO_LETTER)) return false;
    const isPlain = lstatSync(join(folder, entry.name), { throwIfNoEntry: false }) !== undefined;
    return !isPlain && holdsSecretWithoutName(folder, PASSED_OVER);
  };
}

/** The entries of a folder; none where it is no folder, or closed to us. */
export function entriesOf(folder: string): readonly Dirent[] {
  const entries = readEntries(folder);
  return typeof entries === 'string' ? [] : entries;
}

function readEntries(folder: string): readonly Dirent[] | 'none' | 'closed' {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (thrown) {
    return ['ENOENT', 'ENOTDIR'].includes(errorCode(thrown)) ? 'none' : 'closed';
  }
}

/** Folders that are looked through; what holds more is taken to hold a secret. */
const MOST_NAMELESS = 400;
const SLASH = Buffer.from('/');

/**
 * True for a folder in which a secret lies under a name, or in a folder of a name, that is no text: the words of a command cannot tell it,
 * so it cannot be covered by itself. Folders of the given names are passed over.
 */
function holdsSecretWithoutName(folder: string, passedOver: ReadonlySet<string>): boolean {
  const waiting = namesIn(Buffer.from(folder)).filter((path) => !isText(path));
  for (let count = 0; ; count += 1) {
    const path = waiting.pop();
    if (path === undefined) return false;
    if (count > MOST_NAMELESS) return true;
    const name = path.subarray(path.lastIndexOf(SLASH) + 1).toString();
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    if (!stat.isDirectory() && isSecretFileName(name)) return true;
    if (!stat.isDirectory() || passedOver.has(name)) continue;
    try {
      waiting.push(...namesIn(path));
    } catch {
      return true; // It is closed to us.
    }
  }
}

function isText(path: Buffer): boolean {
  return Buffer.from(path.toString()).equals(path);
}

function namesIn(folder: Buffer): Buffer[] {
  return readdirSync(folder, { encoding: 'buffer' }).map((name) => Buffer.concat([folder, SLASH, name]));
}
