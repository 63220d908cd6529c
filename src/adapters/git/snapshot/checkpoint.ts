import { relative } from 'node:path';
import {
  DEFAULT_SNAPSHOT_LIMITS,
  formatSnapshotLimits,
  type RetentionLimits,
  type SnapshotLimits,
} from '../../../core/session/settings.ts';
import type { Checkpoint, StepCause } from '../../../protocol/checkpoint.ts';
import { ensureFile } from '../../system/own-file.ts';
import type { ObjectBatch } from '../object-store/loose-object.ts';
import { limitsFile, whileKeeping } from '../object-store/private-directory.ts';
import { findPrivateStore } from '../object-store/private-store.ts';
import { type OpenOptions, openRepository, openStore, type Repository } from '../object-store/repository.ts';
import { isSameContent } from '../object-store/withheld.ts';
import { gitFailed } from '../process/messages.ts';
import { foldersAbove, lstatOrNull, toFullPath, toRawPath } from '../process/raw-path.ts';
import { commitOnBranch } from './auto-commit.ts';
import { buildSnapshot, type Change, listChanged, readChanges } from './changes.ts';
import {
  type CheckpointNote,
  EMPTY_NOTE,
  parseNote,
  REFS,
  readNumbers,
  readRecords,
  toCheckpoint,
} from './checkpoint-record.ts';
import { keepUnderNextId, modesRef, readCommit, startCommit, updateRefs } from './checkpoint-ref.ts';
import { findOlder } from './older-files.ts';
import { type Snapshot, takeSnapshot } from './snapshot.ts';
import { USUAL } from './snapshot-modes.ts';
import { findBeside, findShared } from './timeline.ts';
import { takeWritten } from './written-files.ts';

/** The purpose of a checkpoint, and how it is made. */
export interface CheckpointOptions {
  readonly cwd: string;
  readonly label: string;
  /** Bare name of the tool, without its server. */
  readonly toolName: string;
  readonly mode: 'ref' | 'commit';
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** The cause that will change the tree; by default a tool. */
  readonly cause?: StepCause;
  /** The number of the autonomous run that makes the step. */
  readonly run?: number | undefined;
  /** Absolute paths the step names. Mode "commit" commits these and what earlier steps of the session changed. */
  readonly touches?: readonly string[];
  /** How much is kept of the work tree, as it is configured: no default, since what is over it goes. */
  readonly limits: RetentionLimits;
  /** How much one snapshot takes in. */
  readonly most?: SnapshotLimits | undefined;
  /** The time of the dry run whose result the step puts in place, in milliseconds since the epoch. */
  readonly dryRunAt?: number | null;
  /** Stops the work; no checkpoint is left then. */
  readonly signal?: AbortSignal | undefined;
}

/** The part of a checkpoint that only an undo or redo has. */
interface RestoreAim {
  /** The step it is about. */
  readonly of: string;
  /** Raw paths it will write or remove: they are kept even where a pattern ignores them by now. */
  readonly paths: readonly string[];
}

/** A checkpoint, and the tree it keeps. */
export interface KeptCheckpoint {
  readonly checkpoint: Checkpoint;
  readonly snapshot: Snapshot;
}

/** Keeps a snapshot of the work tree under a private ref; in mode "commit" it also commits on the branch first. */
export async function createCheckpoint(options: CheckpointOptions): Promise<Checkpoint> {
  const { signal, most = DEFAULT_SNAPSHOT_LIMITS } = options;
  const repository = await openRepository(options.cwd, { signal, most, again: true });
  // The snapshot after the step, and those of its undo, go by the same.
  ensureFile(limitsFile(repository), formatSnapshotLimits(most));
  const { checkpoint } = await keepCheckpoint(repository, options);
  return checkpoint;
}

/** The space that checkpoints take on the disk is looked at once in so many of them: it takes longer than a snapshot. */
const LOOKED_AT_EVERY = 16;

/** Now and then deletes checkpoints whose content takes too much space. Nobody waits for it, so it comes after a step. */
export async function limitSpace(
  { id, root }: Checkpoint,
  { limits, sessionId }: Pick<CheckpointOptions, 'limits' | 'sessionId'>,
): Promise<void> {
  if (Number(id.slice(1)) % LOOKED_AT_EVERY !== 0) return;
  const [{ pruneWherePossible }, repository] = [await import('./prune.ts'), await openRepository(root)];
  await pruneWherePossible(repository, { limits, live: new Set([sessionId]) });
}

