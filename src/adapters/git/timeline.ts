import type { CheckpointStep } from '../../protocol/checkpoint.ts';
import { AishError } from '../../protocol/error.ts';
import { countChanges } from './changes.ts';
import { type CheckpointRecord, readRecords, toCheckpoint } from './checkpoint-record.ts';
import { readGit } from './git-process.ts';
import { isAtWork } from './overlap.ts';
import { takePicture } from './picture.ts';
import { privateEnvironment } from './private-directory.ts';
import { openRepository, type Repository } from './repository.ts';
import { readStates } from './step-state.ts';
import { toWorkTreePath } from './work-tree-path.ts';

/** All steps of this work tree, undos and redos among them, newest first. Where paths are given, only these are counted. */
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
    // The picture after an undo holds from the first file on what it is going to make of all of them.
    const hasEnd = of === null || record.after?.note.ended !== null;
    const counted = hasEnd ? (counts.get(record.id) ?? null) : null;
    const step = { ...toCheckpoint(record), sessionId, toolName, cause, of, counts: counted, state };
    return counted === null && isAtWork(records, record) ? { ...step, isAtWork: true } : step;
  });
}

/** What to compare. */
export interface DiffOptions {
  readonly cwd: string;
  /** Null: the newest step. */
  readonly id: string | null;
  /** Files or directories, absolute or relative to `cwd`; all where there are none. */
  readonly paths?: readonly string[];
  /** `step`: what the step changed. `since`: from before the step to the present. */
  readonly of: 'step' | 'since';
  readonly signal?: AbortSignal | undefined;
  /** Of the steps that are kept apart, of the time when the folder was no repository. */
  readonly apart?: boolean;
}

/** Unified diff of a step; of one that never ended, up to the present. */
export async function diffStep({ cwd, id, paths = [], of, signal, apart }: DiffOptions): Promise<string> {
  const repository = await openRepository(cwd, { signal, apart });
  const { before, after } = findRecord(await readRecords(repository), id);
  const end = of === 'step' && after !== null ? after.tree : (await takePicture(repository)).tree;
  const wanted = toPathspecs(repository, cwd, paths);
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
    end,
    ...(wanted.length === 0 ? [] : ['--', ...wanted]),
  ];
  const call = { ...repository.place, env: privateEnvironment(repository), args };
  return (await readGit(call, 'compare with the checkpoint')).toString('utf8');
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
  if (records.length === 0) throw new AishError('checkpoint.none', 'there is no checkpoint in this work tree yet');
  const known = records.slice(0, 5).map((one) => one.id);
  throw new AishError('checkpoint.unknown', `there is no checkpoint "${id}" in this work tree`, {
    hint: `the newest are ${known.join(', ')}; :checkpoints lists all`,
  });
}
