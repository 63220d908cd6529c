import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { isCommand } from '../policy/policy.ts';
import { askedCall, reject, type SessionState } from './state.ts';

/*
 * A dry run stands beside what the session does: a call goes on being asked about while its command is tried, and what the user
 * answers then ends the dry run, be it by applying it. One of a line of the user's own has no call; then the dry run is the question.
 */

/** Begins the dry run of a call that is asked about, or of a line; `busy` says what keeps a line from it. */
export function dryRun(state: SessionState, op: OpOf<'dry-run'>, busy: ErrorFact | null): SessionEvent[] {
  const number = (state.dryRuns ?? 0) + 1;
  if ('line' in op) {
    if (busy !== null) return reject('dry-run', busy);
    return [{ type: 'dry-run.started', number, line: op.line }];
  }
  const asked = askedCall(state);
  const isOther = op.prompt !== undefined && op.prompt !== asked?.questions;
  if (asked === null || asked.call.id !== op.callId || isOther || !isCommand(asked.call)) {
    return reject('dry-run', {
      code: 'dry-run.not-asked',
      message: `no question about a command is open for the call ${op.callId}`,
      hint: 'only a command that is asked about can be tried in a dry run',
    });
  }
  if (state.dryRun?.stage === 'running') return reject('dry-run', RUNNING);
  const line = String(asked.call.arguments.command ?? '');
  return [{ type: 'dry-run.started', number, line, callId: op.callId }];
}

const RUNNING: ErrorFact = { code: 'dry-run.running', message: 'a dry run is still running', hint: 'wait for its end or drop it' };

/** What keeps the session busy, where a dry run does. */
export function busyWithDryRun({ dryRun }: SessionState): ErrorFact | null {
  if (dryRun === null || dryRun === undefined) return null;
  if (dryRun.stage === 'running') return RUNNING;
  return { code: 'dry-run.open', message: 'a dry run waits for what is to become of it', hint: 'apply it or drop it' };
}

/** Takes over what was tried in a dry run; for a call that is the answer to its question. */
export function applyDryRun(state: SessionState, { items }: OpOf<'apply'>): SessionEvent[] {
  const { dryRun } = state;
  if (dryRun?.stage !== 'shown') return reject('apply', NOT_SHOWN);
  const count = dryRun.report?.count ?? 0;
  if (items !== undefined && (items.length === 0 || items.some((number) => number > count)))
    return reject('apply', {
      code: 'dry-run.unknown-item',
      message: `there are ${count} changes to choose from, from 1`,
      hint: 'name some of them, or none to apply all',
    });
  const { number, callId } = dryRun;
  const applying: SessionEvent = { type: 'dry-run.applying', number, ...(items === undefined ? {} : { items }) };
  if (callId === null) return [applying];
  return [applying, { type: 'approval.decided', callId, decision: 'allow', by: 'user' }];
}

const NOT_SHOWN: ErrorFact = { code: 'dry-run.none', message: 'there is no dry run to decide about', hint: 'dry-run a command first' };

/** Ends a dry run without a trace. */
export function discardDryRun({ dryRun }: SessionState): SessionEvent[] {
  if (dryRun === null || dryRun === undefined || dryRun.stage === 'applying') return reject('discard', NOT_SHOWN);
  return [{ type: 'dry-run.discarded', number: dryRun.number }];
}

/**
 * An interrupt ends what is being tried, and then the question stands again; null where there is nothing of the kind.
 * What is being applied is copied first, and ends as well while it is: from there on it is put in one go.
 */
export function interruptDryRun(state: SessionState): SessionEvent[] | null {
  const { dryRun } = state;
  if (dryRun === null || dryRun === undefined) return null;
  if (dryRun.stage !== 'running' && dryRun.callId !== null) return null;
  return [{ type: 'dry-run.discarded', number: dryRun.number }];
}

/** What is true of the dry run after this event. */
export function evolveDryRun(state: SessionState, event: SessionEvent): SessionState {
  const { dryRun = null } = state;
  if (event.type === 'dry-run.started') {
    const { number, line, callId = null } = event;
    return { ...state, dryRuns: number, dryRun: { number, line, callId, stage: 'running' } };
  }
  if (event.type === 'dry-run.completed') return complete(state, event);
  if (dryRun === null) return state;
  switch (event.type) {
    case 'dry-run.applying': {
      const items = event.items === undefined ? {} : { items: event.items };
      return { ...state, dryRun: { ...dryRun, stage: 'applying', ...items } };
    }
    case 'checkpoint.created':
    case 'checkpoint.skipped':
      return dryRun.stage === 'applying' ? { ...state, dryRun: { ...dryRun, checkpointed: true } } : state;
    case 'approval.decided':
      return dryRun.callId === event.callId && dryRun.stage !== 'applying' ? forget(state) : state;
    case 'tool-call.completed':
      return dryRun.callId === event.callId ? forget(state) : state;
    case 'turn.ended':
      return dryRun.callId === null ? state : forget(state);
    case 'session.halted':
    case 'dry-run.discarded':
    case 'session.resumed':
      return forget(state);
    case 'dry-run.applied':
      return dryRun.callId === null ? forget(state) : state;
    default:
      return state;
  }
}

/** Its output has a handle like that of any other command. */
function complete(state: SessionState, { number, report }: EventOf<'dry-run.completed'>): SessionState {
  const { dryRun = null } = state;
  if (dryRun?.number !== number) return state;
  if (report === undefined) return forget(state);
  const outputs = report.record.handle === undefined ? state.outputs : [...state.outputs, report.record];
  // A line of the user's own that changed nothing leaves nothing to decide, so the next line typed is no answer.
  if (dryRun.callId === null && report.count === 0) return forget({ ...state, outputs });
  return { ...state, outputs, dryRun: { ...dryRun, stage: 'shown', report } };
}

function forget(state: SessionState): SessionState {
  return { ...state, dryRun: null };
}
