import { existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { countByPlace, orderForRemoval, takeOver } from '../../../core/session/checkpoint-retention.ts';
import type { RetentionLimits } from '../../../core/session/settings.ts';
import { AishError } from '../../../protocol/error.ts';
import { directorySize, ownBytes, sweepOwnObjects } from '../object-store/own-objects-sweep.ts';
import { isSnapshotTaken } from '../object-store/private-directory.ts';
import type { Repository } from '../object-store/repository.ts';
import { sweepWithheld, withheldBytes } from '../object-store/withheld.ts';
import { readGit, runGit } from '../process/git-process.ts';
import { type CheckpointRecord, readAllRecords } from './checkpoint-record.ts';
import { describeRemoval, toRetained, tryUpdateRefs } from './checkpoint-ref.ts';
import { cannotRemove } from './messages.ts';

/*
 * In a repository the snapshots lie among the user's own objects: there only what we brought ourselves may go, and with great care. A store
 * apart from the tree is ours alone, and is swept at once.
 */

/** The choice of steps that go. */
export interface PruneOptions {
  readonly limits: RetentionLimits;
  /** Sessions that are going on: their steps go last. */
  readonly live: ReadonlySet<string>;
  /** All that is older goes, in milliseconds since the epoch. */
  readonly before?: number;
  /** The work tree whose steps may go; those of all where none is named. */
  readonly root?: string;
  /** Only tells what would go. */
  readonly isDryRun?: boolean;
  /** Somebody waits for a step meanwhile: what would take long is left for another time. */
  readonly isBeside?: boolean;
}

/** The steps that went, or would go, from one work tree. */
interface PrunedPlace {
  readonly root: string;
  /** Newest first. */
  readonly removed: readonly string[];
  readonly kept: number;
}

/** The steps that went, or would go. */
export interface PruneOutcome {
  /** Newest first, of all work trees. */
  readonly removed: readonly string[];
  readonly kept: number;
  /** The same for each work tree that may lose steps. */
  readonly places: readonly PrunedPlace[];
  /** Bytes before and after; null if git cannot tell. */
  readonly before: number | null;
  readonly after: number | null;
}

/** The space that the checkpoints of a place take. */
export interface StoreUsage {
  readonly steps: number;
  /** Bytes that are there for checkpoints alone; null if git cannot tell. */
  readonly bytes: number | null;
}

/** A lock that old in a store of ours was left by a kill: nothing there takes so long. */
const LEFT_MS = 10_000;

/** So much stays free after a prune, that not every step needs the next one. */
const LOW_WATER = 0.8;

/** A repository is swept from this part of the limit on: the objects taken away stay on the disk for a minute more. */
const SWEEP_FROM = 0.6;

/** How long a step waits for a sweep of a repository. */
const SWEEP_MS = 3000;

/** Younger objects may belong to a snapshot that is being taken. */
const TOO_YOUNG = '10.seconds.ago';

/** Tells what the checkpoints of a repository take that nothing of the user's needs as well. */
export async function measureUsage(repository: Repository): Promise<StoreUsage> {
  const records = await readAllRecords(repository);
  if (repository.place.env !== undefined) return { steps: records.length, bytes: storeBytes(repository) };
  const needed = await measure(repository, records);
  return {
    steps: records.length,
    bytes:
      needed === null
        ? null
        : Math.max(needed, ownBytes(repository) + withheldBytes(repository.withheldFolder, listsOf(records))),
  };
}

/** Takes checkpoints away until the limits hold. The newest step of each work tree stays, whatever it takes. */
export async function pruneCheckpoints(repository: Repository, options: PruneOptions): Promise<PruneOutcome> {
  const records = await readAllRecords(repository);
  const before = await measure(repository, records);
  const removed = new Set(await chooseRemoved(repository, records, before, options));
  const kept = records.filter(({ id }) => !removed.has(id));
  const places = describePlaces(records, removed, options.root);
  const outcome = {
    removed: records.flatMap(({ id }) => (removed.has(id) ? id : [])),
    kept: kept.length,
    places,
    before,
  };
  if (options.isDryRun === true) return { ...outcome, after: await measure(repository, kept) };
  await removeRefs(repository, outcome.removed);
  // Read anew: others may have made some meanwhile.
  sweepWithheld(repository.withheldFolder, listsOf(await readAllRecords(repository)));
  const after = removed.size === 0 ? before : await measure(repository, kept);
  await sweep(repository, after ?? 0, options);
  return { ...outcome, after };
}

/**
 * The same beside a step, which must not fail for it: what cannot go now goes another time, and `aish checkpoints prune` tells why it
 * cannot.
 */
export async function pruneWherePossible(repository: Repository, options: PruneOptions): Promise<void> {
  // The step is kept already; stopped now, it would stay without anybody knowing of it.
  const unstopped = { ...repository, place: { ...repository.place, signal: undefined } };
  try {
    await pruneCheckpoints(unstopped, { ...options, isBeside: true });
  } catch (thrown) {
    if (!(thrown instanceof AishError)) throw thrown;
  }
}

function describePlaces(
  records: readonly CheckpointRecord[],
  removed: ReadonlySet<string>,
  only: string | undefined,
): readonly PrunedPlace[] {
  const roots = new Set(records.map(({ before }) => before.note.root));
  return [...roots]
    .filter((root) => only === undefined || root === only)
    .map((root) => {
      const ids = records.filter(({ before }) => before.note.root === root).map(({ id }) => id);
      const gone = ids.filter((id) => removed.has(id));
      return { root, removed: gone, kept: ids.length - gone.length };
    });
}

async function chooseRemoved(
  repository: Repository,
  records: readonly CheckpointRecord[],
  bytes: number | null,
  { limits, live, before = 0, root }: PruneOptions,
): Promise<readonly string[]> {
  const retained = toRetained(records);
  const order = orderForRemoval(retained, live, before).filter(({ place }) => root === undefined || place === root);
  const old = order.filter(({ at }) => at < before);
  const oldIds = new Set(old.flatMap(({ ids }) => ids));
  const young = order.filter(({ at }) => at >= before);
  const counts = countByPlace(
    retained.filter(({ id }) => !oldIds.has(id)),
    young,
  );
  const many = new Set(takeOver(young, counts, limits.steps));
  const rest = young.filter((unit) => !many.has(unit));
  const removedBy = (units: number) => [...old, ...many, ...rest.slice(0, units)].flatMap(({ ids }) => ids);
  if (bytes === null || bytes <= limits.bytes) return removedBy(0);
  const fits = async (units: number): Promise<boolean> => {
    const gone = new Set(removedBy(units));
    const left = await measure(
      repository,
      records.filter(({ id }) => !gone.has(id)),
    );
    return left === null || left <= limits.bytes * LOW_WATER;
  };
  return removedBy(await findLeast(0, rest.length, fits));
}

/** The least number from `low` on that fits, where all above it do; `high` where none does. */
async function findLeast(low: number, high: number, fits: (number: number) => Promise<boolean>): Promise<number> {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (await fits(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}

/** Bytes of the objects that only these checkpoints hold. Content that is staged and nowhere else counts too. */
async function measure(repository: Repository, records: readonly CheckpointRecord[]): Promise<number | null> {
  const commits = records.flatMap(({ before, after }) =>
    after === null ? [before.commit] : [before.commit, after.commit],
  );
  if (commits.length === 0) return 0;
  // Plain --objects would count all that is in the last commit, too: no checkpoint descends from it.
  const options = ['--objects-edge-aggressive', '--disk-usage'];
  const args = ['rev-list', ...options, ...commits, '--not', '--exclude=refs/aish/*', '--all'];
  const { exit, stdout } = await runGit({ ...repository.place, args, yields: true });
  const total = /(?:^|\n)(\d+)\n$/.exec(stdout.toString('latin1'))?.[1];
  if (exit !== 0 || total === undefined) return null;
  return Number(total) + withheldBytes(repository.withheldFolder, listsOf(records));
}

function listsOf(records: readonly CheckpointRecord[]): ReadonlySet<string> {
  return new Set(records.flatMap(({ before, after }) => [before.withheld ?? [], after?.withheld ?? []].flat()));
}

async function removeRefs(repository: Repository, ids: readonly string[]): Promise<void> {
  if (repository.place.env !== undefined) clearLocks(repository.commonDirectory, Date.now() - LEFT_MS);
  if (ids.length === 0) return;
  const { exit, stderr } = await tryUpdateRefs(repository, await describeRemoval(repository, ids));
  if (exit === 0) return;
  throw cannotRemove(stderr.split('\n')[0] ?? '', repository.commonDirectory);
}

/** Removes what no checkpoint names any more. Not while somebody takes a snapshot: what it needs has no name yet. */
async function sweep(
  repository: Repository,
  needed: number,
  { limits, isBeside = false }: PruneOptions,
): Promise<void> {
  if (repository.place.env === undefined) {
    const worthwhile = Math.max(limits.bytes * SWEEP_FROM, needed + limits.bytes / 10);
    const beside = { above: Math.min(limits.bytes, worthwhile), budgetMs: SWEEP_MS };
    return sweepOwnObjects(repository, isBeside ? beside : { above: 0 });
  }
  if (isSnapshotTaken(repository.gitDirectory)) return;
  const call = { ...repository.place, args: ['prune', `--expire=${TOO_YOUNG}`], yields: true };
  await readGit(call, 'clean up the checkpoints');
}

function storeBytes(repository: Repository): number {
  return directorySize(repository.commonDirectory) + directorySize(repository.withheldFolder);
}

/** Removes the locks of refs that are older than a moment from a git directory of ours, in milliseconds since the epoch. */
function clearLocks(directory: string, before: number): void {
  const refs = join(directory, 'refs', 'aish');
  const inRefs = existsSync(refs) ? readdirSync(refs, { recursive: true, encoding: 'utf8' }) : [];
  const locks = [...inRefs.filter((name) => name.endsWith('.lock')).map((name) => join(refs, name))];
  for (const path of [...locks, join(directory, 'packed-refs.lock')]) {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat !== undefined && stat.mtimeMs < before) rmSync(path, { force: true });
  }
}
