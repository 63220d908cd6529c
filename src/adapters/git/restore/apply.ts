import type {
  Checkpoint,
  FileVersion,
  PathPlan,
  RestoreChoice,
  RestoreChoices,
  RestorePlan,
  RestoreReport,
} from '../../../protocol/checkpoint.ts';
import { errorCode, toErrorFact } from '../../../protocol/error.ts';
import { whileKeeping } from '../object-store/private-directory.ts';
import { openRepository, type Repository } from '../object-store/repository.ts';
import type { SnapshotContent } from '../object-store/withheld.ts';
import { formatRawPath, lstatOrNull, toFullPath } from '../process/raw-path.ts';
import { buildSnapshot, readChanges } from '../snapshot/changes.ts';
import {
  type CheckpointOptions,
  type KeptCheckpoint,
  keepCheckpoint,
  keepSnapshotAfter,
} from '../snapshot/checkpoint.ts';
import { type CheckpointRecord, type RestoreEnd, readRecords, readStates } from '../snapshot/checkpoint-record.ts';
import { MOUNTED } from '../snapshot/messages.ts';
import {
  type Access,
  accessOf,
  closeFolders,
  type KnownAccess,
  type ModeTable,
  makeFolders,
  type OpenFolder,
} from '../snapshot/permissions.ts';
import { lookAgainAt, readModes } from '../snapshot/snapshot-modes.ts';
import { findTakenAlong } from '../snapshot/timeline.ts';
import {
  isSameState,
  keepContent,
  putFile,
  readBlobs,
  readFileState,
  refusePath,
  removeFile,
} from '../snapshot/work-file.ts';
import { REASONS } from './messages.ts';
import { classifyChanges, isNothingLeft } from './plan.ts';
import {
  findSource,
  mergeVersions,
  type RestoreSource,
  readSourceChanges,
  type SourceChange,
} from './restore-source.ts';

/*
 * The order is what makes a restore safe to be killed at any moment. First a checkpoint of all that is there, with what
 * the restore is going to make of it as its snapshot after; then file by file; last the snapshot after is put right. Cut short
 * before the files it never was; cut short among them, each path still tells which of its two versions it holds, so that both another try
 * and the way back are three-way.
 */

interface ApplyOptions extends Pick<CheckpointOptions, 'limits'> {
  readonly sessionId: string;
  /** Milliseconds since the epoch; now, if it is not given. */
  readonly at?: number;
  /** A directory that stays even if it becomes empty: somebody is in it. */
  readonly keep?: string;
  /** Stops the work before the first file is put back. */
  readonly signal?: AbortSignal | undefined;
  /** Looked at between files: true leaves the rest as it is, and says so of each. */
  readonly shouldEnd?: () => boolean;
}

/** A report that also names the step, and the checkpoint made first so that all of it can be taken back. */
export interface RestoreOutcome extends RestoreReport {
  readonly checkpoint: string;
  readonly undo: Checkpoint | null;
}

interface Operation {
  readonly path: string;
  /** The version that must still be there. */
  readonly now: FileVersion | null;
  readonly target: FileVersion | null;
}

interface Decided {
  readonly operations: readonly Operation[];
  readonly settled: readonly string[];
  readonly refused: RestoreReport['refused'];
}

/**
 * Carries a plan out. Every path is looked at again: what is not as it was planned is left alone and reported, and so is a conflict
 * without a choice. Never resets or cleans.
 */
