import { isProcessAlive } from '../system/process-alive.ts';
import { readChanges } from './changes.ts';
import { type CheckpointRecord, type TakenAlong, toNumber } from './checkpoint-record.ts';
import type { Repository } from './repository.ts';
import { isSameState } from './work-file.ts';

/*
 * Two pictures tell what changed between them, not who did it. Where steps of several sessions run at the same time, what one of them
 * changed is in the pictures of the other, too. Numbers tell which did, and no clock: a step has its number before its first change, and the
 * picture after it knows the highest number there was.
 */

/** Steps, undos and redos of others that ran at the same time as a step. */
export function findBeside(records: readonly CheckpointRecord[], step: CheckpointRecord): readonly CheckpointRecord[] {
  if (step.after === null) return [];
  const [begin, end] = [toNumber(step.id), endOf(records, step)];
  const { sessionId } = step.before.note;
  return records.filter((other) => {
    // What one session does comes one after the other, and an undo without an end has touched nothing.
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
export function isAtWork(
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
    // Of what never ended nobody knows what it changed: all from when both had begun.
    const both = toNumber(other.id) > toNumber(step.id) ? other.before.tree : step.before.tree;
    const [from, to] = other.after === null ? [both, step.after?.tree ?? both] : [other.before.tree, other.after.tree];
    const verb = other.after === null ? 'may have changed it' : 'changed it as well';
    for (const { path } of await readChanges(repository, from, to))
      if (!shared.has(path)) shared.set(path, `${other.id}, which ran at the same time, ${verb}`);
  }
  return shared;
}

/** What of the steps beside it an undo takes back as well, by raw path and what is there then. */
export async function findTakenAlong(
  repository: Repository,
  beside: readonly CheckpointRecord[],
  put: ReadonlyMap<string, Parameters<typeof isSameState>[1]>,
): Promise<readonly TakenAlong[]> {
  const along: TakenAlong[] = [];
  for (const { id, before, after } of beside) {
    if (after === null || before.note.of !== null) continue;
    const changes = await readChanges(repository, before.tree, after.tree);
    const taken = changes.filter(({ path, before: old }) => put.has(path) && isSameState(old, put.get(path) ?? null));
    if (taken.length > 0) along.push({ id, whole: taken.length === changes.length });
  }
  return along;
}
