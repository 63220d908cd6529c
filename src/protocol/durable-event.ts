import type { DurableEvent, SessionEvent } from './event.ts';

const TRANSIENT: ReadonlySet<string> = new Set([
  'text.delta',
  'reasoning.delta',
  'tool-call.delta',
  'tool-call.progress',
  'request.delayed',
  'request.progress',
  'op.rejected',
  'notice',
]);

/** True for a transient event that no durable event repeats: a client that reconnects gets it again. */
export function isSaidOnce({ type }: SessionEvent): boolean {
  return type === 'op.rejected' || type === 'notice';
}

/** True for an event that belongs in the log. */
export function isDurable(event: SessionEvent): event is DurableEvent {
  return !TRANSIENT.has(event.type);
}