export async function applyRestore(
  plan: RestorePlan,
  choices: RestoreChoices,
  options: ApplyOptions,
): Promise<RestoreOutcome> {
  const repository = await openRepository(plan.root, { signal: options.signal, apart: plan.apart });
  const records = await readRecords(repository);
  // An undo or redo that is named itself is always taken back.
  const direction = plan.named === plan.id ? plan.direction : 'undo';
  const source = await findSource(repository, records, { id: plan.named, direction });
  const changes = await readSourceChanges(repository, source);
  const fresh = await classifyChanges(repository, changes);
  const decided = await decideAll(repository, plan, fresh, choices);
  const earlier = readSettled(records, source);
  const end = describeEnd(source, fresh, decided, earlier);
  const refused = [...decided.refused, ...plan.unknown.map((path) => ({ path, why: REASONS.notInStep }))];
  const settled = decided.settled.length === 0 ? {} : { kept: decided.settled.map(formatRawPath) };
  const idle = { checkpoint: plan.id, restored: [], refused, ...settled, undo: null };
  const isAll = plan.paths.length === fresh.length;
  if (decided.operations.length === 0 && !isNews(source, { end, earlier, isIdle: isAll && isNothingLeft(fresh) }))
    return idle;
  const { beside } = source;
  const { checkpoint, snapshot } = await keepCheckpoint(repository, describeRestore(plan, options), {
    of: plan.id,
    paths: decided.operations.map(({ path }) => path),
  });
  // From here on it is finished: files put back by half are worse than a user who waits.
  const unstopped = { ...repository, place: { ...repository.place, signal: undefined } };
  const done = await whileKeeping(unstopped, () =>
    carryOut(unstopped, { checkpoint, snapshot }, { operations: decided.operations, end, changes, beside }, options),
  );
  return { ...idle, ...done, refused: [...refused, ...done.refused].sort(byPath), undo: checkpoint };
}

function byPath(one: { readonly path: string }, other: { readonly path: string }): number {
  return one.path < other.path ? -1 : 1;
}

function describeRestore({ id, root, direction }: RestorePlan, { sessionId, limits, at = Date.now() }: ApplyOptions) {
  const label = `before ${direction} of ${id}`;
  return { cwd: root, label, toolName: direction, cause: direction, mode: 'ref', sessionId, limits, at } as const;
}

async function decideAll(
  repository: Repository,
  plan: RestorePlan,
  fresh: readonly PathPlan[],
  choices: RestoreChoices,
): Promise<Decided> {
  const current = new Map(fresh.map((path) => [path.key, path]));
  const operations: Operation[] = [];
  const settled: string[] = [];
  const refused: { path: string; why: string }[] = [];
  for (const path of plan.paths) {
    const choice = Object.hasOwn(choices, path.key) ? choices[path.key] : undefined;
    const decision = await decide(repository, path, current.get(path.key), choice);
    if (decision === 'settled') settled.push(path.key);
    else if (typeof decision === 'string') refused.push({ path: path.path, why: decision });
    else if (decision !== null) operations.push(decision);
  }
  return { operations, settled, refused };
}

/** Decides about a path: an operation, nothing to do (null), left alone on purpose (`settled`), or the reason against it. */
async function decide(
  repository: Repository,
  planned: PathPlan,
  fresh: PathPlan | undefined,
  choice: RestoreChoice | undefined,
): Promise<Operation | 'settled' | string | null> {
  if (fresh === undefined || !isAsPlanned(planned, fresh)) return REASONS.changed;
  if (fresh.state === 'refused') return fresh.why;
  const { key: path, now, target } = fresh;
  if (fresh.state === 'same' || now === 'other') return null;
  if (planned.state === 'restore') return { path, now, target };
  if (choice === undefined || !fresh.choices.concat(planned.choices).includes(choice)) return planned.why;
  if (choice === 'mine') return 'settled';
  if (choice === 'theirs') return { path, now, target };
  const merged = await mergeVersions(repository, fresh);
  if (merged === null) return REASONS.changed;
  const version = { mode: merged.mode, blob: await keepContent(repository, path, merged) };
  // The present file may have come to the same already.
  return isSameState(version, now) ? 'settled' : { path, now, target: version };
}

function isAsPlanned(planned: PathPlan, fresh: PathPlan): boolean {
  const isSameTarget = isSameState(planned.target, fresh.target) && isSameState(planned.left, fresh.left);
  return isSameTarget && isSameState(planned.now, fresh.now);
}

/** Paths that earlier undos of the step left as they are on purpose. */
function readSettled(records: readonly CheckpointRecord[], { step, direction }: RestoreSource): ReadonlySet<string> {
  const undos = direction === 'undo' ? (readStates(records).get(step.id)?.undos ?? []) : [];
  return new Set(undos.flatMap(({ after }) => after?.note.ended?.settled ?? []));
}

