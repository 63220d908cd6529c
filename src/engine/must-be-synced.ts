import type { SessionState } from '../core/session/state.ts';
import type { SessionEvent } from '../protocol/event.ts';

/** Facts that must be on the disk before what follows them happens. */
const SYNCED: ReadonlySet<SessionEvent['type']> = new Set([
  'tool-call.started',
  'restore.started',
  'restore.resolved',
  'rehearsal.applying',
  'turn.ended',
  'session.resumed',
]);

/** Whether a fact must be on the disk before what follows it happens. A tool of ours that only reads has no effect to be accounted for; what another one does nobody here knows. */
export function mustBeSynced(event: SessionEvent, { turn }: Pick<SessionState, 'turn'>): boolean {
  if (event.type !== 'tool-call.started') return SYNCED.has(event.type);
  const call = turn?.open.find((open) => open.call.id === event.callId)?.call;
  return call?.effect !== 'read' || !call.name.startsWith('aish.');
}
