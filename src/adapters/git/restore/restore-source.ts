import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileVersion, PathPlan, RestoreDirection, RestorePlan } from '../../../protocol/checkpoint.ts';
import { inRoom, privateEnvironment } from '../object-store/private-directory.ts';
import { hasOlderSteps, openRepository, type Repository } from '../object-store/repository.ts';
import { isSameContent } from '../object-store/withheld.ts';
import { runGit } from '../process/git-process.ts';
import { type Change, countChanges, readChanges } from '../snapshot/changes.ts';
import {
  type CheckpointRecord,
  isOwnStep,
  isUndo,
  readStates,
  type StepState,
  UNTOUCHED,
} from '../snapshot/checkpoint-record.ts';
import { takeSnapshot } from '../snapshot/snapshot.ts';
import { findBeside, findRecord, findShared } from '../snapshot/timeline.ts';
import { isSameState, readBlobs, readFile } from '../snapshot/work-file.ts';
import { nothingToRedo, nothingToUndo, notUndone, prunedStep, undoneTogether } from './messages.ts';

/*
 * An undo takes back the step's own change. A redo takes back the undos of the step that still stand: so it returns what was
 * there just before them, be it what the step left or what a user had made of it by then. An undo or redo that is named itself is
 * taken back in the same way.
 */

/** The source from which a restore is worked out. */
export interface RestoreSource extends Omit<StepState, 'undos'> {
  readonly step: CheckpointRecord;
  /** The step, or the undo or redo of it that is taken back. */
  readonly named: CheckpointRecord;
  readonly direction: RestoreDirection;
  /** The checkpoints whose changes are taken back, the one that counts for a path first. */
  readonly records: readonly CheckpointRecord[];
  /** The steps of others at the same time: a path that they changed as well is not surely the step's own. */
  readonly beside: readonly CheckpointRecord[];
  /** True if taking back all of them leaves nothing of the step to be undone or redone. */
  readonly whole: boolean;
}

/** One path of a restore: `before` is what it would be put back to. */
export interface SourceChange extends Change {
  readonly record: CheckpointRecord;
  /** Why it may be the change of somebody else; null if it is surely this one's. */
  readonly shared: string | null;
}

interface SourceQuery {
  /** Null: the next one. */
  readonly id: string | null;
  readonly direction: RestoreDirection;
  /** Steps that are not to be the next one. */
  readonly except?: ReadonlySet<string>;
}

/** Finds what an undo or redo is about. */
export async function findSource(
  repository: Repository,
  records: readonly CheckpointRecord[],
  { id, direction, except = new Set() }: SourceQuery,
): Promise<RestoreSource> {
  const states = readStates(records);
  if (id === null && direction === 'redo') return findRedoable(records, except);
  const named = id === null ? await findUndoable(repository, records, except) : findRecord(records, id);
  const { of } = named.before.note;
  if (of === null) return toSource(records, named, direction);
  const step = findStep(records, named, of);
  if (direction === 'redo') return toSource(records, step, isUndo(named) ? 'undo' : 'redo');
  const isAll = (states.get(of)?.undos ?? []).every((undo) => undo === named);
  const whole = named.after?.note.ended?.whole === true && (!isUndo(named) || isAll);
  const { undos: _, ...state } = states.get(of) ?? UNTOUCHED;
  return { ...state, step, named, direction: isUndo(named) ? 'redo' : 'undo', records: [named], beside: [], whole };
}

function toSource(
  records: readonly CheckpointRecord[],
  step: CheckpointRecord,
  direction: RestoreDirection,
): RestoreSource {
  const { undos, ...state } = readStates(records).get(step.id) ?? UNTOUCHED;
  const { along } = state;
  const source = { ...state, step, named: step, direction, whole: true };
  if (direction === 'undo') return { ...source, records: [step], beside: findBeside(records, step) };
  if (undos.length > 0) return { ...source, records: undos, beside: [] };
  throw along === null ? notUndone(step.id) : undoneTogether(step.id, along);
}

function findStep(records: readonly CheckpointRecord[], named: CheckpointRecord, of: string): CheckpointRecord {
  const step = records.find((record) => record.id === of);
  if (step !== undefined) return step;
  throw prunedStep(named.id, of);
}

/** Finds the step of the latest undo that was not redone, so that redos reverse undos in order. */
function findRedoable(records: readonly CheckpointRecord[], except: ReadonlySet<string>): RestoreSource {
  const states = readStates(records);
  for (const record of records) {
    const { of } = record.before.note;
    const step = of === null ? undefined : records.find((one) => one.id === of);
    if (of === null || step === undefined || except.has(of) || !states.get(of)?.undos.includes(record)) continue;
    return toSource(records, step, 'redo');
  }
  throw nothingToRedo(except);
}

