import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import type { RestoreChoice, RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import { formatMark } from './prompt-line.ts';
import { styled, type Theme } from './theme.ts';

/** What is told of something that was entered or answered at another client; null for all else. `own` is the name of this one. */
export function formatFromClient(event: SessionEvent, theme: Theme, own?: string | null): string | null {
  if (('seat' in event ? event.seat : undefined) === own) return null;
  const entered = formatEntered(event, theme);
  if (entered !== null) return entered;
  const done = describeDone(event);
  return done === null ? null : `${styled(theme, 'dim', `  ${done}`)}\n`;
}

/** A line that begins something, as it stood where it was entered. */
function formatEntered(event: SessionEvent, theme: Theme): string | null {
  const line = (seat: string | undefined, type: 'message' | 'command' | 'meta', text: string): string => {
    const shown = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    return `${styled(theme, 'dim', `${nameOf(seat)} `)}${formatMark({ type, text, reason: '' }, theme)}${shown}\n`;
  };
  switch (event.type) {
    case 'turn.started':
      return line(event.seat, 'message', event.text);
    case 'command.started':
      if (event.driver !== 'person') return null;
      return line(event.seat, 'command', event.private === true ? '(a private command)' : event.line);
    case 'restore.started':
      return line(event.seat, 'meta', toUndoLine(event));
    case 'rehearsal.started':
      return event.callId === undefined ? line(event.seat, 'meta', `:rehearse ${event.line}`) : null;
    case 'compaction.started':
      return event.reason === 'person' ? line(event.seat, 'meta', `:compact ${event.focus ?? ''}`.trim()) : null;
    case 'session.named':
      return event.by === 'person' ? line(event.seat, 'meta', `:name ${event.name}`) : null;
    default:
      return null;
  }
}

/** What was answered or stopped, and where. */
function describeDone(event: SessionEvent): string | null {
  switch (event.type) {
    case 'approval.decided':
      return event.by === 'person' ? `answered at ${nameOf(event.seat)}: ${event.decision}` : null;
    case 'restore.resolved':
      return `answered at ${nameOf(event.seat)}: ${describeChoices(event.choices)}`;
    case 'restore.dropped':
    case 'rehearsal.dropped':
      return `given up at ${nameOf(event.seat)}`;
    case 'taint.lifted':
      return `vouched at ${nameOf(event.seat)} for what the model has read`;
    case 'rehearsal.started':
      return `rehearsed at ${nameOf(event.seat)}`;
    case 'rehearsal.applying':
      return `applied at ${nameOf(event.seat)}: ${event.items?.join(', ') ?? 'all of it'}`;
    case 'session.halted':
      // Where another client did it, the halt's own line says so.
      return event.seat === undefined && event.by === 'person' ? 'halted at owner' : null;
    case 'turn.stop-requested':
      return `asked at ${nameOf(event.seat)} to stop after this step`;
    case 'turn.ended':
      // One that ends so after a step was stopped before, and names no client.
      return event.reason === 'interrupted' && event.seat !== undefined ? `interrupted at ${nameOf(event.seat)}` : null;
    default:
      return null;
  }
}

function toUndoLine({ direction, checkpoint, steps, paths = [] }: EventOf<'restore.started'>): string {
  const which = checkpoint ?? (steps === undefined ? null : String(steps));
  const named = paths.map((path) => (/[\s'"\\]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path));
  return [`:${direction ?? 'undo'}`, ...(which === null ? [] : [which]), ...named].join(' ');
}

const CHOSEN: Readonly<Record<RestoreChoice, string>> = { mine: 'keep', theirs: 'take', merged: 'merge' };

/** In the words of the question; with several paths, in how many. */
function describeChoices(choices: RestoreChoices): string {
  const chosen = Object.values(choices);
  const counts = (['mine', 'theirs', 'merged'] as const).flatMap((choice) => {
    const count = chosen.filter((one) => one === choice).length;
    return count === 0 ? [] : [chosen.length === 1 ? CHOSEN[choice] : `${CHOSEN[choice]} in ${count}`];
  });
  return counts.length === 0 ? 'nothing chosen' : counts.join(', ');
}

function nameOf(seat: string | undefined): string {
  return seat === undefined ? 'owner' : sanitizeLine(seat);
}
