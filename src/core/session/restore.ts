import type { RestoreChoices } from '../../protocol/checkpoint.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { Handlers } from './handlers.ts';
import { NO_CHOICE_OPEN, restoreOpen, restoreRunning, STEPS_WITH_ID, tooManySteps, unknownChoice } from './messages.ts';
import { type Entry, type Restore, reject, type SessionState } from './state.ts';

/*
 * aish plans an undo or a redo first. If nobody has changed its paths since, aish carries it out immediately; otherwise it waits, with
 * nothing touched, for a choice for each changed path. Several steps run one after the other, each with a prompt of its own, and the
 * first step that cannot restore everything ends them.
 */

const MOST_STEPS = 99;

/** Begins an undo or redo, unless the session is `busy`. */
export function beginRestore(op: OpOf<'restore'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('restore', busy);
  const { checkpoint, paths, direction, steps = 1 } = op;
  if (steps > 1 && (checkpoint !== null || steps > MOST_STEPS))
    return reject('restore', checkpoint === null ? tooManySteps(MOST_STEPS) : STEPS_WITH_ID);
  const count = steps === 1 ? undefined : steps;
  return [
    { type: 'restore.started', checkpoint, ...omitUndefined({ paths, steps: count }), ...(direction === 'redo' ? { direction } : {}) },
  ];
}

/** True while an undo or redo waits for the user's choice for changed paths. */
export function isRestoreAsked({ restore }: Pick<SessionState, 'restore'>): boolean {
  return restore?.question !== undefined && restore.choices === undefined;
}

/** Takes the choices for the changed paths of an undo or redo. */
export function resolveRestore(state: SessionState, { choices }: OpOf<'resolve'>): SessionEvent[] {
  const conflicts = state.restore?.question?.conflicts ?? [];
  if (!isRestoreAsked(state)) return reject('resolve', NO_CHOICE_OPEN);
  const wrong = Object.entries(choices).find(
    ([key, choice]) => conflicts.find((conflict) => conflict.key === key)?.choices.includes(choice) !== true,
  );
  if (wrong === undefined) return [{ type: 'restore.resolved', choices }];
  return reject('resolve', unknownChoice(wrong[1], wrong[0]));
}

/** The reason why an undo or redo blocks new work; null if none is open. */
export function busyRestoring(state: SessionState): ErrorFact | null {
  const { restore } = state;
  if (restore === null) return null;
  const { direction = 'undo' } = restore;
  return isRestoreAsked(state) ? restoreOpen(direction) : restoreRunning(direction);
}

/** The handlers of the undo or redo. */
export const RESTORE_HANDLERS: Handlers<SessionState> = {
  'restore.started': (state, { type: _, client: __, ...restore }) => ({ ...state, restore }),
  'restore.conflicted': (state, { prompt }) => changeRestore(state, { question: prompt }),
  'restore.resolved': (state, { choices }) => changeRestore(state, { choices }),
  'restore.abandoned': (state) => ({ ...state, restore: null }),
  'restore.completed': (state, event) => ({
    ...state,
    entries: [...state.entries, ...toEntries(event)],
    restore: following(state.restore, event),
  }),
};

/** Closes an undo or redo that the end of the process cut short. */
export function closeRestore(state: SessionState): SessionState {
  const { restore } = state;
  if (restore === null || isRestoreAsked(state)) return { ...state, restore: null };
  const { checkpoint, direction } = restore;
  const id = restore.question?.checkpoint ?? checkpoint;
  const entry: Entry = { type: 'restored', direction: direction ?? 'undo', checkpoint: id, label: '', paths: [], isCutShort: true };
  return { ...state, entries: [...state.entries, entry], restore: null };
}

/** Cancels an undo or redo that waits for choices; earlier steps of the same request stay done. */
export function abandonRestore({ restore }: SessionState): SessionEvent[] {
  const { number = 1, steps = 1, question } = restore ?? {};
  if (number === 1 || question === undefined) return [{ type: 'restore.abandoned' }];
  const part = { direction: question.direction, done: number - 1, left: steps, checkpoint: question.checkpoint };
  return [{ type: 'restore.abandoned', part }];
}

/** The undo or redo after a halt: it stops after its current file, or is cancelled if it has not touched any. */
export function haltRestore(state: SessionState): Restore | null {
  const { restore } = state;
  return restore === null || isRestoreAsked(state) ? null : { ...restore, halted: true };
}

function changeRestore(state: SessionState, change: Pick<Restore, 'question'> | { readonly choices: RestoreChoices }): SessionState {
  return state.restore === null ? state : { ...state, restore: { ...state.restore, ...change } };
}

/** The next of several steps. A step that could not restore everything ends them, because older steps lie below it. */
function following(restore: Restore | null, { report, error }: EventOf<'restore.completed'>): Restore | null {
  if (restore === null || error !== undefined || report === undefined || restore.halted === true) return null;
  const { steps = 1, number = 1, checkpoint, paths, direction } = restore;
  if (steps <= 1 || report.refused.length > 0) return null;
  return { checkpoint, steps: steps - 1, number: number + 1, ...omitUndefined({ paths, direction }) };
}

/** The note to the model, which would otherwise rely on its earlier changes. */
function toEntries({ checkpoint, report, label = '', direction }: EventOf<'restore.completed'>): Entry[] {
  if (report === undefined || report.restored.length === 0) return [];
  return [{ type: 'restored', direction: direction ?? 'undo', checkpoint, label, paths: report.restored }];
}
