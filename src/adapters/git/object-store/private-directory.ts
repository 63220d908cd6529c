import {
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { succeeds } from '../../../core/text/attempt.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import { withFile } from '../../system/file-status.ts';
import { ensureFile } from '../../system/own-file.ts';
import { isProcessAlive } from '../../system/processes.ts';
import {
  makeOwnDirectory,
  OncePerRepository,
  objectEnvironment,
  openOwnDirectory,
  openSharedDirectory,
} from './own-objects.ts';
import { LIMITS } from './private-store.ts';
import type { Repository } from './repository.ts';

/*
 * Snapshots are taken through a git directory of our own: it sees all objects, but no setting, attribute or hook of the
 * repository or the user applies. So nothing a repository configures can run, and files go in byte for byte.
 *
 * The index of a snapshot is the cache that makes the next one cheap. Indexes live in a pool of files; taking one is a rename,
 * which only one taker can win, so any number of processes and sessions work side by side without locks. The name also
 * carries the state of the user's own index when the tracked-but-ignored files were last looked up, and the table of modes. A new table is
 * told before the index takes in what it is about: one who copies it meanwhile, or finds it after a kill, must not miss anything.
 */

/** An index file taken out of the pool. */
export interface ClaimedIndex {
  readonly path: string;
  /** State of the user's index when this one was last filled; empty for a new one. */
  readonly seen: string;
  /** Names the table of modes that goes with it. */
  readonly modes: string;
  /** Number of the other indexes that were there when it was taken. */
  readonly others: number;
}

const SPARE_INDEXES = 4;
const NAME = /^(free|busy-(\d+))~([0-9x]*)~([0-9a-f]*)~w~[0-9a-f-]+$/;

/** Environment that makes git work on our private directory and one index of it. */
export function privateEnvironment(repository: Repository, index?: string): Record<string, string> {
  const directory = preparePrivateDirectory(repository);
  return {
    GIT_DIR: directory,
    GIT_COMMON_DIR: directory,
    GIT_WORK_TREE: repository.root,
    ...objectEnvironment(repository),
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    ...omitUndefined({ GIT_INDEX_FILE: index }),
  };
}

/** Takes an index: a free one, else one whose process died, else a copy of one in use, else a new one. */
export function claimIndex(repository: Repository): ClaimedIndex {
  const pool = makeOwnDirectory(join(ownDirectory(repository), 'index'));
  const entries = listPool(pool);
  const others = Math.max(0, entries.length - 1);
  for (const entry of entries.filter((one) => !one.inUse)) {
    const path = join(pool, busyName(entry));
    if (succeeds(() => renameSync(join(pool, entry.name), path)))
      return { path, seen: entry.seen, modes: entry.modes, others };
  }
  const busy = entries[0];
  const path = join(pool, busyName(busy ?? NEW));
  if (busy === undefined) return { path, ...NEW };
  const copied = succeeds(() => copyFileSync(join(pool, busy.name), path, constants.COPYFILE_EXCL));
  return copied ? { path, seen: busy.seen, modes: busy.modes, others: entries.length } : { path, ...NEW };
}

/** The index of the last snapshot, to be read alone and at once: somebody may take it. Null before the first snapshot. */
export function findLastIndex(repository: Repository): string | null {
  const pool = makeOwnDirectory(join(ownDirectory(repository), 'index'));
  const [last] = listPool(pool);
  return last === undefined ? null : join(pool, last.name);
}

/** A new index, whatever others there are. */
export function makeIndex(repository: Repository): ClaimedIndex {
  return { path: join(ownDirectory(repository), 'index', busyName(NEW)), ...NEW };
}

/** Tells the table of modes that goes with an index from now on. */
export function renameIndex(repository: Repository, index: ClaimedIndex, modes: string): ClaimedIndex {
  if (modes === index.modes) return index;
  const next = { ...index, modes };
  const path = join(ownDirectory(repository), 'index', busyName(next));
  // A new one has no file yet.
  succeeds(() => renameSync(index.path, path));
  return { ...next, path };
}

/** Puts an index back for the next snapshot. */
export function releaseIndex(repository: Repository, index: ClaimedIndex, seen: string): void {
  const pool = join(ownDirectory(repository), 'index');
  succeeds(() => renameSync(index.path, join(pool, `free~${seen}~${index.modes}~w~${crypto.randomUUID()}`)));
  if (index.others < SPARE_INDEXES) return;
  for (const entry of listPool(pool)
    .filter((one) => !one.inUse)
    .slice(SPARE_INDEXES))
    rmSync(join(pool, entry.name), { force: true });
}

/** Throws an index away: what it says cannot be trusted. */
export function discardIndex(index: ClaimedIndex): void {
  rmSync(index.path, { force: true });
  rmSync(`${index.path}.lock`, { force: true });
}

/** True while any process takes a snapshot of the work tree with that git directory, or has one that no ref names yet. */
export function isSnapshotTaken(gitDirectory: string): boolean {
  const held = ['index', 'keeping'].flatMap((room) => {
    const path = join(gitDirectory, 'aish', room);
    return existsSync(path) ? readdirSync(path) : [];
  });
  return held.some((name) => isProcessAlive(Number(/^(?:busy-)?(\d+)~/.exec(name)?.[1])));
}

/**
 * Says for as long as some work lasts that it makes objects which no ref names yet. The work can read the present moment by the clock that
 * dates the files of the place, in milliseconds; it lags behind that of the process.
 */
export async function whileKeeping<T>(
  repository: Repository,
  work: (readClock: () => number) => Promise<T>,
): Promise<T> {
  const room = openRoom(repository, 'keeping');
  const sign = join(room, `${process.pid}~${crypto.randomUUID()}`);
  if (!IDLE_SIGNS.take(room, sign)) {
    openRoom(repository, 'idle');
    writeFileSync(sign, '', { flag: 'wx', mode: 0o600 });
  }
  try {
    return await work(() => readClock(sign));
  } finally {
    if (!IDLE_SIGNS.put(room, sign)) rmSync(sign, { force: true });
  }
}

/** The sign of this process for each room while no work needs it: to make a file takes a file system longer than to move one. */
class IdleSigns {
  readonly #idle = new Map<string, string>();

  /** False if there is none. */
  take(room: string, sign: string): boolean {
    const idle = this.#idle.get(room);
    this.#idle.delete(room);
    return idle !== undefined && succeeds(() => renameSync(idle, sign));
  }

  /** False if there is one already. */
  put(room: string, sign: string): boolean {
    const idle = join(room, '../idle', basename(sign));
    const isPut = !this.#idle.has(room) && succeeds(() => renameSync(sign, idle));
    if (isPut) this.#idle.set(room, idle);
    return isPut;
  }
}

const IDLE_SIGNS = new IdleSigns();

function readClock(sign: string): number {
  return withFile(sign, 'r+', (fd) => {
    writeSync(fd, '.', 0);
    return fstatSync(fd).mtimeMs;
  });
}

/** Does some work with a path of its own in a folder of ours. Anything that lies there afterwards is removed. */
export async function inRoom<T>(repository: Repository, room: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(openRoom(repository, room), `${process.pid}~${crypto.randomUUID()}`);
  try {
    return await work(path);
  } finally {
    for (const left of [path, `${path}.lock`]) rmSync(left, { recursive: true, force: true });
  }
}

/** The file that notes the limits for snapshots of a repository. */
export function limitsFile(repository: Repository): string {
  return join(repository.place.env === undefined ? ownDirectory(repository) : repository.commonDirectory, LIMITS);
}

/** The file that lists the paths that snapshots look at each time, changed or not. */
export function lookListFile(repository: Repository, name: 'folders' | 'recent' | 'withheld'): string {
  return join(ownDirectory(repository), name);
}

/** A folder of ours for files named `<process id>~…`; those of processes that died are removed. */
export function openRoom(repository: Repository, name: string): string {
  const room = makeOwnDirectory(join(ownDirectory(repository), name));
  for (const entry of readdirSync(room))
    if (!isProcessAlive(Number.parseInt(entry, 10))) rmSync(join(room, entry), { recursive: true, force: true });
  return room;
}

/** Our own folder inside the git directory of the work tree. */
function ownDirectory(repository: Repository): string {
  const { gitDirectory, commonDirectory } = repository;
  if (gitDirectory === commonDirectory) return openSharedDirectory(repository);
  return DIRECTORIES.get(repository, () => openOwnDirectory(gitDirectory));
}

const DIRECTORIES = new OncePerRepository<string>();

function preparePrivateDirectory(repository: Repository): string {
  const directory = makeOwnDirectory(join(ownDirectory(repository), 'private'));
  makeOwnDirectory(join(directory, 'refs'));
  makeOwnDirectory(join(directory, 'info'));
  ensureFile(join(directory, 'HEAD'), 'ref: refs/heads/none\n');
  ensureFile(join(directory, 'config'), formatConfig(repository));
  ensureFile(join(directory, 'info', 'attributes'), NO_CONVERSION);
  return directory;
}

const NO_CONVERSION =
  '* -text -crlf -ident !eol !filter !working-tree-encoding !diff !merge !whitespace !conflict-marker-size\n';

function formatConfig(repository: Repository): string {
  const core =
    'bare = false\n\tautocrlf = false\n\tfileMode = true\n\tsymlinks = true\n\tpreloadIndex = true\n\tuntrackedCache = false\n';
  if (repository.objectFormat === 'sha1') return `[core]\n\trepositoryFormatVersion = 0\n\t${core}`;
  return `[core]\n\trepositoryFormatVersion = 1\n\t${core}[extensions]\n\tobjectFormat = sha256\n`;
}

const NEW = { seen: '', modes: '', others: 0 };

interface PoolEntry extends Pick<ClaimedIndex, 'seen' | 'modes'> {
  readonly name: string;
  readonly inUse: boolean;
}

function listPool(pool: string): readonly PoolEntry[] {
  const found: (PoolEntry & { readonly changed: number })[] = [];
  for (const name of readdirSync(pool)) {
    const [, , holder, seen, modes] = NAME.exec(name.replace(/\.lock$/, '')) ?? [];
    const inUse = holder !== undefined && isProcessAlive(Number(holder));
    if (seen === undefined || modes === undefined) continue;
    if (name.endsWith('.lock')) {
      if (!inUse) rmSync(join(pool, name), { force: true });
    } else {
      const changed = statSync(join(pool, name), { throwIfNoEntry: false })?.mtimeMs ?? 0;
      found.push({ name, seen, modes, inUse, changed });
    }
  }
  return found.sort((one, other) => other.changed - one.changed);
}

function busyName({ seen, modes }: Pick<ClaimedIndex, 'seen' | 'modes'>): string {
  return `busy-${process.pid}~${seen}~${modes}~w~${crypto.randomUUID()}`;
}