/** Paths taken back one after the other come to the same as the whole step at once. */
function describeEnd(
  source: RestoreSource,
  fresh: readonly PathPlan[],
  { operations, settled }: Decided,
  earlier: ReadonlySet<string>,
): RestoreEnd {
  const ready = new Set([...operations.map(({ path }) => path), ...settled, ...earlier]);
  const whole = source.whole && fresh.every(({ key, state }) => state === 'same' || ready.has(key));
  return { whole, settled, along: [] };
}

/**
 * True if it is worth a checkpoint although no file changes: a choice is to be kept, or that nothing could be done, so that the next undo
 * is for another step, or the step counts as undone or done from now on, as it was all but done when it was cut short.
 */
function isNews(
  { isReported, isCutShort, state, direction }: RestoreSource,
  {
    end,
    earlier,
    isIdle,
  }: { readonly end: RestoreEnd; readonly earlier: ReadonlySet<string>; readonly isIdle: boolean },
): boolean {
  if (direction === 'undo' && end.settled.some((path) => !earlier.has(path))) return true;
  if (isCutShort) return end.whole && state !== (direction === 'undo' ? 'undone' : 'done');
  return isIdle && !isReported;
}

/** The operations to do, the changes they come from, the end they come to, and the steps that others made at the same time as the step. */
interface Work {
  readonly operations: readonly Operation[];
  readonly end: RestoreEnd;
  readonly changes: readonly SourceChange[];
  readonly beside: readonly CheckpointRecord[];
}

async function carryOut(
  repository: Repository,
  { checkpoint, snapshot }: KeptCheckpoint,
  { operations, end, changes, beside }: Work,
  options: ApplyOptions,
): Promise<RestoreReport> {
  const keep = (content: SnapshotContent, ended: RestoreEnd | null, modes = snapshot.modes) =>
    keepSnapshotAfter(repository, checkpoint, { ...snapshot, ...content, modes }, { ended });
  const build = (some: readonly Operation[]) =>
    buildSnapshot(
      repository,
      snapshot,
      some.map(({ path, target }) => ({ path, version: target })),
    );
  const intended = await build(operations);
  await keep(intended, null);
  const kept = await findKept(repository, snapshot, intended, operations);
  const done = await putAllBack(
    repository,
    operations.filter((operation) => kept.has(operation)),
    { ...options, known: await readKnownAccess(repository, changes) },
  );
  const isAll = done.operations.length === operations.length;
  const put = new Map(done.operations.map(({ path, target }) => [path, target]));
  const modes = await lookAgainAt(repository, snapshot.modes, [...put.keys()]);
  const along = await findTakenAlong(repository, beside, put);
  await keep(isAll ? intended : await build(done.operations), { ...end, along, whole: end.whole && isAll }, modes);
  const changed = operations.filter((operation) => !kept.has(operation));
  const refused = changed.map(({ path }) => ({ path: formatRawPath(path), why: REASONS.changed }));
  const pathsOf = (some: readonly Operation[]) => some.map(({ path }) => formatRawPath(path)).sort();
  const removed = pathsOf(done.operations.filter(({ target }) => target === null));
  return {
    restored: pathsOf(done.operations),
    ...(removed.length === 0 ? {} : { removed }),
    refused: [...refused, ...done.refused],
  };
}

/** The operations whose path is in the snapshot as planned, so that no version is overwritten that is not kept. */
async function findKept(
  repository: Repository,
  before: SnapshotContent,
  intended: SnapshotContent,
  operations: readonly Operation[],
): Promise<ReadonlySet<Operation>> {
  const changes = await readChanges(repository, before, intended);
  const kept = new Map(changes.map((change) => [change.path, change.before]));
  return new Set(operations.filter(({ path, now }) => kept.has(path) && isSameState(kept.get(path) ?? null, now)));
}

/** Files read at once: each is at most `LARGEST_FILE`. */
const BATCH = 16;

