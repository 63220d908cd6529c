import { realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import type { Checkpoint, RestoreReport } from '../../protocol/checkpoint.ts';
import { AishError, toErrorFact } from '../../protocol/error.ts';
import { countChanges, findRecord, keepAfter, keepCheckpoint } from './checkpoint.ts';
import { type CheckpointRecord, readRecords } from './checkpoint-record.ts';
import { readGit } from './git-process.ts';
import { takePicture } from './picture.ts';
import { privateEnvironment } from './private-directory.ts';
import { formatRawPath, toRawPath } from './raw-path.ts';
import { openRepository, type Repository } from './repository.ts';
import { type FileState, isSameState, putFile, readFileState, refusePath, removeFile } from './work-file.ts';

/** What to take back. */
export interface RestoreOptions {
  readonly cwd: string;
  /** Null takes back the newest step that changed something and is not taken back already. */
  readonly id: string | null;
  /** Files or directories, absolute or relative to `cwd`. */
  readonly paths?: readonly string[];
  /** Stops the work before the first file is put back. */
  readonly signal?: AbortSignal | undefined;
  /** Looked at between files: true leaves the rest as it is, and says so of each. */
  readonly shouldEnd?: () => boolean;
}

/** A report that also names the checkpoint, and the one made first so that the undo can be undone. */
export interface RestoreOutcome extends RestoreReport {
  readonly checkpoint: string;
  readonly undo: Checkpoint | null;
}

interface Change {
  readonly path: string;
  readonly before: FileState | null;
  readonly after: FileState | null;
}

interface Verdict {
  readonly change: Change;
  /** Null: put it back. Empty: it is as before already. */
  readonly why: string | null;
}

/** Puts back what a step changed, path by path; a path that changed since is left alone. Never resets or cleans. */
export async function restoreCheckpoint(options: RestoreOptions): Promise<RestoreOutcome> {
  const repository = await openRepository(options.cwd, options.signal);
  const records = await readRecords(repository);
  const record = options.id === null ? await findUndoable(repository, records) : findRecord(records, options.id);
  const wanted = options.paths?.map((path) => toWorkTreePath(repository, options.cwd, path));
  const changes = await readChanges(repository, record);
  const selected =
    wanted === undefined ? changes : changes.filter((change) => wanted.some((path) => covers(path, change.path)));
  const unknown = (wanted ?? []).filter((path) => !changes.some((change) => covers(path, change.path)));
  const verdicts = judgeAll(repository, record, selected, wanted !== undefined);
  const refused = [
    ...verdicts.flatMap(toRefusal),
    ...unknown.map((path) => ({ path: formatRawPath(path), why: 'this step did not change it' })),
  ];
  const open = verdicts.filter((verdict) => verdict.why === null).map((verdict) => verdict.change);
  if (open.length === 0) return { checkpoint: record.id, restored: [], refused, undo: null };
  // Paths taken back one after the other come to the same as the whole step at once.
  const rest = changes.filter((change) => !selected.includes(change));
  const whole = refused.length === 0 && rest.every((change) => isAsBefore(repository, change));
  const undo = await keepCheckpoint(repository, describeUndo(options.cwd, record), whole ? record.id : null);
  // From here on it is finished: files put back by half are worse than a person who waits.
  const unstopped: Repository = { ...repository, place: { cwd: repository.root } };
  const done = await putBack(unstopped, open, options);
  await keepAfter(unstopped, undo);
  return { checkpoint: record.id, restored: done.restored, refused: [...refused, ...done.refused], undo };
}

function isAsBefore(repository: Repository, change: Change): boolean {
  return isSameState(readFileState(repository, change.path), change.before);
}

/**
 * Steps that changed nothing, undos themselves, and steps taken back by an undo that still stands are passed over. A step that never
 * ended changed nothing if all is now as it was before it.
 */
async function findUndoable(repository: Repository, records: readonly CheckpointRecord[]): Promise<CheckpointRecord> {
  const counts = await countChanges(repository, records);
  const isCutShort = records.some((record) => record.after === null);
  const now = isCutShort ? (await takePicture(repository)).tree : null;
  const takenBack = new Set<string>();
  for (const record of records) {
    const { undoes, toolName } = record.before.note;
    if (undoes !== null && !takenBack.has(record.id)) takenBack.add(undoes);
    if (toolName === UNDO || takenBack.has(record.id) || counts.get(record.id) === 0) continue;
    if (record.after === null && record.before.tree === now) continue;
    return record;
  }
  throw new AishError('checkpoint.none', 'there is nothing to undo in this work tree', {
    hint: ':checkpoints lists what was kept',
  });
}

const UNDO = 'undo';

function describeUndo(cwd: string, record: CheckpointRecord) {
  const { sessionId } = record.before.note;
  return { cwd, label: `before undo of ${record.id}`, toolName: UNDO, mode: 'ref', sessionId, at: Date.now() } as const;
}

/** What the step changed: from its picture before to its picture after, or to the present when it never ended. */
async function readChanges(repository: Repository, record: CheckpointRecord): Promise<readonly Change[]> {
  const after = record.after?.tree ?? (await takePicture(repository)).tree;
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', '--no-abbrev', record.before.tree, after];
  const listing = await readGit(
    { ...repository.place, env: privateEnvironment(repository), args },
    'compare the pictures',
  );
  const fields = listing.toString('latin1').split('\0');
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[at] ?? '').slice(1).split(' ');
    changes.push({ path: fields[at + 1] ?? '', before: toState(oldMode, oldBlob), after: toState(newMode, newBlob) });
  }
  return changes;
}

