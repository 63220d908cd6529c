import { formatUnifiedDiff } from '../../../core/text/diff.ts';
import type { CheckpointStep, FileVersion } from '../../../protocol/checkpoint.ts';
import { isProcessAlive } from '../../system/processes.ts';
import { privateEnvironment } from '../object-store/private-directory.ts';
import { openRepository, type Repository, toWorkTreePath } from '../object-store/repository.ts';
import type { SnapshotContent } from '../object-store/withheld.ts';
import { readGit } from '../process/git-process.ts';
import { formatRawPath } from '../process/raw-path.ts';
import { type Change, countChanges, isPathAmong, readChanges, readWithheldChanges } from './changes.ts';
import {
  type CheckpointRecord,
  readRecords,
  readStates,
  type TakenAlong,
  toCheckpoint,
  toNumber,
} from './checkpoint-record.ts';
import { formatShared, noCheckpoints, unknownCheckpoint } from './messages.ts';
import { takeSnapshot } from './snapshot.ts';
import { isSameState, readBlobs } from './work-file.ts';

/** All steps of this work tree, undos and redos among them, newest first. If paths are given, only these are counted. */
export async function timeline(
  cwd: string,
  signal?: AbortSignal,
  paths: readonly string[] = [],
  apart = false,
): Promise<readonly CheckpointStep[]> {
  const repository = await openRepository(cwd, { signal, apart });
  return timelineOf(repository, toPathspecs(repository, cwd, paths));
}

/** The same of a repository that is open already. */
export async function timelineOf(
  repository: Repository,
  pathspecs: ReturnType<typeof toPathspecs> = [],
): Promise<readonly CheckpointStep[]> {
  const records = await readRecords(repository);
  const counts = await countChanges(repository, records, pathspecs);
  const states = readStates(records);
  return records.map((record) => {
    const { sessionId, toolName, cause, of } = record.before.note;
    const state = states.get(record.id)?.state ?? 'done';
    // The snapshot after an undo holds from the first file on what it is going to make of all of them.
    const hasEnd = of === null || record.after?.note.ended !== null;
    const counted = hasEnd ? (counts.get(record.id) ?? null) : null;
    const step = { ...toCheckpoint(record), sessionId, toolName, cause, of, counts: counted, state };
    return counted === null && isAtWork(records, record) ? { ...step, isAtWork: true } : step;
  });
}

interface DiffOptions {
  readonly cwd: string;
  /** Null: the newest step. */
  readonly id: string | null;
  /** Files or directories, absolute or relative to `cwd`; all where there are none. */
  readonly paths?: readonly string[];
  /** `step`: what the step changed. `since`: from before the step to the present. */
  readonly of: 'step' | 'since';
  readonly signal?: AbortSignal | undefined;
  /** True for the steps that are kept apart, from the time when the folder was no repository. */
  readonly apart?: boolean;
}

/** Unified diff of a step; of one that never ended, up to the present. */
export async function diffStep({ cwd, id, paths = [], of, signal, apart }: DiffOptions): Promise<string> {
  const repository = await openRepository(cwd, { signal, apart });
  const { before, after } = findRecord(await readRecords(repository), id);
  const end = of === 'step' && after !== null ? after : await takeSnapshot(repository);
  return diffSnapshots(repository, before, end, toPathspecs(repository, cwd, paths));
}

/** Unified diff of two snapshots; of those below the paths, or of all where none is named. */
export async function diffSnapshots(
  repository: Repository,
  before: SnapshotContent,
  end: SnapshotContent,
  wanted: readonly string[] = [],
): Promise<string> {
  const args = [
    // Names in any script read as they are; those that would end the line stay in quotes.
    '-c',
    'core.quotePath=false',
    'diff-tree',
    '-p',
    '-r',
    '--find-renames',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    before.tree,
    end.tree,
    ...(wanted.length === 0 ? [] : ['--', ...wanted]),
  ];
  const call = { ...repository.place, env: privateEnvironment(repository), args };
  const inTrees = (await readGit(call, 'compare with the checkpoint')).toString('utf8');
  return `${inTrees}${await diffWithheld(repository, before, end, wanted)}`;
}

/** Paths as git is given them; none where one of them is the whole tree. */
function toPathspecs(repository: Repository, cwd: string, paths: readonly string[]): readonly string[] {
  const wanted = paths.map((path) => Buffer.from(toWorkTreePath(repository, cwd, path), 'latin1').toString('utf8'));
  return wanted.includes('') ? [] : wanted;
}

/** The record an id names (null: the newest), or an error that says what there is. */
export function findRecord(records: readonly CheckpointRecord[], id: string | null): CheckpointRecord {
  const record = id === null ? records[0] : records.find((one) => one.id === id);
  if (record !== undefined) return record;
  if (records.length === 0) throw noCheckpoints();
  const known = records.slice(0, 5).map((one) => one.id);
  throw unknownCheckpoint(id, known);
}

