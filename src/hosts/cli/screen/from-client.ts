import { escapeForDisplay, sanitizeLine } from '../../../core/text/sanitize.ts';
import type { RestoreChoice, RestoreChoices } from '../../../protocol/checkpoint.ts';
import type { EventOf, SessionEvent } from '../../../protocol/event.ts';
import { formatMark } from './prompt-line.ts';
import { styled, type Theme } from './theme.ts';

/** What is told of something that was entered or answered at another client; null for all else. `own` is the name of this one. */
export function formatFromClient(event: SessionEvent, theme: Theme, own?: string | null): string | null {
  if (('client' in event ? event.client : undefined) === own) return null;
  const entered = formatEntered(event, theme);
  if (entered !== null) return entered;
  const done = describeDone(event);
  return done === null ? null : `${styled(theme, 'dim', `  ${done}`)}\n`;
}

/** A line that begins something, as it stood where it was entered. */
function formatEntered(event: SessionEvent, theme: Theme): string | null {
  const line = (client: string | undefined, type: 'message' | 'command' | 'meta', text: string): string => {
    const shown = escapeForDisplay(text, { multiline: true }).replaceAll('\n', '\n> ');
    return `${styled(theme, 'dim', `${nameOf(client)} `)}${formatMark({ type, text }, theme)}${shown}\n`;
  };
  switch (event.type) {
    case 'turn.started':
      return line(event.client, 'message', event.text);
    case 'command.started':
      if (event.driver !== 'user') return null;
      return line(event.client, 'command', event.private === true ? '(a private command)' : event.line);
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

/** What was answered or stopped, and where. */
function describeDone(event: SessionEvent): string | null {
  switch (event.type) {
    case 'approval.decided':
      return event.by === 'user' ? `answered at ${nameOf(event.client)}: ${event.decision}` : null;
    case 'restore.resolved':
      return `answered at ${nameOf(event.client)}: ${describeChoices(event.choices)}`;
    case 'restore.abandoned':
    case 'dry-run.discarded':
      return `given up at ${nameOf(event.client)}`;
    case 'taint.cleared':
      return `${nameOf(event.client)} trusts what the model has read`;
    case 'dry-run.started':
      return `tried in a dry run at ${nameOf(event.client)}`;
    case 'dry-run.applying':
      return `applied at ${nameOf(event.client)}: ${event.items?.join(', ') ?? 'all of it'}`;
    case 'session.halted':
      // Where another client did it, the halt's own line says so.
      return event.client === undefined && event.by === 'user' ? 'halted at owner' : null;
    case 'turn.stop-requested':
      return `asked at ${nameOf(event.client)} to stop after this step`;
    case 'turn.ended':
      // One that ends so after a step was stopped before, and names no client.
      return event.reason === 'interrupted' && event.client !== undefined
        ? `interrupted at ${nameOf(event.client)}`
        : null;
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

function nameOf(client: string | undefined): string {
  return client === undefined ? 'owner' : sanitizeLine(client);
}
