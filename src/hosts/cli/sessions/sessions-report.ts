import type { FoundSession, ListedSession } from '../../../adapters/store/session-index.ts';
import { fitTable } from '../../../core/terminal/table.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { clipText } from '../../../core/terminal/wrap.ts';
import { formatAge } from '../../../core/text/duration.ts';
import { sanitizeLine, sanitizeText } from '../../../core/text/sanitize.ts';
import type { Recorded } from '../../../protocol/event.ts';
import { EMPTY_SESSION, formatMatches, formatTurns, NO_SESSIONS, NOTHING_FOUND } from './messages.ts';

const LONGEST_TITLE = 60;
const KINDS = { said: '', command: '$ ', output: '| ' } as const;

type Redact = (text: string) => string;

/** The title of a session: its name, else the first message of the user, else the first command. */
export function titleOf({
  name,
  firstText,
  firstCommand,
}: Pick<ListedSession, 'name' | 'firstText' | 'firstCommand'>): string {
  const [first = ''] = (firstText ?? '').trim().split('\n');
  if (name !== null) return name;
  if (first !== '') return first;
  return firstCommand === null ? EMPTY_SESSION : `$ ${firstCommand.split('\n')[0] ?? ''}`;
}

/** The user's first command that is no secret: the name of a session without messages. */
export function firstCommandOf(recorded: readonly Recorded[]): string | null {
  for (const { event } of recorded) {
    if (event.type === 'command.started' && event.private !== true) return event.line;
    if (event.type === 'command.completed' && event.record.private !== true) return event.record.line;
  }
  return null;
}

interface ListView {
  readonly now: number;
  readonly redact: Redact;
  readonly columns?: number;
}

/** Sessions, one a line. */
export function formatListed(
  sessions: readonly ListedSession[],
  { now, redact, columns = Number.POSITIVE_INFINITY }: ListView,
): string {
  if (sessions.length === 0) return NO_SESSIONS;
  return fitTable(
    sessions.map((session) => [
      session.id,
      formatAge(session.changedAt, now),
      formatTurns(session.turns),
      sanitizeLine(session.cwd ?? '?'),
      clipText(sanitizeLine(redact(titleOf(session))), LONGEST_TITLE),
    ]),
    columns,
  );
}

/** The matches, session by session, with the words marked. */
export function formatFound(
  found: readonly FoundSession[],
  view: { readonly now: number; readonly theme: Theme; readonly redact: Redact },
): string {
  if (found.length === 0) return NOTHING_FOUND;
  return found.map((session) => formatOne(session, view)).join('\n');
}

function formatOne(
  session: FoundSession,
  { now, theme, redact }: { readonly now: number; readonly theme: Theme; readonly redact: Redact },
): string {
  const more = session.count > session.matches.length ? `, ${formatMatches(session.count)}` : '';
  const head = `${session.id}  ${formatAge(session.changedAt, now)}${more}  ${sanitizeLine(session.cwd ?? '?')}`;
  const title = sanitizeLine(redact(titleOf(session)));
  const lines = session.matches.map(({ kind, text, marks }) => {
    // Redaction moves the words, so nothing is marked there.
    const shown = redact(text);
    return `    ${KINDS[kind]}${shown === text ? markWords(text, marks, theme) : sanitizeLine(shown)}`;
  });
  return [`${head}`, `  ${styled(theme, 'bold', clipText(title, LONGEST_TITLE))}`, ...lines].join('\n');
}

/** Marks the words of a snippet. It is in one line: blanks at the edges of a piece stay. */
export function markWords(text: string, marks: readonly (readonly [number, number])[], theme: Theme): string {
  let shown = '';
  let at = 0;
  for (const [from, to] of marks) {
    shown += sanitizeText(text.slice(at, from)) + styled(theme, 'bold', sanitizeText(text.slice(from, to)));
    at = to;
  }
  return shown + sanitizeText(text.slice(at));
}

/** Sessions for programs. */
export function toSessionJson(session: ListedSession | FoundSession, redact: Redact): object {
  const { id, cwd, createdAt, changedAt, turns, bytes, name, firstText, firstCommand } = session;
  const hide = (text: string | null): string | null => (text === null ? null : redact(text));
  const known = { id, name: hide(name), firstText: hide(firstText), firstCommand: hide(firstCommand) };
  const listed = { ...known, title: redact(titleOf(session)), cwd, createdAt, changedAt, turns, bytes };
  if (!('matches' in session)) return listed;
  const matches = session.matches.map(({ kind, at, text, marks }) => ({ kind, at, text: redact(text), marks }));
  return { ...listed, count: session.count, matches };
}
