import type { RestoreChoices } from '../../protocol/checkpoint.ts';
import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { escapeForDisplay } from '../text/sanitize.ts';
import { type Entry, type Restore, reject, type SessionState } from './state.ts';

/*
 * An undo or a redo is planned first. Where nobody changed its paths since, it is carried out at once; else it waits, with nothing touched,
 * until somebody says what is to become of each path that changed. Several steps are taken one after the other, each with a question of its
 * own, and the first that leaves something open ends them.
 */

/** Events of an undo or redo. */
type RestoreEvent = EventOf<`restore.${string}`>;

/** More at once are no slip of the hand. */
const MOST_STEPS = 99;

/** Begins an undo or redo; `busy` says what keeps the session from it. */
export function beginRestore(op: OpOf<'restore'>, busy: ErrorFact | null): SessionEvent[] {
  if (busy !== null) return reject('restore', busy);
  const { checkpoint, paths, direction, steps = 1 } = op;
  if (steps > 1 && (checkpoint !== null || steps > MOST_STEPS))
    return reject('restore', {
      code: 'restore.steps',
      message: checkpoint === null ? `no more than ${MOST_STEPS} steps at once` : 'one step is named, so there is no number of them',
      hint: 'give a number of steps, or the id of one',
    });
  return [
    {
      type: 'restore.started',
      checkpoint,
      ...(paths === undefined ? {} : { paths }),
      ...(direction === 'redo' ? { direction } : {}),
      ...(steps === 1 ? {} : { steps }),
    },
  ];
}

/** Whether an undo or redo waits for what is to become of paths that changed since. */
export function isRestoreAsked({ restore }: Pick<SessionState, 'restore'>): boolean {
  return restore?.question !== undefined && restore.choices === undefined;
}

/** Takes the answer to the question of an undo or redo. */
export function resolveRestore(state: SessionState, { choices }: OpOf<'resolve'>): SessionEvent[] {
  const conflicts = state.restore?.question?.conflicts ?? [];
  if (!isRestoreAsked(state))
    return reject('resolve', {
      code: 'restore.not-asked',
      message: 'no undo waits for an answer',
      hint: 'it may have been answered elsewhere',
    });
  const wrong = Object.entries(choices).find(
    ([key, choice]) => conflicts.find((conflict) => conflict.key === key)?.choices.includes(choice) !== true,
  );
  if (wrong === undefined) return [{ type: 'restore.resolved', choices }];
  return reject('resolve', {
    code: 'restore.unknown-choice',
    message: `"${wrong[1]}" cannot be chosen for ${wrong[0]}`,
    hint: 'choose among what the question offers for each of its paths',
  });
}

/** What keeps the session busy, where an undo or redo does. */
export function busyRestoring(state: SessionState): ErrorFact | null {
  const { restore } = state;
  if (restore === null) return null;
  const what = nameOf(restore);
  if (!isRestoreAsked(state)) return { code: 'session.busy', message: `${what} is still running`, hint: 'wait for its end' };
  return {
    code: 'restore.open',
    message: `${what} waits for what is to become of files that changed since`,
    hint: 'answer it or give it up',
  };
}

/** What is true of the undo or redo after this event. */
export function evolveRestore(state: SessionState, event: RestoreEvent): SessionState {
  switch (event.type) {
    case 'restore.started': {
      const { type: _, client: __, ...restore } = event;
      return { ...state, restore };
    }
    case 'restore.conflicted':
      return changeRestore(state, { question: event.prompt });
    case 'restore.resolved':
      return changeRestore(state, { choices: event.choices });
    case 'restore.abandoned':
      return { ...state, restore: null };
    case 'restore.completed':
      return { ...state, entries: [...state.entries, ...toEntries(event)], restore: following(state.restore, event) };
  }
}

/** The end of the program ended it, at whatever file it was. */
export function closeRestore(state: SessionState): SessionState {
  const { restore } = state;
  if (restore === null || isRestoreAsked(state)) return { ...state, restore: null };
  const { checkpoint, direction } = restore;
  const id = restore.question?.checkpoint ?? checkpoint;
  const entry: Entry = { type: 'restored', direction: direction ?? 'undo', checkpoint: id, label: '', paths: [], isCutShort: true };
  return { ...state, entries: [...state.entries, entry], restore: null };
}

/** Gives up an undo or redo that waits for an answer; of several steps those before it stay as they are by now. */
export function abandonRestore({ restore }: SessionState): SessionEvent[] {
  const { number = 1, steps = 1, question } = restore ?? {};
  if (number === 1 || question === undefined) return [{ type: 'restore.abandoned' }];
  const part = { direction: question.direction, done: number - 1, left: steps, checkpoint: question.checkpoint };
  return [{ type: 'restore.abandoned', part }];
}

/** A halt ends it with the file it is at; where nothing was touched yet, it is given up. */
export function haltRestore(state: SessionState): Restore | null {
  const { restore } = state;
  return restore === null || isRestoreAsked(state) ? null : { ...restore, halted: true };
}

function changeRestore(state: SessionState, change: Pick<Restore, 'question'> | { readonly choices: RestoreChoices }): SessionState {
  return state.restore === null ? state : { ...state, restore: { ...state.restore, ...change } };
}

/** The next of several steps. One that left something open ends them: what is older was made before it. */
function following(restore: Restore | null, { report, error }: EventOf<'restore.completed'>): Restore | null {
  if (restore === null || error !== undefined || report === undefined || restore.halted === true) return null;
  const { steps = 1, number = 1, checkpoint, paths, direction } = restore;
  if (steps <= 1 || report.refused.length > 0) return null;
  return {
    checkpoint,
    steps: steps - 1,
    number: number + 1,
    ...(paths === undefined ? {} : { paths }),
    ...(direction === undefined ? {} : { direction }),
  };
}

/** The model would otherwise think that what it did is there. */
function toEntries({ checkpoint, report, label = '', direction }: EventOf<'restore.completed'>): Entry[] {
  if (report === undefined || report.restored.length === 0) return [];
  return [{ type: 'restored', direction: direction ?? 'undo', checkpoint, label, paths: report.restored }];
}

function nameOf({ direction }: Restore): string {
  return direction === 'redo' ? 'a redo' : 'an undo';
}

/** Paths that are named to the model; it can look for itself. */
const MOST_NAMED = 20;

/** What the model reads of an undo or redo of the user's, in one line. */
export function formatRestored(entry: Extract<Entry, { type: 'restored' }>): string {
  const { direction, checkpoint, label, paths, isCutShort } = entry;
  const step = [checkpoint ?? 'a step', label === '' ? '' : `(${label})`].filter((part) => part !== '').join(' ');
  const verb = direction === 'undo' ? 'undid' : 'redid';
  if (isCutShort === true)
    return `[the user began to ${direction} ${step}, which was cut short: look at the files before you rely on them]`;
  // A name is no line of the conversation, whatever it holds.
  const named = paths
    .slice(0, MOST_NAMED)
    .map((path) => escapeForDisplay(path))
    .join(', ');
  const more = paths.length > MOST_NAMED ? ` and ${paths.length - MOST_NAMED} more` : '';
  const now = direction === 'undo' ? 'as before it' : 'as after it';
  return `[the user ${verb} ${step}: ${named}${more} ${paths.length === 1 ? 'is' : 'are'} ${now} again]`;
}