/** Puts versions in place whose content the repository has. Deletions first, so that a directory can become a file again and the other way round. */
export async function putAllBack(
  repository: Repository,
  operations: readonly Operation[],
  options: Pick<ApplyOptions, 'shouldEnd' | 'keep'> & { readonly known: (path: string) => KnownAccess },
): Promise<{ readonly operations: readonly Operation[]; readonly refused: RestoreReport['refused'] }> {
  const { shouldEnd = () => false, keep = repository.root, known } = options;
  const open: OpenFolder[] = [];
  const names = new Map<string, string>();
  const done: Operation[] = [];
  const refused: { path: string; why: string }[] = [];
  const put = (operation: Operation, content: Buffer | null) => {
    const deps = { keep, known: known(operation.path), open, names };
    const why = shouldEnd() ? REASONS.halted : putBack(repository, operation, content, deps);
    if (why === null) done.push(operation);
    else refused.push({ path: formatRawPath(operation.path), why });
  };
  for (const operation of operations.filter(({ target }) => target === null)) put(operation, null);
  const written = operations.flatMap((operation) =>
    operation.target === null ? [] : [{ operation, blob: operation.target.blob }],
  );
  for (let at = 0; at < written.length; at += BATCH) {
    const batch = written.slice(at, at + BATCH);
    const blobs = batch.map(({ blob }) => blob);
    const contents = await readBlobs(repository, blobs);
    for (const [place, { operation }] of batch.entries()) put(operation, contents[place] ?? null);
  }
  closeFolders(open);
  return { operations: done, refused };
}

interface PutDeps {
  readonly keep: string;
  readonly known: KnownAccess;
  /** Folders that are to be closed when all is in them. */
  readonly open: OpenFolder[];
  /** The path that was put in place for each file with several names. */
  readonly names: Map<string, string>;
}

/**
 * A key that all names of one file share if they are to hold the same; null if there is no file. The last of them that is left has one name
 * by then.
 */
function nameFile(root: string, path: string, { mode, blob }: FileVersion): string | null {
  const stat = lstatOrNull(toFullPath(root, path));
  return stat?.isFile() ? `${stat.dev} ${stat.ino} ${mode} ${blob}` : null;
}

function putBack(repository: Repository, operation: Operation, content: Buffer | null, deps: PutDeps): string | null {
  const { path, target, now } = operation;
  const { root } = repository;
  // Looked at again just before the write: the user may be typing in it.
  const refusal = refusePath(root, path);
  if (refusal !== null) return refusal;
  if (target !== null && content === null) return REASONS.missingContent;
  try {
    if (!isSameState(readFileState(repository, path), now)) return REASONS.changed;
    if (target === null) removeFile(root, path, deps.keep);
    else if (content !== null) {
      deps.open.push(...makeFolders(repository, path, deps.known));
      const file = nameFile(root, path, target);
      putFile(repository, path, {
        mode: target.mode,
        content,
        known: deps.known,
        twin: (file === null ? null : deps.names.get(file)) ?? null,
      });
      if (file !== null) deps.names.set(file, path);
    }
    return null;
  } catch (thrown) {
    const code = errorCode(thrown);
    if (code === 'ENOTEMPTY') return REASONS.fileIsFolder;
    if (code === 'ENOTDIR' || code === 'EEXIST') return REASONS.folderIsFile;
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') return REASONS.notWritable;
    if (code === 'EBUSY') return MOUNTED;
    if (code === 'ENOSPC' || code === 'EDQUOT') return REASONS.diskFull;
    return toErrorFact(thrown).message;
  }
}

/** Reads what snapshots know of all paths of a restore. */
async function readKnownAccess(
  repository: Repository,
  changes: readonly SourceChange[],
): Promise<(path: string) => KnownAccess> {
  const byPath = new Map(changes.map((change) => [change.path, change]));
  const names = new Set(changes.flatMap(({ record }) => [record.before.note.modes, record.after?.note.modes ?? null]));
  const tables = new Map<string | null, ModeTable | null>([[null, null]]);
  for (const name of names) if (name !== null) tables.set(name, await readModes(repository, name));
  const find = (name: string | null | undefined, path: string, mode = ''): Access | null => {
    const table = tables.get(name ?? null) ?? null;
    return table === null ? null : accessOf(table, path, mode === '100755');
  };
  return (path) => {
    const change = byPath.get(path);
    const before = change?.record.before.note.modes;
    return {
      was: find(before, path, change?.before?.mode),
      left: change?.after ? find(change.record.after?.note.modes, path, change.after.mode) : null,
      folder: (above) => find(before, above),
    };
  };
}
