import type { Checkpoint } from '../../protocol/checkpoint.ts';
import { AishError } from '../../protocol/error.ts';
import { commitOnBranch } from './auto-commit.ts';
import {
  type CheckpointNote,
  type CheckpointRecord,
  formatNote,
  parseNote,
  REFS,
  readNumbers,
  readRecords,
  toCheckpoint,
} from './checkpoint-record.ts';
import { type GitOutcome, readGit, runGit } from './git-process.ts';
import { type Picture, takePicture } from './picture.ts';
import { privateEnvironment } from './private-directory.ts';
import { openRepository, type Repository } from './repository.ts';

/** Checkpoints kept per repository; the oldest go first. */
export const KEPT_CHECKPOINTS = 200;

/** What a checkpoint is made for, and how. */
export interface CheckpointOptions {
  readonly cwd: string;
  readonly label: string;
  /** Bare name of the tool, without its server. */
  readonly toolName: string;
  readonly mode: 'ref' | 'commit';
  readonly sessionId: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Stops the work; no checkpoint is left then. */
  readonly signal?: AbortSignal | undefined;
}

/** A checkpoint as lists show it. */
export interface CheckpointSummary extends Checkpoint {
  readonly sessionId: string;
  /** True once the picture after the step is kept too. */
  readonly sealed: boolean;
  /** Paths the step changed; null while that is unknown. */
  readonly changed: number | null;
}

/** Keeps a picture of the work tree under a private ref; in mode "commit" it also commits on the branch first. */
export async function createCheckpoint(options: CheckpointOptions): Promise<Checkpoint> {
  const repository = await openRepository(options.cwd, options.signal);
  return keepCheckpoint(repository, options, null);
}

/** As `createCheckpoint`, for an undo: `undoes` names the checkpoint whose step it takes back whole. */
export async function keepCheckpoint(
  repository: Repository,
  options: CheckpointOptions,
  undoes: string | null,
): Promise<Checkpoint> {
  const committed = options.mode === 'commit' ? await commitOnBranch(repository, options.toolName) : null;
  const label =
    committed?.skipped === undefined ? options.label : `${options.label} (not committed: ${committed.skipped})`;
  const [picture, numbers] = await Promise.all([takePicture(repository), readNumbers(repository)]);
  const { root } = repository;
  const { sessionId, toolName, at } = options;
  const note = { label, root, sessionId, toolName, at, leftOut: picture.leftOut, crowd: picture.crowd, undoes };
  const commit = await writeCommit(repository, picture, note, committed?.commit ?? null);
  const id = await keepUnderNextId(repository, commit, numbers);
  return toCheckpoint({ id, before: { commit, tree: picture.tree, note } });
}

/**
 * Keeps the picture after the step beside the one before it, so that undo can tell the step's changes from later ones. A
 * checkpoint whose step changed nothing is dropped: it would only stand in the list.
 */
export async function sealCheckpoint(
  checkpoint: Checkpoint,
  signal?: AbortSignal,
): Promise<{ readonly dropped: boolean }> {
  const repository = await openRepository(checkpoint.root, signal);
  const [picture, before] = await Promise.all([takePicture(repository), readKept(repository, checkpoint.commit)]);
  if (before !== null && isSamePicture(before, picture)) {
    const args = ['update-ref', '--no-deref', '-d', checkpoint.ref, checkpoint.commit];
    await readGit({ ...repository.place, args }, 'drop the checkpoint of a step without changes');
    return { dropped: true };
  }
  await keepPictureAfter(repository, checkpoint, picture);
  return { dropped: false };
}

/** As `sealCheckpoint`, in a repository that is open already. */
export async function keepAfter(repository: Repository, checkpoint: Checkpoint): Promise<void> {
  await keepPictureAfter(repository, checkpoint, await takePicture(repository));
}

async function keepPictureAfter(repository: Repository, checkpoint: Checkpoint, picture: Picture): Promise<void> {
  const note = { ...emptyNote(checkpoint), leftOut: picture.leftOut, crowd: picture.crowd };
  const commit = await writeCommit(repository, picture, note, checkpoint.commit);
  const args = ['update-ref', '--no-deref', `${REFS}/${checkpoint.id}/after`, commit];
  await readGit({ ...repository.place, args }, 'keep the picture after the step');
}

/** The picture that a checkpoint's commit holds; null where the commit is gone. */
async function readKept(repository: Repository, commit: string): Promise<Picture | null> {
  const args = ['log', '-1', '--no-show-signature', '--no-decorate', '--format=%T%n%B', commit];
  const { exit, stdout } = await runGit({ ...repository.place, args });
  const [tree = '', ...message] = stdout.toString('utf8').split('\n');
  const note = exit === 0 ? parseNote(message.join('\n')) : null;
  return note === null ? null : { tree, leftOut: note.leftOut, crowd: note.crowd };
}

function isSamePicture(one: Picture, other: Picture): boolean {
  const isSameRest = one.crowd === other.crowd && one.leftOut.join('\0') === other.leftOut.join('\0');
  return isSameRest && one.tree === other.tree;
}

/** Checkpoints of this work tree, newest first. */
export async function listCheckpoints(cwd: string): Promise<readonly CheckpointSummary[]> {
  const repository = await openRepository(cwd);
  const records = await readRecords(repository);
  const counts = await countChanges(repository, records);
  return records.map((record) => ({
    ...toCheckpoint(record),
    sessionId: record.before.note.sessionId,
    sealed: record.after !== null,
    changed: counts.get(record.id) ?? null,
  }));
}

