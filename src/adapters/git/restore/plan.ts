import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import type {
  ConflictCode,
  PathPlan,
  RestoreChoice,
  RestoreDirection,
  RestorePlan,
} from '../../../protocol/checkpoint.ts';
import { AishError } from '../../../protocol/error.ts';
import { inRoom, privateEnvironment } from '../object-store/private-directory.ts';
import { coversPath, openRepository, type Repository, toWorkTreePath } from '../object-store/repository.ts';
import { readGit, readIgnored } from '../process/git-process.ts';
import { formatRawPath, lstatOrNull, splitRawPaths, toFullPath } from '../process/raw-path.ts';
import { type CheckpointRecord, readRecords } from '../snapshot/checkpoint-record.ts';
import { GIT_DATA } from '../snapshot/messages.ts';
import { findOlder, isAmongOlder } from '../snapshot/older-files.ts';
import { isBeyondLink, isSameState, readBlobs, readFileState, refusePath } from '../snapshot/work-file.ts';
import { REASONS } from './messages.ts';
import {
  findSource,
  isMergeable,
  mergeVersions,
  type RestoreSource,
  readSourceChanges,
  type SourceChange,
} from './restore-source.ts';

/** The step to take back, or to do once more. */
export interface PlanOptions {
  readonly cwd: string;
  /** Null: the newest step that is not undone, or the one that was undone last. */
  readonly id: string | null;
  readonly direction: RestoreDirection;
  /** Files or directories, absolute or relative to `cwd`. */
  readonly paths?: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** True for the steps that are kept apart, from the time when the folder was no repository. */
  readonly apart?: boolean | undefined;
}

/** Most conflicts that are looked at for whether they merge; git is started for each. */
const MOST_MERGES = 200;

/** Tells path by path what an undo or redo would do. Nothing is changed. */
export async function planRestore(options: PlanOptions): Promise<RestorePlan> {
  const repository = await openRepository(options.cwd, { signal: options.signal, apart: options.apart });
  const records = await readRecords(repository);
  const except = new Set<string>();
  for (;;) {
    const source = await findSource(repository, records, { ...options, except });
    const { paths, unknown } = await classifyWanted(repository, source, options);
    // A user who knows already that nothing of a step can be taken back wants the next one.
    if (options.id === null && options.paths === undefined && wasReported(source, paths)) except.add(source.step.id);
    else
      return {
        ...placeOf(repository, options),
        ...describeSource(source),
        paths: await offerMerges(repository, paths),
        unknown,
      };
  }
}

function placeOf({ root }: Repository, { apart }: PlanOptions): Pick<RestorePlan, 'root' | 'apart'> {
  return apart === true ? { root, apart } : { root };
}

async function classifyWanted(repository: Repository, source: RestoreSource, { cwd, paths }: PlanOptions) {
  const wanted = paths?.map((path) => toWorkTreePath(repository, cwd, path)) ?? [''];
  const changes = await readSourceChanges(repository, source);
  const selected = changes.filter((change) => wanted.some((path) => coversPath(path, change.path)));
  const unknown = wanted.filter((path) => path !== '' && !changes.some((change) => coversPath(path, change.path)));
  const classified = await classifyAll(repository, selected, { isNamed: paths !== undefined });
  return { paths: classified, unknown: unknown.map(formatRawPath) };
}

function wasReported({ isReported, state }: RestoreSource, paths: readonly PathPlan[]): boolean {
  const isRest = state === 'partly' && paths.some((path) => path.state === 'refused');
  return (isReported || isRest) && isNothingLeft(paths);
}

/** True if nothing could be taken back or done once more, whatever were chosen. */
export function isNothingLeft(paths: readonly PathPlan[]): boolean {
  return paths.every(({ state }) => state === 'refused' || state === 'same');
}

/** Classifies all paths of a restore as they are now, without a look at what would merge. */
export async function classifyChanges(
  repository: Repository,
  changes: readonly SourceChange[],
): Promise<readonly PathPlan[]> {
  return classifyAll(repository, changes, { isNamed: false });
}

function describeSource({ step, named, direction }: RestoreSource) {
  const { label, at } = step.before.note;
  return { id: step.id, named: named.id, direction, label, at };
}