/**
 * Undone steps and those that changed nothing are passed over. A step that never ended changed nothing if all is now as it was before it.
 */
async function findUndoable(
  repository: Repository,
  records: readonly CheckpointRecord[],
  except: ReadonlySet<string>,
): Promise<CheckpointRecord> {
  const counts = await countChanges(repository, records);
  const states = readStates(records);
  const steps = records.filter(isOwnStep);
  const isCutShort = steps.some((record) => record.after === null);
  const now = isCutShort ? await takeSnapshot(repository) : null;
  for (const record of steps) {
    if (states.get(record.id)?.state === 'undone' || except.has(record.id)) continue;
    const { added, changed, removed } = counts.get(record.id) ?? { added: 0, changed: 0, removed: 0 };
    if (record.after === null ? now === null || !isSameContent(record.before, now) : added + changed + removed > 0)
      return record;
  }
  throw nothingToUndo(except, hasOlderSteps(repository));
}

/** The paths of a restore. If several undos changed one path, the newest counts; a change by an undo is surely its own. */
export async function readSourceChanges(
  repository: Repository,
  { records, step, beside }: RestoreSource,
): Promise<readonly SourceChange[]> {
  const shared = await findShared(repository, step, beside);
  const changes = new Map<string, SourceChange>();
  for (const record of records) {
    const end = record.after ?? (await takeSnapshot(repository));
    for (const change of await readChanges(repository, record.before, end))
      if (!changes.has(change.path))
        changes.set(change.path, { ...change, record, shared: shared.get(change.path) ?? null });
  }
  return [...changes.values()];
}

/** A path's two versions and what they come to together; null if there is none. */
interface ConflictVersions {
  readonly mine: Buffer | null;
  readonly theirs: Buffer | null;
  readonly merged: Buffer | null;
}

/** The result of a merge: bytes and mode. */
interface MergedFile {
  readonly mode: string;
  readonly content: Buffer;
}

/** Both sides of a conflict, to be shown. The version of a link is its target. */
export async function readConflict(plan: RestorePlan, key: string): Promise<ConflictVersions> {
  const repository = await openRepository(plan.root, { apart: plan.apart });
  const path = plan.paths.find((one) => one.key === key);
  if (path === undefined) return { mine: null, theirs: null, merged: null };
  const [theirs = null] = await readBlobs(repository, path.target === null ? [] : [path.target.blob]);
  const merged = path.choices.includes('merged') ? await mergeVersions(repository, path) : null;
  return { mine: readNow(repository, path), theirs, merged: merged?.content ?? null };
}

/** True if three plain files are there to merge. */
export function isMergeable({ now, target, left }: PathPlan): boolean {
  return [now, target, left].every(isPlainFile) && !isSameState(now, left);
}

function isPlainFile(version: FileVersion | null | 'other'): boolean {
  return version !== null && version !== 'other' && version.mode !== '120000';
}

/** Takes the step's own lines back out of what is there now, or puts them in again. Null where the two overlap, or one is no text. */
export async function mergeVersions(repository: Repository, plan: PathPlan): Promise<MergedFile | null> {
  const { now, target, left } = plan;
  if (now === null || now === 'other' || target === null || left === null || !isMergeable(plan)) return null;
  const mine = readNow(repository, plan);
  const [base, theirs] = await readBlobs(repository, [left.blob, target.blob]);
  if (mine === null || !base || !theirs) return null;
  const content = await mergeContents(repository, { mine, base, theirs });
  // If one side alone changed the mode, its change stands.
  return content === null ? null : { mode: now.mode === left.mode ? target.mode : now.mode, content };
}

/** The bytes that a plan was made of; null if others are there by now. */
function readNow(repository: Repository, { key, now }: PathPlan): Buffer | null {
  if (now === null || now === 'other') return null;
  const file = readFile(repository, key);
  return file !== null && file !== 'other' && isSameState(file.version, now) ? file.content : null;
}

async function mergeContents(
  repository: Repository,
  sides: { readonly mine: Buffer; readonly base: Buffer; readonly theirs: Buffer },
): Promise<Buffer | null> {
  return inRoom(repository, 'merge', async (folder) => {
    mkdirSync(folder, { mode: 0o700 });
    for (const [name, content] of Object.entries(sides)) writeFileSync(join(folder, name), content, { mode: 0o600 });
    const args = ['merge-file', '-p', '-q', ...['mine', 'base', 'theirs'].map((name) => join(folder, name))];
    const { exit, stdout } = await runGit({ ...repository.place, env: privateEnvironment(repository), args });
    return exit === 0 ? stdout : null;
  });
}