/** Unified diff between a checkpoint (null: the newest) and the work tree as it is now. */
export async function diffCheckpoint(cwd: string, id: string | null): Promise<string> {
  const repository = await openRepository(cwd);
  const record = findRecord(await readRecords(repository), id);
  const now = await takePicture(repository);
  const args = [
    'diff-tree',
    '-p',
    '-r',
    '--find-renames',
    '--no-color',
    '--no-ext-diff',
    '--no-textconv',
    record.before.tree,
    now.tree,
  ];
  const diff = await readGit(
    { ...repository.place, env: privateEnvironment(repository), args },
    'compare with the checkpoint',
  );
  return diff.toString('utf8');
}

/** The record an id names (null: the newest), or an error that says what there is. */
export function findRecord(records: readonly CheckpointRecord[], id: string | null): CheckpointRecord {
  const record = id === null ? records[0] : records.find((one) => one.id === id);
  if (record !== undefined) return record;
  if (records.length === 0) throw new AishError('checkpoint.none', 'there is no checkpoint in this work tree yet');
  const known = records.slice(0, 5).map((one) => one.id);
  throw new AishError('checkpoint.unknown', `there is no checkpoint "${id}" in this work tree`, {
    hint: `the newest are ${known.join(', ')}; :checkpoints lists all`,
  });
}

/** Counts the paths each sealed step changed, with one git process for all. */
export async function countChanges(
  repository: Repository,
  records: readonly CheckpointRecord[],
): Promise<ReadonlyMap<string, number>> {
  const sealed = records.filter((record) => record.after !== null);
  const counts = new Map(sealed.map((record) => [record.id, 0]));
  const differing = sealed.filter((record) => record.before.tree !== record.after?.tree);
  if (differing.length === 0) return counts;
  const input = differing.map((record) => `${record.before.tree} ${record.after?.tree}\n`).join('');
  const args = ['diff-tree', '--stdin', '-r', '--raw', '--no-renames'];
  const listing = await readGit(
    { ...repository.place, env: privateEnvironment(repository), args, input },
    'compare the checkpoints',
  );
  let current = -1;
  for (const line of listing.toString('latin1').split('\n')) {
    if (!line.startsWith(':')) current += line === '' ? 0 : 1;
    const id = differing[current]?.id;
    if (line.startsWith(':') && id !== undefined) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return counts;
}

/** Only the newest checkpoints are kept; a number taken by another process meanwhile is skipped. */
async function keepUnderNextId(repository: Repository, commit: string, seen: readonly number[]): Promise<string> {
  let reason = '';
  for (let attempt = 0; attempt < 20; attempt += 1) {
    const numbers = attempt === 0 ? seen : await readNumbers(repository);
    const id = `c${(numbers.at(-1) ?? 0) + 1}`;
    const outdated = numbers.slice(0, Math.max(0, numbers.length + 1 - KEPT_CHECKPOINTS));
    const lines = [`create ${REFS}/${id}/before ${commit}`, ...(await describeRemoval(repository, outdated))];
    const outcome = await writeRefs(repository, lines, { ref: `${REFS}/${id}/before`, commit });
    if (outcome.exit === 0) return id;
    reason = outcome.stderr;
  }
  throw new AishError('checkpoint.failed', `cannot keep the checkpoint: ${reason}`, {
    hint: `check that ${repository.commonDirectory} is writable and holds no stale .lock files under refs/aish`,
  });
}

/** Stopped in the middle, it takes the new ref away again: a checkpoint that no event names would stand in the way of undo. */
async function writeRefs(
  repository: Repository,
  lines: readonly string[],
  fresh: { readonly ref: string; readonly commit: string },
): Promise<GitOutcome> {
  try {
    const input = `${lines.join('\n')}\n`;
    // A planted ref may be a name for another one, such as a branch.
    return await runGit({ ...repository.place, args: ['update-ref', '--no-deref', '--stdin'], input });
  } catch (thrown) {
    const args = ['update-ref', '--no-deref', '-d', fresh.ref, fresh.commit];
    if (repository.place.signal?.aborted) await runGit({ cwd: repository.root, args });
    throw thrown;
  }
}

async function describeRemoval(repository: Repository, numbers: readonly number[]): Promise<readonly string[]> {
  if (numbers.length === 0) return [];
  const folders = numbers.map((number) => `${REFS}/c${number}/`);
  const listing = await readGit(
    { ...repository.place, args: ['for-each-ref', '--format=delete %(refname)', ...folders] },
    'list the checkpoints',
  );
  return listing
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '');
}

async function writeCommit(
  repository: Repository,
  picture: Picture,
  note: CheckpointNote,
  parent: string | null,
): Promise<string> {
  const date = `${Math.floor(note.at / 1000)} +0000`;
  const env = {
    ...privateEnvironment(repository),
    GIT_AUTHOR_NAME: 'aish',
    GIT_AUTHOR_EMAIL: 'aish@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'aish',
    GIT_COMMITTER_EMAIL: 'aish@localhost',
    GIT_COMMITTER_DATE: date,
  };
  const args = ['commit-tree', picture.tree, ...(parent === null ? [] : ['-p', parent])];
  const commit = await readGit({ ...repository.place, env, args, input: formatNote(note) }, 'write the checkpoint');
  return commit.toString('latin1').trim();
}

function emptyNote(checkpoint: Checkpoint): CheckpointNote {
  const { root, at, id } = checkpoint;
  return {
    label: `after the step of ${id}`,
    root,
    sessionId: '',
    toolName: '',
    at,
    leftOut: [],
    crowd: 0,
    undoes: null,
  };
}
