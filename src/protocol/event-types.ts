import type { DurableEvent } from './event.ts';

/** Every kind of durable event this release knows; a kind that is missing here does not compile. */
const DURABLE: Readonly<Record<DurableEvent['type'], true>> = {
  'session.created': true,
  'session.resumed': true,
  'settings.changed': true,
  'session.named': true,
  'session.forked': true,
  'history.imported': true,
  'turn.started': true,
  'context.window': true,
  'compaction.started': true,
  'context.compacted': true,
  'compaction.failed': true,
  'request.framed': true,
  'request.sent': true,
  'step.completed': true,
  'turn.tainted': true,
  'taint.lifted': true,
  'turn.stop-requested': true,
  'session.halted': true,
  'halt.completed': true,
  'turn.ended': true,
  'approval.requested': true,
  'call.measured': true,
  'approval.decided': true,
  'checkpoint.created': true,
  'checkpoint.sealed': true,
  'checkpoint.skipped': true,
  'tool-call.started': true,
  'tool-call.completed': true,
  'command.started': true,
  'command.completed': true,
  'rehearsal.started': true,
  'rehearsal.completed': true,
  'rehearsal.dropped': true,
  'rehearsal.applying': true,
  'rehearsal.applied': true,
  'restore.started': true,
  'restore.asked': true,
  'restore.resolved': true,
  'restore.dropped': true,
  'restore.completed': true,
};

/** True for the name of a kind of durable event; a log may hold others, of a newer release. */
export function isDurableType(type: string): type is DurableEvent['type'] {
  return Object.hasOwn(DURABLE, type);
}