/** The files withheld from two snapshots as git would compare them; of those below the paths, or of all where none is named. */
async function diffWithheld(
  repository: Repository,
  before: SnapshotContent,
  after: SnapshotContent,
  paths: readonly string[],
): Promise<string> {
  const changes = readWithheldChanges(repository, before, after).filter(({ path }) => isPathAmong(paths, path));
  const diffs: string[] = [];
  for (const change of changes) diffs.push(await diffChange(repository, change));
  return diffs.join('');
}

async function diffChange(repository: Repository, { path, before, after }: Change): Promise<string> {
  const name = formatRawPath(path);
  const [old, present] = [await readText(repository, before), await readText(repository, after)];
  const head = `diff --git a/${name} b/${name}\n${describeModes(before, after)}`;
  if (old === false || present === false) return `${head}Binary files a/${name} and b/${name} differ\n`;
  return `${head}${formatUnifiedDiff({ path: name, before: old, after: present })}`;
}

function describeModes(before: FileVersion | null, after: FileVersion | null): string {
  if (before === null) return `new file mode ${after?.mode}\n`;
  if (after === null) return `deleted file mode ${before.mode}\n`;
  return before.mode === after.mode ? '' : `old mode ${before.mode}\nnew mode ${after.mode}\n`;
}

/** Null where there is no file, false for what is no text. */
async function readText(repository: Repository, version: FileVersion | null): Promise<string | null | false> {
  if (version === null) return null;
  const [content = null] = await readBlobs(repository, [version.blob]);
  return content === null || content.includes(0) ? false : content.toString('utf8');
}

/*
 * Two snapshots tell what changed between them, not who did it. If steps of several sessions run at the same time, the changes of one are
 * in the snapshots of the other, too. Numbers tell which did, and no clock: a step has its number before its first change, and the snapshot
 * after it knows the highest number there was.
 */

/** Steps, undos and redos of others that ran at the same time as a step. */
export function findBeside(records: readonly CheckpointRecord[], step: CheckpointRecord): readonly CheckpointRecord[] {
  if (step.after === null) return [];
  const [begin, end] = [toNumber(step.id), endOf(records, step)];
  const { sessionId } = step.before.note;
  return records.filter((other) => {
    // The steps of one session come one after the other, and an undo without an end has touched nothing.
    if (other.id === step.id || other.before.note.of === step.id || other.before.note.sessionId === sessionId)
      return false;
    if (other.before.note.of !== null && other.after === null) return false;
    return toNumber(other.id) <= end && begin <= endOf(records, other);
  });
}

/** The highest number at the end of a step. One that has no end ran at least until its session began another one, or its process ended. */
function endOf(records: readonly CheckpointRecord[], { id, before, after }: CheckpointRecord): number {
  const number = toNumber(id);
  if (after !== null) return after.note.until ?? number;
  return isAtWork(records, { id, before }) ? Number.POSITIVE_INFINITY : number;
}

/** True for a step without an end whose process is still there, and whose session has begun none since. */
function isAtWork(
  records: readonly CheckpointRecord[],
  { id, before }: Pick<CheckpointRecord, 'id' | 'before'>,
): boolean {
  const { sessionId, process } = before.note;
  const isOver = records.some((one) => one.before.note.sessionId === sessionId && toNumber(one.id) > toNumber(id));
  return !isOver && process !== undefined && isProcessAlive(process);
}

/** Why the raw paths that others changed at the same time are not surely a step's own. */
export async function findShared(
  repository: Repository,
  step: CheckpointRecord,
  beside: readonly CheckpointRecord[],
): Promise<ReadonlyMap<string, string>> {
  const shared = new Map<string, string>();
  for (const other of beside) {
    // Nobody knows what a step without an end changed: all changes from when both had begun count.
    const both = toNumber(other.id) > toNumber(step.id) ? other.before : step.before;
    const [from, to] = other.after === null ? [both, step.after ?? both] : [other.before, other.after];
    for (const { path } of await readChanges(repository, from, to))
      if (!shared.has(path)) shared.set(path, formatShared(other.id, other.after !== null));
  }
  return shared;
}

/** Finds the changes of the steps beside it that an undo takes back as well, by raw path and what is there then. */
export async function findTakenAlong(
  repository: Repository,
  beside: readonly CheckpointRecord[],
  put: ReadonlyMap<string, Parameters<typeof isSameState>[1]>,
): Promise<readonly TakenAlong[]> {
  const along: TakenAlong[] = [];
  for (const { id, before, after } of beside) {
    if (after === null || before.note.of !== null) continue;
    const changes = await readChanges(repository, before, after);
    const taken = changes.filter(({ path, before: old }) => put.has(path) && isSameState(old, put.get(path) ?? null));
    if (taken.length > 0) along.push({ id, whole: taken.length === changes.length });
  }
  return along;
}
