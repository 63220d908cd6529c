import type { CheckpointStep } from '../../protocol/checkpoint.ts';
import type { CheckpointRecord } from './checkpoint-record.ts';

/** What undo and redo made of a step so far. */
export interface StepState {
  readonly state: CheckpointStep['state'];
  /** Undos that no redo has taken back whole, newest first. */
  readonly undos: readonly CheckpointRecord[];
}

/** A step on which no undo was tried. */
export const UNTOUCHED: StepState = { state: 'done', undos: [] };

/**
 * Follows all undos and redos from the first to the last. One that was cut short before its files were touched has no picture
 * after and counts for nothing; one that was cut short later leaves its step taken back in part.
 */
export function readStates(records: readonly CheckpointRecord[]): ReadonlyMap<string, StepState> {
  const states = new Map<string, StepState>();
  for (const record of records.toReversed()) {
    const { of } = record.before.note;
    if (of === null || record.after === null) continue;
    const { undos } = states.get(of) ?? UNTOUCHED;
    states.set(of, follow(undos, record, record.after.note.ended?.whole === true));
  }
  return states;
}

function follow(undos: readonly CheckpointRecord[], record: CheckpointRecord, whole: boolean): StepState {
  if (isUndo(record)) return { state: whole ? 'undone' : 'partly', undos: [record, ...undos] };
  return whole ? UNTOUCHED : { state: 'partly', undos };
}

/** True for the checkpoint of an undo. */
export function isUndo({ before }: CheckpointRecord): boolean {
  return before.note.cause === 'undo';
}

/** True for the checkpoint of anything but an undo or redo. */
export function isOwnStep({ before }: CheckpointRecord): boolean {
  return before.note.of === null;
}
