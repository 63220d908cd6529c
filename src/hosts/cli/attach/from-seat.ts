import { escapeForDisplay, sanitizeLine } from '../../../core/sanitize.ts';
import type { SessionEvent } from '../../../protocol/event.ts';
import { formatMark } from '../prompt-line.ts';
import { styled, type Theme } from '../screen/theme.ts';

/** What is told of something that was entered or answered at another seat; null for all else. `own` is the name of this one. */
export function formatFromSeat(event: SessionEvent, theme: Theme, own?: string | null): string | null {
  switch (event.type) {
    case 'turn.started':
      return event.seat === own ? null : formatEntered(event.seat, 'message', event.text, theme);
    case 'command.started': {
      if (event.driver !== 'person' || event.seat === own) return null;
      return formatEntered(event.seat, 'command', event.private === true ? '(a private command)' : event.line, theme);
    }
    case 'approval.decided':
      if (event.by !== 'person' || event.seat === own) return null;
      return `${styled(theme, 'dim', `  answered at ${nameOf(event.seat)}: ${event.decision}`)}\n`;
    case 'session.halted':
      // Where another seat did it, the halt's own line says so.
      if (event.seat !== undefined || event.seat === own || event.by !== 'person') return null;
      return `${styled(theme, 'dim', `  halted at ${nameOf(event.seat)}`)}\n`;
    default:
      return null;
  }
}

function formatEntered(seat: string | undefined, type: 'message' | 'command', text: string, theme: Theme): string {
  const line = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
  return `${styled(theme, 'dim', `${nameOf(seat)} `)}${formatMark({ type, text, reason: '' }, theme)}${line}\n`;
}

function nameOf(seat: string | undefined): string {
  return seat === undefined ? 'owner' : sanitizeLine(seat);
}
