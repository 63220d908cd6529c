import { closeSync, existsSync, lstatSync, openSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../../core/text/attempt.ts';
import { takeLock } from '../../system/own-file.ts';
import { systemCalls } from '../../system/system-calls.ts';
import { runGit } from '../process/git-process.ts';
import {
  disownObject,
  dropObject,
  forgetDropped,
  listObjects,
  listOwnObjects,
  mineOf,
  type ObjectFile,
  type ObjectRooms,
  openObjectRooms,
  restoreObject,
  standingOf,
} from './own-objects.ts';
import { isSnapshotTaken } from './private-directory.ts';
import type { Repository } from './repository.ts';

/*
 * Objects that are not needed any more go in two strokes. First it is taken away from among the user's objects: what we brought, what bears
 * our mark still, and what nothing reaches, be it a ref, a reflog, the HEAD or the index of any work tree. A minute later at the earliest
 * it is looked whether something reaches it by now; if so, or if git cannot tell, it goes back, else it is removed. So even a program that
 * knows nothing of marks, and was just about to use an object it saw, finds it again.
 */

/** When a sweep is worth its while, and how long it may take. */
interface SweepOptions {
  /** Nothing is taken away while we hold no more than so many bytes. */
  readonly above: number;
  /** How long the look for what is in use may take, which takes long where the history is. If it took longer, it waits for a while. */
  readonly budgetMs?: number;
  /** Milliseconds since the epoch; now, if it is not given. */
  readonly now?: number;
}

/** Younger objects may belong to a snapshot that is being taken. */
const TOO_YOUNG_MS = 10_000;

/** So long no more is tried beside a step after a look that took too long. */
const SLOW_MS = 3_600_000;

/** So long a file is kept that was taken away. */
const GRACE_MS = 60_000;

interface UseQuestion {
  readonly wanted: readonly ObjectFile[];
  /** Those that stay with all that they name. */
  readonly roots: readonly ObjectFile[];
}

/** Bytes of the objects that we brought into a repository, with those that were taken away and are kept for a while. */
export function ownBytes(repository: Repository): number {
  const rooms = openObjectRooms(repository);
  return rooms === null ? 0 : directorySize(rooms.own) + directorySize(rooms.dropped);
}

/** Takes away what we brought into a repository and nobody needs any more; one process at a time, for two would take the same file. */
export async function sweepOwnObjects(repository: Repository, options: SweepOptions): Promise<void> {
  const rooms = openObjectRooms(repository);
  if (rooms === null || isBusy(repository)) return;
  const fd = openSync(rooms.sweep, 'a', 0o600);
  const release = takeLock(fd, rooms.sweep, systemCalls());
  try {
    if (release !== null) await sweepRooms(repository, rooms, options);
  } finally {
    release?.();
    closeSync(fd);
  }
}

async function sweepRooms(repository: Repository, rooms: ObjectRooms, options: SweepOptions): Promise<void> {
  const now = options.now ?? Date.now();
  const dropped = listObjects(rooms.dropped);
  const isDue = dropped.some((file) => isRipe(rooms, file, now));
  const { idle, roots, bytes } = sortOwn(rooms, now);
  if (!isDue && bytes <= options.above) return;
  if (options.budgetMs !== undefined && isSlow(rooms, now)) return;
  const used = await findUsedInTime(repository, rooms, { wanted: [...idle, ...dropped], roots }, options);
  if (used === 'too long') return;
  settleDropped(rooms, dropped, used, now);
  if (used === null || isBusy(repository) || !isAlone(rooms)) return;
  const going = idle.filter(({ name }) => !used.has(name));
  // An object that names others goes before them, so that nobody ever finds half a tree.
  for (const file of going.toReversed()) dropObject(rooms, file);
  // Somebody began meanwhile, and may have seen what is gone now.
  if (!isBusy(repository)) return;
  for (const file of going) restoreObject(rooms, file);
}

/** Those that may go, and those that must stay with all that they name: somebody wants them, or they are too young to tell. */
function sortOwn(rooms: ObjectRooms, now: number) {
  const idle: ObjectFile[] = [];
  const roots: ObjectFile[] = [];
  let bytes = 0;
  for (const file of listOwnObjects(rooms)) {
    const stat = lstatSync(mineOf(rooms, file.path), { throwIfNoEntry: false });
    const standing = stat === undefined ? 'gone' : standingOf(rooms, file);
    bytes += standing === 'gone' ? 0 : (stat?.size ?? 0);
    // Git packed it, or took it away itself.
    if (standing === 'gone') disownObject(rooms, file);
    else if (standing === 'wanted' || (stat?.mtimeMs ?? now) > now - TOO_YOUNG_MS) roots.push(file);
    else idle.push(file);
  }
  return { idle, roots, bytes };
}

function settleDropped(
  rooms: ObjectRooms,
  dropped: readonly ObjectFile[],
  used: ReadonlySet<string> | null,
  now: number,
): void {
  for (const file of dropped) {
    if (used === null || used.has(file.name)) restoreObject(rooms, file);
    else if (isRipe(rooms, file, now)) forgetDropped(rooms, file);
  }
}

/** To be taken away changed nothing of a file but the moment at which its names changed. */
function isRipe(rooms: ObjectRooms, { path }: ObjectFile, now: number): boolean {
  const stat = lstatSync(join(rooms.dropped, path), { throwIfNoEntry: false });
  return stat !== undefined && stat.ctimeMs <= now - GRACE_MS;
}

function isSlow({ slow }: ObjectRooms, now: number): boolean {
  return (statSync(slow, { throwIfNoEntry: false })?.mtimeMs ?? 0) > now - SLOW_MS;
}

async function findUsedInTime(
  repository: Repository,
  rooms: ObjectRooms,
  question: UseQuestion,
  { budgetMs }: SweepOptions,
): Promise<ReadonlySet<string> | null | 'too long'> {
  if (budgetMs === undefined) return findUsed(repository, question);
  const signal = AbortSignal.timeout(budgetMs);
  try {
    return await findUsed({ ...repository, place: { ...repository.place, signal } }, question);
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
    writeFileSync(rooms.slow, '');
    return 'too long';
  }
}

/** Which of the wanted objects anything reaches; null if git cannot tell. */
async function findUsed({ place }: Repository, { wanted, roots }: UseQuestion): Promise<ReadonlySet<string> | null> {
  const names = new Set(wanted.map(({ name }) => name));
  const used = new Set<string>();
  const take = (name: string) => {
    if (names.has(name)) used.add(name);
  };
  const tips = ['--all', '--reflog', '--indexed-objects', '--stdin'];
  // A question mark stands before those that are missing: of what was taken away that says that somebody needs it.
  const args = ['rev-list', '--objects', '--no-object-names', '--missing=print', ...tips];
  const input = roots.map(({ name }) => `${name}\n`).join('');
  const onOutput = splitLines((line) => take(line.replace('?', '')));
  const { exit } = await runGit({ ...place, args, input, onOutput, yields: true });
  return exit === 0 ? used : null;
}

/** Cuts what git prints into lines as it comes; a history may have millions of them. */
function splitLines(take: (line: string) => void): (chunk: Uint8Array) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + Buffer.from(chunk).toString('latin1')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) take(line);
  };
}

/** True while a snapshot is taken in any work tree, or git writes an index of the user's. */
function isBusy({ commonDirectory }: Repository): boolean {
  const linked = join(commonDirectory, 'worktrees');
  const others = existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [];
  return [commonDirectory, ...others].some((one) => existsSync(join(one, 'index.lock')) || isSnapshotTaken(one));
}

/** True if nobody else may write there: the git of others cannot always leave the sign that it wants to keep an object. */
function isAlone({ shared }: ObjectRooms): boolean {
  const { uid, gid, mode } = statSync(shared);
  // A group of the same number has one member.
  const others = gid === uid ? 0o002 : 0o022;
  return uid === process.getuid?.() && (mode & others) === 0;
}

/** Bytes of all files below a directory. A file that goes away meanwhile, or cannot be read, counts as nothing. */
export function directorySize(path: string): number {
  let bytes = 0;
  for (const entry of attempt(() => readdirSync(path, { withFileTypes: true }), [])) {
    const full = join(path, entry.name);
    bytes += entry.isDirectory() ? directorySize(full) : (lstatSync(full, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}
