import type { SessionEvent } from '../../protocol/event.ts';

/** Notes in what a request came to at which seat it was made; the seat of the session's owner is not noted. */
export function fromSeat(event: SessionEvent, seat: string | undefined): SessionEvent {
  if (seat === undefined) return event;
  switch (event.type) {
    case 'turn.started':
    case 'command.started':
    case 'approval.decided':
    case 'session.halted':
    case 'op.rejected':
    case 'settings.changed':
    case 'session.named':
    case 'taint.lifted':
    case 'compaction.started':
    case 'rehearsal.started':
    case 'rehearsal.applying':
    case 'rehearsal.dropped':
    case 'restore.started':
    case 'restore.resolved':
    case 'restore.dropped':
    case 'turn.stop-requested':
    case 'turn.ended':
      return { ...event, seat };
    default:
      return event;
  }
}
