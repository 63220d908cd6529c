import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import type { RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import * as messages from './messages.ts';
import { formatMark } from './prompt-line.ts';

/** The row for an event that another client caused; null for all other events. `own` is the name of this client. */
export function formatFromClient(event: SessionEvent, theme: Theme, own?: string | null): string | null {
  if (('client' in event ? event.client : undefined) === own) return null;
  const entered = formatEntered(event, theme);
  if (entered !== null) return entered;
  const done = describeDone(event);
  return done === null ? null : `${styled(theme, 'dim', `  ${done}`)}\n`;
}

/** A line as it looked at the client that entered it. */
function formatEntered(event: SessionEvent, theme: Theme): string | null {
  const line = (client: string | undefined, type: 'message' | 'command' | 'meta', text: string): string => {
    const shown = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    const name = client === undefined ? 'owner' : sanitizeLine(client);
    return `${styled(theme, 'dim', `${name} `)}${formatMark({ type }, theme)}${shown}\n`;
  };
  switch (event.type) {
    case 'turn.started':
      return event.contract === undefined ? line(event.client, 'message', event.text) : null;
    case 'command.started':
      if (event.driver !== 'user') return null;
      return line(event.client, 'command', event.private === true ? messages.PRIVATE_COMMAND : event.line);
    case 'restore.started':
      return line(event.client, 'meta', toUndoLine(event));
    case 'dry-run.started':
      return event.callId === undefined ? line(event.client, 'meta', `:dry-run ${event.line}`) : null;
    case 'compaction.started':
      return event.reason === 'user' ? line(event.client, 'meta', `:compact ${event.focus ?? ''}`.trim()) : null;
    case 'session.named':
      return event.by === 'user' ? line(event.client, 'meta', `:name ${event.name}`) : null;
    default:
      return null;
  }
}

/** An answer or a stop, and the client that it came from. */
function describeDone(event: SessionEvent): string | null {
  const who = 'client' in event && event.client !== undefined ? sanitizeLine(event.client) : 'the owner';
  switch (event.type) {
    case 'approval.decided':
      return event.by === 'user' ? messages.formatAnswered(who, event.decision) : null;
    case 'form.answered':
      return event.by === 'user' ? messages.formatAnswered(who, event.action) : null;
    case 'restore.resolved':
      return messages.formatAnswered(who, describeChoices(event.choices));
    case 'restore.abandoned':
      return messages.formatAbandoned(who);
    case 'dry-run.discarded':
      return messages.formatDiscarded(who);
    case 'taint.cleared':
      return messages.formatTrusted(who);
    case 'dry-run.started':
      return messages.formatDryRunStarted(who);
    case 'dry-run.applying':
      return messages.formatApplying(who, event.items);
    case 'session.halted':
      // The halt's own line names an attached client.
      return event.client === undefined && event.by === 'user' ? messages.formatHalted(who) : null;
    case 'turn.stop-requested':
      return messages.formatStopRequested(who);
    case 'turn.ended':
      // The end of a turn after a requested stop names no client.
      return event.reason === 'interrupted' && event.client !== undefined ? messages.formatInterrupted(who) : null;
    default:
      return null;
  }
}

/** The line of an undo or redo as a user types it. */
export function toUndoLine({ direction, checkpoint, steps, paths = [] }: EventOf<'restore.started'>): string {
  const which = checkpoint ?? (steps === undefined ? null : String(steps));
  const named = paths.map((path) => (/[\s'"\\]/.test(path) ? `'${path.replaceAll("'", "'\\''")}'` : path));
  return [`:${direction ?? 'undo'}`, ...(which === null ? [] : [which]), ...named].join(' ');
}

/** The choices as the prompt calls them; for several paths, with their numbers. */
function describeChoices(choices: RestoreChoices): string {
  const chosen = Object.values(choices);
  const counts = (['mine', 'theirs', 'merged'] as const).flatMap((choice) => {
    const count = chosen.filter((one) => one === choice).length;
    return count === 0 ? [] : [chosen.length === 1 ? messages.CHOSEN[choice] : `${messages.CHOSEN[choice]} ${count}`];
  });
  return counts.length === 0 ? messages.NOTHING_CHOSEN : counts.join(', ');
}
