import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { OpOf } from '../../protocol/op.ts';
import { isCommand } from '../policy/policy.ts';
import type { Handlers } from './handlers.ts';
import { DRY_RUN_OPEN, DRY_RUN_RUNNING, NO_COMMAND_ASKED, NO_DRY_RUN, unknownChange } from './messages.ts';
import { askedCall, type DryRun, reject, type SessionState } from './state.ts';

/*
 * A dry run stands beside the work of a session: a call keeps waiting for approval during the dry run of its command, and the user's
 * decision about the call ends the dry run. The dry run of a line that the user typed has no call; its report is then the prompt.
 */

/** Begins the dry run of a call that waits for approval, or of a line unless the session is `busy`. */
export function dryRun(state: SessionState, op: OpOf<'dry-run'>, busy: ErrorFact | null): SessionEvent[] {
  const number = (state.dryRuns ?? 0) + 1;
  if ('line' in op) {
    if (busy !== null) return reject('dry-run', busy);
    return [{ type: 'dry-run.started', number, line: op.line }];
  }
  const asked = askedCall(state);
  const isOther = op.prompt !== undefined && op.prompt !== asked?.questions;
  if (asked === null || asked.call.id !== op.callId || isOther || !isCommand(asked.call)) return reject('dry-run', NO_COMMAND_ASKED);
  if (state.dryRun?.stage === 'running') return reject('dry-run', DRY_RUN_RUNNING);
  const line = String(asked.call.arguments.command ?? '');
  return [{ type: 'dry-run.started', number, line, callId: op.callId }];
}

/** The reason why a dry run blocks new work; null if it does not. */
export function busyWithDryRun({ dryRun }: SessionState): ErrorFact | null {
  if (!dryRun) return null;
  return dryRun.stage === 'running' ? DRY_RUN_RUNNING : DRY_RUN_OPEN;
}

/** Applies the changes of a dry run, which also approves its call. */
export function applyDryRun(state: SessionState, { items }: OpOf<'apply'>): SessionEvent[] {
  const { dryRun } = state;
  if (dryRun?.stage !== 'shown') return reject('apply', NO_DRY_RUN);
  const count = dryRun.report?.count ?? 0;
  if (items !== undefined && (items.length === 0 || items.some((number) => number > count))) return reject('apply', unknownChange(count));
  const { number, callId } = dryRun;
  const applying: SessionEvent = { type: 'dry-run.applying', number, ...omitUndefined({ items }) };
  return callId === null ? [applying] : [applying, { type: 'approval.decided', callId, decision: 'allow', by: 'user' }];
}

/** Discards a dry run and its changes. */
export function discardDryRun({ dryRun }: SessionState): SessionEvent[] {
  if (!dryRun || dryRun.stage === 'applying') return reject('discard', NO_DRY_RUN);
  return [{ type: 'dry-run.discarded', number: dryRun.number }];
}

/** Stops a running dry run, so that its call waits for approval again, or the copying before it is applied; null if there is neither. */
export function interruptDryRun(state: SessionState): SessionEvent[] | null {
  const { dryRun } = state;
  if (!dryRun || (dryRun.stage !== 'running' && dryRun.callId !== null)) return null;
  return [{ type: 'dry-run.discarded', number: dryRun.number }];
}

/** The handlers of the dry run. They come after those of the work of the session. */
export const DRY_RUN_HANDLERS: Handlers<SessionState> = {
  'dry-run.started': (state, { number, line, callId = null }) => ({
    ...state,
    dryRuns: number,
    dryRun: { number, line, callId, stage: 'running' },
  }),
  'dry-run.completed': complete,
  'dry-run.applying': (state, { items }) => change(state, { stage: 'applying', ...omitUndefined({ items }) }),
  'dry-run.applied': (state) => (state.dryRun?.callId === null ? forget(state) : state),
  'dry-run.discarded': forget,
  'checkpoint.created': markCheckpointed,
  'checkpoint.skipped': markCheckpointed,
  'approval.decided': (state, { callId }) => (state.dryRun?.callId === callId && state.dryRun.stage !== 'applying' ? forget(state) : state),
  'tool-call.completed': (state, { callId }) => (state.dryRun?.callId === callId ? forget(state) : state),
  'turn.ended': (state) => (state.dryRun?.callId === null ? state : forget(state)),
  'session.halted': forget,
  'session.resumed': forget,
};

function markCheckpointed(state: SessionState): SessionState {
  return state.dryRun?.stage === 'applying' ? change(state, { checkpointed: true }) : state;
}

function change(state: SessionState, changes: Partial<DryRun>): SessionState {
  return state.dryRun ? { ...state, dryRun: { ...state.dryRun, ...changes } } : state;
}

/** The output gets a handle like that of any other command. */
function complete(state: SessionState, { number, report }: EventOf<'dry-run.completed'>): SessionState {
  const { dryRun = null } = state;
  if (dryRun?.number !== number) return state;
  if (report === undefined) return forget(state);
  const outputs = report.record.handle === undefined ? state.outputs : [...state.outputs, report.record];
  // A line of the user that changed nothing needs no decision, so the next typed line is no answer to it.
  if (dryRun.callId === null && report.count === 0) return forget({ ...state, outputs });
  return { ...state, outputs, dryRun: { ...dryRun, stage: 'shown', report } };
}

function forget(state: SessionState): SessionState {
  return state.dryRun ? { ...state, dryRun: null } : state;
}