function toState(mode: string, blob: string): FileState | null {
  return mode === '000000' ? null : { mode, blob };
}

/** Judges what goes away first: a link that makes room for the directory it replaced does not stand in its files' way. */
function judgeAll(
  repository: Repository,
  record: CheckpointRecord,
  changes: readonly Change[],
  named: boolean,
): readonly Verdict[] {
  const leaving = new Set<string>();
  const judge = (change: Change) => ({ change, why: findObstacle(repository, record, change, { named, leaving }) });
  const first = changes.filter((change) => change.before === null).map(judge);
  for (const verdict of first) if (verdict.why === null) leaving.add(verdict.change.path);
  return [...first, ...changes.filter((change) => change.before !== null).map(judge)];
}

function findObstacle(
  repository: Repository,
  record: CheckpointRecord,
  change: Change,
  { named, leaving }: { named: boolean; leaving: ReadonlySet<string> },
): string | null {
  const parents = change.path.split('/').slice(0, -1);
  const makesRoom = parents.some((_, depth) => leaving.has(parents.slice(0, depth + 1).join('/')));
  const refusal = makesRoom ? null : refusePath(repository.root, change.path);
  if (refusal !== null) return refusal;
  if (record.before.note.leftOut.includes(change.path))
    return 'it was too large or not readable when the checkpoint was made';
  if (change.before === null && record.before.note.crowd > 0)
    return 'it may be older than the step: too many new files were there to keep them all';
  const now = makesRoom ? null : readFileState(repository, change.path);
  if (isSameState(now, change.before)) return '';
  if (!isSameState(now, change.after)) return 'it changed since';
  if (record.after !== null || named) return null;
  return `the step never ended, so later changes cannot be told from its own; name what to put back: :undo ${record.id} ${formatRawPath(change.path)}`;
}

function toRefusal(verdict: Verdict): RestoreReport['refused'] {
  if (verdict.why === null || verdict.why === '') return [];
  return [{ path: formatRawPath(verdict.change.path), why: verdict.why }];
}

/** Deletions first, so that a directory can become a file again and the other way round. */
async function putBack(
  repository: Repository,
  changes: readonly Change[],
  { cwd, shouldEnd = () => false }: Pick<RestoreOptions, 'cwd' | 'shouldEnd'>,
): Promise<RestoreReport> {
  const restored: string[] = [];
  const refused: { path: string; why: string }[] = [];
  const apply = (change: Change, content: Buffer | null) => {
    const why = shouldEnd() ? 'halted before it was put back' : applyChange(repository, change, content, cwd);
    const path = formatRawPath(change.path);
    if (why === null) restored.push(path);
    else refused.push({ path, why });
  };
  for (const change of changes.filter((one) => one.before === null)) apply(change, null);
  const written = changes.filter((one) => one.before !== null);
  for (let at = 0; at < written.length; at += BATCH) {
    const batch = written.slice(at, at + BATCH);
    const contents = await readBlobs(
      repository,
      batch.map((change) => change.before?.blob ?? ''),
    );
    for (const [place, change] of batch.entries()) apply(change, contents[place] ?? null);
  }
  return { restored: restored.sort(), refused };
}

/** Files read at once: each is at most `LARGEST_FILE`. */
const BATCH = 16;

function applyChange(repository: Repository, change: Change, content: Buffer | null, keep: string): string | null {
  const { root } = repository;
  // Looked at again just before the write: the person may be typing in it.
  const refusal = refusePath(root, change.path);
  if (refusal !== null) return refusal;
  if (!isSameState(readFileState(repository, change.path), change.after)) return 'it changed since';
  try {
    if (change.before === null) removeFile(root, change.path, keep);
    else if (content === null) return 'its content is missing in the repository';
    else putFile(root, change.path, change.before.mode, content);
    return null;
  } catch (thrown) {
    return toErrorFact(thrown).message;
  }
}

async function readBlobs(repository: Repository, blobs: readonly string[]): Promise<readonly (Buffer | null)[]> {
  const call = { ...repository.place, env: privateEnvironment(repository), args: ['cat-file', '--batch'] };
  const output = await readGit({ ...call, input: blobs.map((blob) => `${blob}\n`).join('') }, 'read the checkpoint');
  const contents: (Buffer | null)[] = [];
  let at = 0;
  for (const _ of blobs) {
    const end = output.indexOf(10, at);
    const [, kind, size] = output.toString('latin1', at, end).split(' ');
    const length = kind === 'blob' ? Number(size) : null;
    contents.push(length === null ? null : output.subarray(end + 1, end + 1 + length));
    at = end + 1 + (length === null ? 0 : length + 1);
  }
  return contents;
}

/** The root is free of links; the directory the person is in, or the one they name, need not be. The last part may be a link itself. */
function toWorkTreePath(repository: Repository, cwd: string, path: string): string {
  const named = resolve(cwd, path);
  const real = named === resolve(cwd) ? toRealPath(named) : join(toRealPath(dirname(named)), basename(named));
  const inside = relative(repository.root, real);
  if (inside !== '..' && !inside.startsWith(`..${sep}`)) return toRawPath(inside);
  throw new AishError('checkpoint.outside', `${path} is outside the work tree ${repository.root}`, {
    hint: 'name paths inside the work tree',
  });
}

/** Where a path really lies; of what is gone since, the part that is still there counts. */
function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealPath(parent), basename(path));
  }
}

function covers(wanted: string, path: string): boolean {
  return wanted === '' || wanted === path || path.startsWith(`${wanted}/`);
}