interface Circumstances {
  readonly isNamed: boolean;
  /** The paths that go away before it. */
  readonly leaving: ReadonlySet<string>;
  /** The same, with what goes away where that is chosen. */
  readonly mayLeave: ReadonlySet<string>;
  /** Why what the step seems to have made or changed may be older than it, by path. */
  readonly maybeOlder: ReadonlyMap<string, Exclude<ConflictCode, 'shared'>>;
}

/** Classifies what goes away first: a link that makes room for the directory it replaced does not stand in its files' way. */
async function classifyAll(
  repository: Repository,
  changes: readonly SourceChange[],
  { isNamed }: Pick<Circumstances, 'isNamed'>,
): Promise<readonly PathPlan[]> {
  const leaving = new Set<string>();
  const maybeOlder = await findMaybeOlder(repository, changes);
  const mayLeave = new Set<string>();
  const circumstances = { isNamed, leaving, mayLeave, maybeOlder };
  const classify = (change: SourceChange): PathPlan => classifyPath(repository, change, circumstances);
  const first = changes.filter((change) => change.before === null).map(classify);
  for (const { key, state } of first) {
    if (state === 'restore') leaving.add(key);
    if (state === 'restore' || state === 'conflict') mayLeave.add(key);
  }
  const plans = [...first, ...changes.filter((change) => change.before !== null).map(classify)];
  return plans.sort((one, other) => (one.key < other.key ? -1 : 1));
}

function classifyPath(
  repository: Repository,
  change: SourceChange,
  { isNamed, leaving, mayLeave, maybeOlder }: Circumstances,
): PathPlan {
  const { path, before: target, after: left, record, shared, isPlanted = false } = change;
  const parents = path.split('/').slice(0, -1);
  const makesRoom = parents.some((_, depth) => leaving.has(parents.slice(0, depth + 1).join('/')));
  const refusal = isPlanted ? GIT_DATA : makesRoom ? null : (refusePath(repository.root, path) ?? refuseTarget(change));
  const now = makesRoom || refusal !== null ? null : readFileState(repository, path);
  const base = { key: path, path: formatRawPath(path), now, target, left, choices: [] };
  // The file that would go is gone already, with the directory that it was in.
  if (refusal !== null && target === null && isBeyondLink(repository.root, path))
    return { ...base, state: 'same', why: '' };
  if (refusal !== null) return { ...base, state: 'refused', why: refusal };
  if (isSameState(now, target)) return { ...base, state: 'same', why: '' };
  if (now === 'other') return { ...base, state: 'refused', why: REASONS.notRestorable };
  if (now === null && isFolderInWay(repository.root, path, mayLeave))
    return { ...base, state: 'refused', why: REASONS.fileIsFolder };
  const choices: readonly RestoreChoice[] = ['mine', 'theirs'];
  const conflict = (code: ConflictCode, why: string): PathPlan => ({ ...base, state: 'conflict', code, why, choices });
  if (!isSameState(now, left)) return conflict('changed', REASONS.changed);
  const older = maybeOlder.get(path);
  if (older !== undefined) return conflict(older, REASONS[older]);
  if (shared !== null) return conflict('shared', shared);
  if (record.after !== null || isNamed) return { ...base, state: 'restore', why: '' };
  return conflict('never-ended', REASONS['never-ended']);
}

async function findMaybeOlder(
  repository: Repository,
  changes: readonly SourceChange[],
): Promise<Circumstances['maybeOlder']> {
  const found = new Map<string, Exclude<ConflictCode, 'shared'>>();
  for (const record of new Set(changes.map((change) => change.record))) {
    const own = changes.filter((change) => change.record === record);
    const older = readOlder(repository, record, own);
    for (const { path } of own) if (isAmongOlder(older, path)) found.set(path, 'older');
    const made = own.filter(({ before }) => before === null).map(({ path }) => path);
    for (const path of record.after?.note.meanwhile ?? []) found.set(path, 'changed-after');
    for (const path of await findIgnoredBy(repository, record.before.tree, made)) found.set(path, 'was-ignored');
  }
  return found;
}