/** As `createCheckpoint`, in a repository that is open already. */
export async function keepCheckpoint(
  repository: Repository,
  options: CheckpointOptions,
  aim?: RestoreAim,
): Promise<KeptCheckpoint> {
  return whileKeeping(repository, (readClock) => keepNow(repository, options, aim, readClock));
}

async function keepNow(
  repository: Repository,
  options: CheckpointOptions,
  aim: RestoreAim | undefined,
  readClock: () => number,
): Promise<KeptCheckpoint> {
  // A store apart from the tree has no branch.
  const commits = options.mode === 'commit' && repository.place.env === undefined;
  const committed = commits ? await commitTouched(repository, options) : null;
  const label =
    committed?.skipped === undefined ? options.label : `${options.label} (not committed: ${committed.skipped})`;
  const [snapshot, numbers] = await Promise.all([takeSnapshot(repository, aim?.paths), readNumbers(repository)]);
  const { tree, skipped, skippedUntracked, modes, withheld } = snapshot;
  const { sessionId, toolName, at, cause = 'tool', run = null } = options;
  // Read last: what comes to be in the step is younger.
  const began = options.dryRunAt ?? readClock();
  const isDryRun = began === options.dryRunAt;
  const step = { label, root: repository.root, sessionId, toolName, cause, at, run, process: process.pid };
  const note = {
    ...EMPTY_NOTE,
    ...step,
    ...{ skipped, skippedUntracked, modes, withheld },
    ...{ of: aim?.of ?? null, began, isDryRun },
  };
  const commit = startCommit(repository, { tree, parent: committed?.commit ?? null }, note);
  const { steps } = options.limits;
  const id = await keepUnderNextId(repository, {
    ...{ commit, modes, seen: numbers, sessionId, run, steps },
    isRestore: aim !== undefined,
  });
  const before = { commit: commit.name, tree, withheld, note };
  return { checkpoint: toCheckpoint({ id, before }), snapshot };
}

/** Commits what the step names and what earlier steps of its session changed, nothing else of the user's. */
async function commitTouched(repository: Repository, { touches = [], toolName, sessionId }: CheckpointOptions) {
  const earlier = await listOwnChanges(repository, sessionId);
  const named = touches.map((path) => toRawPath(relative(repository.root, path)));
  return commitOnBranch(repository, toolName, [...new Set([...named, ...earlier])]);
}

/** Lists the paths that the steps of a session changed, and no other session at the same time. */
async function listOwnChanges(repository: Repository, sessionId: string): Promise<ReadonlySet<string>> {
  const records = await readRecords(repository);
  const own = records.filter(({ before }) => before.note.sessionId === sessionId);
  const steps = own.map((step) => ({ step, beside: findBeside(records, step) }));
  const alone = steps.filter(({ beside }) => beside.length === 0).map(({ step }) => step);
  const changed = new Set(await listChanged(repository, alone));
  for (const { after } of own) for (const path of after?.note.meanwhile ?? []) changed.delete(path);
  for (const { step, beside } of steps.filter((one) => one.beside.length > 0)) {
    const shared = await findShared(repository, step, beside);
    for (const path of await listChanged(repository, [step])) if (!shared.has(path)) changed.add(path);
  }
  return changed;
}

/**
 * Keeps the snapshot after the step beside the one before it, so that undo can tell the step's changes from later ones. A
 * checkpoint whose step changed nothing is dropped: it would only stand in the list.
 */
export async function finalizeCheckpoint(
  checkpoint: Checkpoint,
  { signal, wrote = null, endedAt = Date.now() }: FinalizeOptions = {},
): Promise<{ readonly dropped: boolean }> {
  // File tools leave the place of a repository as they found it.
  const repository = await openHolder(checkpoint, { signal, again: wrote !== null });
  return whileKeeping(repository, (readClock) => finalizeNow(repository, checkpoint, { endedAt, wrote, readClock }));
}

