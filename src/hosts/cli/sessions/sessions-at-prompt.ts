import { type ListedSession, listIndexed, searchSessions } from '../../../adapters/store/session-index.ts';
import { likelySession } from '../../../adapters/store/sessions.ts';
import { sanitizeText } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { AishError } from '../../../protocol/error.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import type { Theme } from '../screen/theme.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { formatFound, formatListed } from './sessions-report.ts';
import { explainTurn } from './why-command.ts';

/** Dependencies of `:sessions` and `:why`. */
interface SessionsAtPrompt {
  readonly setup: Setup;
  readonly live: LiveSession;
  readonly theme: Theme;
  /** Aborted where somebody calls the search off. */
  readonly signal?: AbortSignal;
}

/** A list shows so many; `aish sessions` shows all. */
const LISTED = 50;
/** So many can be chosen from; an older one is found by :sessions and its words. */
const CHOSEN_FROM = 1000;
/** How long a list waits for the index; what it has not come to is looked up. */
const LIST_PATIENCE_MS = 100;

/** `:sessions`: the sessions, or with words those that hold them. */
export async function listOrSearch(
  words: string | undefined,
  context: SessionsAtPrompt & { readonly now: number; readonly columns: number },
): Promise<string> {
  const { live, theme, now, columns } = context;
  const redact = (text: string): string => live.secrets.redact(text);
  if (words === undefined) {
    const sessions = listNewest(context, LISTED + 1);
    const more = sessions.length > LISTED ? `${messages.MORE_SESSIONS}\n` : '';
    // The newest stand last, next to the prompt, where they do not scroll away.
    return more + formatListed(sessions.slice(0, LISTED).reverse(), { now, redact, columns });
  }
  // Keys still work meanwhile.
  const found = await searchSessions(words, foldersOf(context), { now, ...omitUndefined({ signal: context.signal }) });
  return found === null ? messages.SEARCH_STOPPED : formatFound(found, { now, theme, redact });
}

/** Sessions to go on with: first the one that was used last in this directory, of those with any messages. */
export function listToResume({ setup, live }: Pick<SessionsAtPrompt, 'setup' | 'live'>): readonly ListedSession[] {
  const others = listNewest({ setup }, CHOSEN_FROM).filter(({ id }) => id !== live.session.sessionId);
  const likely = likelySession(setup.paths.state, setup.cwd, live.session.sessionId)?.id;
  const sessions = [...others.filter(({ id }) => id === likely), ...others.filter(({ id }) => id !== likely)];
  if (sessions.length > 0) return sessions;
  throw new AishError('session.none', messages.NO_OTHER_SESSION, { hint: messages.NO_OTHER_SESSION_HINT });
}

/** The sessions that were used last. */
function listNewest({ setup }: Pick<SessionsAtPrompt, 'setup'>, limit: number): readonly ListedSession[] {
  return listIndexed(foldersOf({ setup }), { limit }, LIST_PATIENCE_MS);
}

function foldersOf({ setup: { paths } }: Pick<SessionsAtPrompt, 'setup'>) {
  return { stateDir: paths.state, cacheDir: paths.cache };
}

/** `:why`: explains a turn of this session. */
export async function explain(which: string | undefined, { live }: Pick<SessionsAtPrompt, 'live'>): Promise<string> {
  const { session, secrets } = live;
  if (session.recorded.length === 0) {
    throw new AishError('why.none', messages.NO_TURN_YET, { hint: messages.NO_TURN_YET_HINT });
  }
  const explained = await explainTurn(session.recorded, which, { cover: secrets.cover, hint: ':why' });
  return sanitizeText(explained.text);
}