/** A step that never ended was not looked through. */
function readOlder(repository: Repository, { before, after }: CheckpointRecord, changes: readonly SourceChange[]) {
  const { began, at, isDryRun } = before.note;
  return after !== null && began !== null
    ? after.note.older
    : findOlder(repository, changes, { began: began ?? at, isDryRun });
}

function refuseTarget({ path, before, record }: SourceChange): string | null {
  const { skipped, skippedUntracked } = record.before.note;
  if (skipped.includes(path)) return REASONS.notKept;
  if (before === null && skippedUntracked > 0) return REASONS.maybeOlder;
  return null;
}

async function offerMerges(repository: Repository, plans: readonly PathPlan[]): Promise<readonly PathPlan[]> {
  const open = plans.filter((plan) => plan.state === 'conflict' && isMergeable(plan)).slice(0, MOST_MERGES);
  const merging = new Map<string, PathPlan>();
  for (const plan of open) {
    const merged = await mergeVersions(repository, plan);
    if (merged !== null) merging.set(plan.key, { ...plan, choices: [...plan.choices, 'merged'] });
  }
  return plans.map((plan) => merging.get(plan.key) ?? plan);
}

/*
 * A snapshot without a file that was ignored when it was taken does not tell that the file was not there. So a step that changes what
 * is ignored seems to have made files that are much older, and its undo would delete them.
 */

/** Those of the raw paths that the patterns in a snapshot of the work tree ignore. */
async function findIgnoredBy(
  repository: Repository,
  tree: string,
  paths: readonly string[],
): Promise<ReadonlySet<string>> {
  if (paths.length === 0) return new Set();
  const patterns = await listPatterns(repository, tree);
  if (patterns.length === 0) return new Set();
  return inRoom(repository, 'ignored', async (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    const contents = await readBlobs(
      repository,
      patterns.map(({ blob }) => blob),
    );
    for (const [place, { path }] of patterns.entries()) {
      mkdirSync(toFullPath(folder, dirname(path)), { recursive: true });
      writeFileSync(toFullPath(folder, path), contents[place] ?? '');
    }
    const env = { ...privateEnvironment(repository), GIT_WORK_TREE: folder };
    const { ignored, exit, stderr } = await readIgnored({ ...repository.place, cwd: folder, env }, paths, [
      '--no-index',
    ]);
    if (exit <= 1) return new Set(ignored);
    throw new AishError('git.failed', `cannot find the files that git ignored: ${stderr.split('\n')[0]}`);
  });
}

async function listPatterns(repository: Repository, tree: string) {
  const args = ['ls-tree', '-r', '-z', tree];
  const listing = await readGit(
    { ...repository.place, env: privateEnvironment(repository), args },
    'read the checkpoint',
  );
  return splitRawPaths(listing).flatMap((entry) => {
    const [, blob, path] = /^100\d{3} blob ([0-9a-f]+)\t((?:.*\/)?\.gitignore)$/s.exec(entry) ?? [];
    return blob === undefined || path === undefined ? [] : [{ blob, path }];
  });
}

/** True if a folder is in the place of a file and holds something that does not go away before the file comes. */
function isFolderInWay(root: string, path: string, leaving: ReadonlySet<string>): boolean {
  if (lstatOrNull(toFullPath(root, path))?.isDirectory() !== true) return false;
  const names = list(root, path);
  return names.length > 0 && !isCleared(root, path, leaving);
}

/** With its last file a folder goes, too; one that was empty before stays. */
function isCleared(root: string, path: string, leaving: ReadonlySet<string>): boolean {
  const names = list(root, path);
  return (
    names.length > 0 &&
    names.every((name) => {
      const below = `${path}/${name}`;
      const isFolder = lstatOrNull(toFullPath(root, below))?.isDirectory() === true;
      return isFolder ? isCleared(root, below, leaving) : leaving.has(below);
    })
  );
}

/** One that may not be read cannot be emptied either, so it counts as holding something. */
function list(root: string, path: string): readonly string[] {
  try {
    return readdirSync(toFullPath(root, path), { encoding: 'buffer' }).map((name) => name.toString('latin1'));
  } catch {
    return ['.'];
  }
}