interface FinalizeOptions {
  readonly signal?: AbortSignal | undefined;
  /** When the step ended, in milliseconds since the epoch: what changed later is not surely its own. Now, unless given. */
  readonly endedAt?: number;
  /**
   * The paths that the step changed, absolute and raw, if they are known: what else changed meanwhile is the user's, and no part of the
   * step. Outside of an autonomous run they are those of files that it wrote. Null if nobody knows them.
   */
  readonly wrote?: ReadonlySet<string> | null;
}

/** How to take the snapshot after a step. */
interface Finalizing extends Required<Omit<FinalizeOptions, 'signal'>> {
  /** The present moment by the clock of files. */
  readonly readClock: () => number;
}

async function finalizeNow(
  repository: Repository,
  checkpoint: Checkpoint,
  { endedAt, wrote, readClock }: Finalizing,
): Promise<{ readonly dropped: boolean }> {
  const before = await readKept(repository, checkpoint.commit);
  if (before === null)
    throw gitFailed('read the checkpoint', `the commit ${checkpoint.commit} is missing`, repository.root);
  const paths = wrote === null ? [] : pathsIn(repository, wrote);
  // A path outside may lead into the tree by a mount, or be written in other letters.
  const isInside = wrote !== null && (before.run !== null || paths.length === wrote.size);
  await using written = isInside ? await takeWritten(repository, before, paths) : null;
  const { snapshot, changes } = written ?? (await takeWhole(repository, before, wrote));
  const meanwhile = findMeanwhile(repository.root, changes, { endedAt, readClock });
  if (isSameSnapshot(before, snapshot)) {
    await written?.batch.write();
    const { ref, commit } = checkpoint;
    const lines = [`delete ${ref} ${commit}`, ...(before.modes ? [`delete ${modesRef(ref)}`] : [])];
    await updateRefs(repository, lines, 'delete the checkpoint of a step without changes');
    return { dropped: true };
  }
  const { began, isDryRun } = before;
  // No path that is known to be the step's own is older.
  const isKnown = written !== null || (before.run !== null && wrote !== null);
  const older = began === null || isKnown ? [] : findOlder(repository, changes, { began, isDryRun });
  await keepSnapshotAfter(repository, checkpoint, snapshot, { older, meanwhile, batch: written?.batch });
  return { dropped: false };
}

/** Raw paths of those that lie in a work tree. */
function pathsIn({ root }: Repository, paths: ReadonlySet<string>): readonly string[] {
  const top = `${toRawPath(root)}/`;
  return [...paths].flatMap((path) => (path.startsWith(top) ? [path.slice(top.length)] : []));
}

/** The snapshot after a step by a look at all of the tree, and the changes in it: those of its own paths alone, if a run made it. */
async function takeWhole(repository: Repository, before: KeptTree, wrote: ReadonlySet<string> | null) {
  const own = before.run === null || wrote === null ? null : new Set(pathsIn(repository, wrote));
  // The snapshot holds the step's own paths, however many there are.
  const taken = await takeSnapshot(repository, [...(own ?? [])]);
  const all = await readChanges(repository, before, taken);
  const changes = own === null ? all : all.filter(({ path }) => own.has(path));
  if (changes.length === all.length) return { snapshot: taken, changes };
  return { snapshot: await withOnly(repository, { taken, before, changes }), changes };
}

/** The snapshot after a step without the changes of others. */
async function withOnly(
  repository: Repository,
  {
    taken,
    before,
    changes,
  }: { readonly taken: Snapshot; readonly before: KeptTree; readonly changes: readonly Change[] },
): Promise<Snapshot> {
  const { skipped, skippedUntracked } = before;
  const edits = changes.map(({ path, after }) => ({ path, version: after }));
  return { ...taken, skipped, skippedUntracked, ...(await buildSnapshot(repository, before, edits)) };
}

/**
 * Opens the repository or store that holds a checkpoint. A folder that became a repository in the step has its checkpoint in a store apart.
 */
async function openHolder(checkpoint: Checkpoint, options: OpenOptions): Promise<Repository> {
  const { signal } = options;
  const repository = await openRepository(checkpoint.root, options);
  const store = repository.place.env === undefined ? findPrivateStore(checkpoint.root, process.env) : null;
  if (store === null) return repository;
  const apart = openStore(store, { excludesFile: repository.excludesFile, signal });
  return (await readKept(apart, checkpoint.commit)) === null ? repository : apart;
}

