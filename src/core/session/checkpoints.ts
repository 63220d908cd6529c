/* The checkpoints of a session: the snapshots around a step, and the undo and redo of steps. */
import type { RestoreChoices, StepCause } from '../../protocol/checkpoint.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { OpOf } from '../../protocol/op.ts';
import type { ToolCall } from '../../protocol/tool.ts';
import { isCommand } from '../policy/policy.ts';
import type { Handlers } from './handlers.ts';
import { NO_CHOICE_OPEN, restoreOpen, restoreRunning, STEPS_WITH_ID, tooManySteps, unknownChoice } from './messages.ts';
import { changeTurn, type Entry, OWN_COMMAND, type Restore, reject, type SessionState } from './state.ts';

/** The handlers of the checkpoint of the step. */
export const CHECKPOINT_HANDLERS: Handlers<SessionState> = {
  'checkpoint.created': (state, { callId, checkpoint: openCheckpoint }) => {
    const isOwnSnapshot = callId === OWN_COMMAND;
    return { ...(isOwnSnapshot ? state : markCheckpointed(state)), openCheckpoint, isOwnSnapshot };
  },
  'checkpoint.skipped': (state, { callId }) => (callId === OWN_COMMAND ? state : markCheckpointed(state)),
  'checkpoint.finalized': (state, event) =>
    state.openCheckpoint?.id === event.id ? { ...endPause(state, event), openCheckpoint: null } : state,
};

/** An approved call is decided again, possibly in another place without a snapshot. */
export function forgetSnapshot(state: SessionState, callId: string): SessionState {
  const open = state.turn?.open.find(({ call }) => call.id === callId);
  if (open?.stage !== 'approved' || open.call.effect === 'read') return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false }));
}

/** Separates the changes of the step so far from changes by the user during the approval prompt. */
export function pauseStep(state: SessionState): SessionState {
  const { openCheckpoint } = state;
  if (openCheckpoint === null || state.turn?.checkpointed !== true) return state;
  return changeTurn(state, (turn) => ({ ...turn, checkpointed: false, paused: openCheckpoint }));
}

/** Without the snapshot the step cannot continue. */
function endPause(state: SessionState, { discarded, error }: EventOf<'checkpoint.finalized'>): SessionState {
  if (discarded !== true && error === undefined) return state;
  return changeTurn(state, ({ paused: _, ...turn }) => turn);
}

function markCheckpointed(state: SessionState): SessionState {
  return changeTurn(state, ({ paused: _, ...turn }) => ({ ...turn, checkpointed: true }));
}

/** Maximum characters of a command in lists of steps. */
const LONGEST_LINE = 72;

/** The cause of a call's changes. */
export function causeOf(call: Pick<ToolCall, 'name' | 'effect' | 'origin'>): StepCause {
  if (call.origin === 'command-line') return 'command-line';
  if (isCommand(call)) return 'approved-command';
  return call.name.startsWith('aish.') ? 'tool' : 'mcp';
}

/** The label of a step in lists: the command or name of its first call, and the number of further calls that may change something. */
export function labelOf(
  call: Pick<ToolCall, 'name' | 'effect' | 'origin' | 'arguments'>,
  others: readonly Pick<ToolCall, 'effect'>[] = [],
): string {
  const name = isCommand(call) ? shortLine(String(call.arguments.command ?? '')) : call.name;
  const more = others.filter(({ effect }) => effect !== 'read').length;
  return `before ${name}${more === 0 ? '' : ` and ${more} more ${more === 1 ? 'call' : 'calls'}`}`;
}

/** The beginning of a command in one line. */
export function shortLine(line: string): string {
  const one = line.replace(/\s+/g, ' ').trim();
  const cut = [...one].slice(0, LONGEST_LINE).join('');
  return cut === one ? `$ ${one}` : `$ ${cut}…`;
}

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
