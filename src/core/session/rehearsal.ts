import type { ErrorFact } from '../../protocol/error.ts';
import type { EventOf, SessionEvent } from '../../protocol/event.ts';
import type { OpOf } from '../../protocol/op.ts';
import { isCommand } from '../policy/policy.ts';
import { askedCall, reject, type SessionState } from './state.ts';

/*
 * A rehearsal stands beside what the session does: a call goes on being asked about while its command is tried, and what the person
 * answers then ends the rehearsal, be it by applying it. One of a line of the person's own has no call; then the rehearsal is the question.
 */

/** Begins the rehearsal of a call that is asked about, or of a line; `busy` says what keeps a line from it. */
export function rehearse(state: SessionState, op: OpOf<'rehearse'>, busy: ErrorFact | null): SessionEvent[] {
  const number = (state.rehearsals ?? 0) + 1;
  if ('line' in op) {
    if (busy !== null) return reject('rehearse', busy);
    return [{ type: 'rehearsal.started', number, line: op.line }];
  }
  const asked = askedCall(state);
  const isOther = op.question !== undefined && op.question !== asked?.questions;
  if (asked === null || asked.call.id !== op.callId || isOther || !isCommand(asked.call)) {
    return reject('rehearse', {
      code: 'rehearsal.not-asked',
      message: `no question about a command is open for the call ${op.callId}`,
      hint: 'only a command that is asked about can be rehearsed',
    });
  }
  if (state.rehearsal?.stage === 'running') return reject('rehearse', RUNNING);
  const line = String(asked.call.arguments.command ?? '');
  return [{ type: 'rehearsal.started', number, line, callId: op.callId }];
}

const RUNNING: ErrorFact = { code: 'rehearsal.running', message: 'a rehearsal is still running', hint: 'wait for its end or drop it' };

/** What keeps the session busy, where a rehearsal does. */
export function busyRehearsing({ rehearsal }: SessionState): ErrorFact | null {
  if (rehearsal === null || rehearsal === undefined) return null;
  if (rehearsal.stage === 'running') return RUNNING;
  return { code: 'rehearsal.open', message: 'a rehearsal waits for what is to become of it', hint: 'apply it or drop it' };
}

/** Takes over what was rehearsed; for a call that is the answer to its question. */
export function applyRehearsal(state: SessionState, { items }: OpOf<'apply'>): SessionEvent[] {
  const { rehearsal } = state;
  if (rehearsal?.stage !== 'shown') return reject('apply', NOT_SHOWN);
  const count = rehearsal.report?.count ?? 0;
  if (items !== undefined && (items.length === 0 || items.some((number) => number > count)))
    return reject('apply', {
      code: 'rehearsal.unknown-item',
      message: `there are ${count} changes to choose from, from 1`,
      hint: 'name some of them, or none to apply all',
    });
  const { number, callId } = rehearsal;
  const applying: SessionEvent = { type: 'rehearsal.applying', number, ...(items === undefined ? {} : { items }) };
  if (callId === null) return [applying];
  return [applying, { type: 'approval.decided', callId, decision: 'allow', by: 'person' }];
}

const NOT_SHOWN: ErrorFact = { code: 'rehearsal.none', message: 'there is no rehearsal to decide about', hint: 'rehearse a command first' };

/** Ends a rehearsal without a trace. */
export function dropRehearsal({ rehearsal }: SessionState): SessionEvent[] {
  if (rehearsal === null || rehearsal === undefined || rehearsal.stage === 'applying') return reject('drop', NOT_SHOWN);
  return [{ type: 'rehearsal.dropped', number: rehearsal.number }];
}

/**
 * An interrupt ends what is being tried, and then the question stands again; null where there is nothing of the kind.
 * What is being applied is copied first, and ends as well while it is: from there on it is put in one go.
 */
export function interruptRehearsal(state: SessionState): SessionEvent[] | null {
  const { rehearsal } = state;
  if (rehearsal === null || rehearsal === undefined) return null;
  if (rehearsal.stage !== 'running' && rehearsal.callId !== null) return null;
  return [{ type: 'rehearsal.dropped', number: rehearsal.number }];
}

/** What is true of the rehearsal after this event. */
export function evolveRehearsal(state: SessionState, event: SessionEvent): SessionState {
  const { rehearsal = null } = state;
  if (event.type === 'rehearsal.started') {
    const { number, line, callId = null } = event;
    return { ...state, rehearsals: number, rehearsal: { number, line, callId, stage: 'running' } };
  }
  if (event.type === 'rehearsal.completed') return complete(state, event);
  if (rehearsal === null) return state;
  switch (event.type) {
    case 'rehearsal.applying': {
      const items = event.items === undefined ? {} : { items: event.items };
      return { ...state, rehearsal: { ...rehearsal, stage: 'applying', ...items } };
    }
    case 'checkpoint.created':
    case 'checkpoint.skipped':
      return rehearsal.stage === 'applying' ? { ...state, rehearsal: { ...rehearsal, checkpointed: true } } : state;
    case 'approval.decided':
      return rehearsal.callId === event.callId && rehearsal.stage !== 'applying' ? forget(state) : state;
    case 'tool-call.completed':
      return rehearsal.callId === event.callId ? forget(state) : state;
    case 'turn.ended':
      return rehearsal.callId === null ? state : forget(state);
    case 'session.halted':
    case 'rehearsal.dropped':
    case 'session.resumed':
      return forget(state);
    case 'rehearsal.applied':
      return rehearsal.callId === null ? forget(state) : state;
    default:
      return state;
  }
}

/** Its output has a handle like that of any other command. */
function complete(state: SessionState, { number, report }: EventOf<'rehearsal.completed'>): SessionState {
  const { rehearsal = null } = state;
  if (rehearsal?.number !== number) return state;
  if (report === undefined) return forget(state);
  const outputs = report.record.handle === undefined ? state.outputs : [...state.outputs, report.record];
  // A line of the user's own that changed nothing leaves nothing to decide, so the next line typed is no answer.
  if (rehearsal.callId === null && report.count === 0) return forget({ ...state, outputs });
  return { ...state, outputs, rehearsal: { ...rehearsal, stage: 'shown', report } };
}

function forget(state: SessionState): SessionState {
  return { ...state, rehearsal: null };
}
