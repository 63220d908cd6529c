import type { CheckpointStep } from '../../protocol/checkpoint.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';

/** What undo and redo made of a step so far. */
export interface StepState {
  readonly state: CheckpointStep['state'];
  /** Undos that no redo has taken back whole, newest first. */
  readonly undos: readonly CheckpointRecord[];
  /** The last undo or redo found nothing that it could do, and said so. */
  readonly isTold: boolean;
  /** The last undo or redo that touched a file was cut short. */
  readonly isCutShort: boolean;
  /** The step at the same time, with which this one was taken back; null where it was not, or on its own. */
  readonly along: string | null;
}

/** A step on which no undo was tried. */
export const UNTOUCHED: StepState = { state: 'done', undos: [], isTold: false, isCutShort: false, along: null };

/**
 * Follows all undos and redos from the first to the last. One that was cut short before its files were touched has no picture
 * after and counts for nothing; one that was cut short later leaves its step taken back in part.
 */
export function readStates(records: readonly CheckpointRecord[]): ReadonlyMap<string, StepState> {
  const states = new Map<string, StepState>();
  for (const record of records.toReversed()) {
    const { of } = record.before.note;
    if (of === null || record.after === null) continue;
    states.set(of, follow(states.get(of) ?? UNTOUCHED, record));
  }
  for (const [id, { undos }] of [...states]) for (const undo of undos) markAlong(states, id, undo);
  return states;
}

/** What an undo that stands took back of the steps beside its own is taken back in their places, too. */
function markAlong(states: Map<string, StepState>, id: string, undo: CheckpointRecord): void {
  for (const { id: other, whole } of undo.after?.note.ended?.along ?? []) {
    const { state, ...rest } = states.get(other) ?? UNTOUCHED;
    if (state !== 'undone') states.set(other, { ...rest, state: whole ? 'undone' : 'partly', along: id });
  }
}

/**
 * One that found nothing to do leaves the step as it was: on another branch, say, its files are other ones, and when the person comes back they
 * are there again. Only where it goes on with what was cut short, nothing to do means that all was done.
 */
function follow(earlier: StepState, record: CheckpointRecord): StepState {
  const ended = record.after?.note.ended ?? null;
  const whole = ended?.whole === true;
  if (isIdle(record) && !(earlier.isCutShort && whole)) return { ...earlier, isTold: true };
  const now = { isTold: false, isCutShort: ended === null, along: null };
  if (isUndo(record)) return { state: whole ? 'undone' : 'partly', undos: [record, ...earlier.undos], ...now };
  return whole ? UNTOUCHED : { state: 'partly', undos: earlier.undos, ...now };
}

/** True for an undo or redo that changed no file, and in which nothing was chosen. */
function isIdle({ before, after }: CheckpointRecord): boolean {
  const ended = after?.note.ended ?? null;
  return before.tree === after?.tree && ended !== null && ended.settled.length === 0;
}

/** True for the checkpoint of an undo. */
export function isUndo({ before }: CheckpointRecord): boolean {
  return before.note.cause === 'undo';
}

/** True for the checkpoint of anything but an undo or redo. */
export function isOwnStep({ before }: CheckpointRecord): boolean {
  return before.note.of === null;
}