/** True if a work tree still is as the snapshot after a step has it, so that the step can go on there. */
export async function isAsLeft(checkpoint: Checkpoint, cwd: string, signal?: AbortSignal): Promise<boolean> {
  const repository = await openRepository(cwd, { signal });
  if (repository.root !== checkpoint.root) return false;
  const after = readKept(repository, `${REFS}/${checkpoint.id}/after`);
  const [snapshot, left] = await Promise.all([takeSnapshot(repository), after]);
  return left !== null && isSameSnapshot(left, snapshot);
}

/**
 * The facts about a step beside its snapshots: how an undo or redo ended, or which changes of any other step are older, and which are
 * younger than its end.
 */
type StepEnd = Partial<Pick<CheckpointNote, 'ended' | 'older' | 'meanwhile'>>;

/** Keeps the snapshot after a step. */
export async function keepSnapshotAfter(
  repository: Repository,
  checkpoint: Checkpoint,
  { tree, skipped, skippedUntracked, modes, withheld }: Snapshot,
  { batch, ...end }: StepEnd & { readonly batch?: ObjectBatch | undefined } = {},
): Promise<void> {
  // Read when the snapshot is taken: what of another step is in it, that step had its number by then.
  const until = (await readNumbers(repository)).at(-1) ?? 0;
  const { root, at, id } = checkpoint;
  const about = { label: `after the step of ${id}`, root, at, until };
  const note = { ...EMPTY_NOTE, ...about, skipped, skippedUntracked, modes, withheld, ...end };
  const commit = startCommit(repository, { tree, parent: checkpoint.commit, batch }, note);
  const ref = `${REFS}/${checkpoint.id}/after`;
  const lines = [`update ${ref} ${commit.name}`, ...(modes === USUAL ? [] : [`update ${modesRef(ref)} ${modes}`])];
  await updateRefs(repository, lines, 'save the snapshot after the step', commit.written);
}

/** The snapshot that a checkpoint's commit holds; null if the commit is gone. */
async function readKept(repository: Repository, commit: string): Promise<KeptTree | null> {
  const text = (await readCommit(repository, commit)) ?? '';
  const tree = /^tree ([0-9a-f]+)\n/.exec(text)?.[1];
  const note = parseNote(text.slice(text.indexOf('\n\n') + 2));
  return note === null || tree === undefined ? null : { ...note, tree };
}

type KeptTree = CheckpointNote & Pick<Snapshot, 'tree'>;

/** A mode alone is no change: git's two are in the tree. */
function isSameSnapshot(one: Omit<Snapshot, 'modes'>, other: Omit<Snapshot, 'modes'>): boolean {
  const isSameRest =
    one.skippedUntracked === other.skippedUntracked && one.skipped.join('\0') === other.skipped.join('\0');
  return isSameRest && isSameContent(one, other);
}

/*
 * The snapshot after a step takes its time, in a large tree seconds. A file that somebody saves meanwhile is in it, though the step has
 * ended. The moment of change of a file shows that: no program can set it. A change after the end of the step may be the user's, and undo
 * asks about it.
 */

/** A clock that is off by less only lags: the clock of files moves in steps. */
const LAG_MS = 1000;

/** Raw paths of the changes that were made, at least in part, after a moment: milliseconds since the epoch by the clock of this process. */
function findMeanwhile(
  root: string,
  changes: readonly Change[],
  { endedAt, readClock }: { readonly endedAt: number; readonly readClock: () => number },
): readonly string[] {
  if (changes.length === 0) return [];
  const offset = readClock() - Date.now();
  // The clock of the process knows whole milliseconds, that of files parts of them.
  const end = endedAt + 1 + (Math.abs(offset) < LAG_MS ? 0 : offset);
  return changes.flatMap(({ path }) => (lastChange(root, path) > end ? [path] : []));
}

/** When a file was changed last; of one that is gone, when something last came to or went from the folder that it was in. */
function lastChange(root: string, path: string): number {
  const own = lstatOrNull(toFullPath(root, path));
  if (own !== null) return own.ctimeMs;
  for (const folder of foldersAbove(path).toReversed()) {
    const above = lstatOrNull(toFullPath(root, folder.slice(0, -1)));
    if (above !== null) return above.mtimeMs;
  }
  return lstatOrNull(root)?.mtimeMs ?? 0;
}
