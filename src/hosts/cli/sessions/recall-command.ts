import { readLog } from '../../../adapters/store/event-log.ts';
import { type FoundSession, searchSessions } from '../../../adapters/store/session-index.ts';
import { cutSnippet, parseSessionQuery, type SessionQuery } from '../../../adapters/store/session-query.ts';
import { redactEvent } from '../../../core/secrets/redact-event.ts';
import { toBlocks } from '../../../core/session-export/blocks.ts';
import { findPlace, formatPlain, type SessionPlace } from '../../../core/session-export/format-session.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { clipText } from '../../../core/terminal/wrap.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { formatAge } from '../../../core/text/duration.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { LiveSession } from '../../../engine/session/engine.ts';
import { omitUndefined } from '../../../protocol/json.ts';
import type { Setup } from '../setup/setup.ts';
import * as messages from './messages.ts';
import { markWords, titleOf } from './sessions-report.ts';

/** The session at the prompt and its screen. */
interface RecallContext {
  readonly setup: Pick<Setup, 'paths'>;
  readonly live: LiveSession;
  readonly theme: Theme;
  readonly columns: number;
  readonly now: number;
  /** Aborted where somebody calls the search off. */
  readonly signal: AbortSignal;
}

/** Most places that are shown, each in another session. */
const MOST_PLACES = 3;
/** Lines on either side of the hit. */
const AROUND = 2;
const MARGIN = '    ';

/** `:recall`: finds places in other sessions, shows lines of them, and keeps each whole place under a handle of this session. */
export async function recallPlaces(words: string, context: RecallContext): Promise<string> {
  const { setup, live, now, signal } = context;
  const query = parseSessionQuery(words);
  if (query === null) return messages.NOTHING_FOUND;
  const folders = { stateDir: setup.paths.state, cacheDir: setup.paths.cache };
  // The words of a search may stand in this session, too.
  const found = await searchSessions(words, folders, { now, signal, limit: MOST_PLACES + 1 });
  if (found === null) return messages.SEARCH_STOPPED;
  const others = found.filter(({ id }) => id !== live.session.sessionId).slice(0, MOST_PLACES);
  const shown: string[] = [];
  for (const session of others) {
    const place = readPlace(session, live);
    if (place !== null) shown.push(await showPlace(place, { ...context, session, query, words }));
  }
  return shown.length === 0 ? messages.NOTHING_FOUND : [...shown, messages.PLACES_HINT].join('\n');
}

/** The place of the best match. A value known as a secret now was perhaps unknown at the time of writing. */
function readPlace({ path, matches: [best] }: FoundSession, { secrets }: LiveSession): SessionPlace | null {
  if (best === undefined) return null;
  const recorded = attempt(() => readLog(path), []);
  return findPlace(
    recorded.map((one) => ({ ...one, event: redactEvent(one.event, secrets.cover) })),
    best.seq,
  );
}

interface PlaceContext extends RecallContext {
  readonly session: FoundSession;
  readonly query: SessionQuery;
  readonly words: string;
}

async function showPlace(place: SessionPlace, context: PlaceContext): Promise<string> {
  const { session, live, theme, now } = context;
  const text = live.secrets.redact(formatPlain(toBlocks(place.recorded)));
  const handle = await keepPlace(text, place, context);
  const day = new Date(place.at).toLocaleString('sv-SE', { dateStyle: 'short', timeStyle: 'short' });
  const head = [
    session.id,
    `${day} (${formatAge(place.at, now)})`,
    messages.formatPlace(place.turn),
    sanitizeLine(place.cwd),
  ];
  return [
    head.join('  '),
    `  ${styled(theme, 'bold', clipText(sanitizeLine(live.secrets.redact(titleOf(session))), 60))}`,
    ...linesAround(text, context),
    ...(place.untrusted.length === 0 ? [] : [`  ${sanitizeLine(messages.formatPlaceUntrusted(place.untrusted))}`]),
    `  ${messages.formatPlaceKept(handle, session.id)}`,
  ].join('\n');
}

/** The line with the most of the words and the lines around it, each cut to the width of the screen. */
function linesAround(text: string, { query, theme, columns }: PlaceContext): readonly string[] {
  const lines = text.split('\n');
  const hits = lines.map((line) => cutSnippet(line, query)?.marks.length ?? 0);
  const hit = Math.max(0, hits.indexOf(Math.max(...hits)));
  const from = Math.max(0, hit - AROUND);
  const width = Math.max(20, columns - MARGIN.length);
  return lines.slice(from, hit + AROUND + 1).map((line) => {
    // Two characters show that a line goes on, at either end.
    const snippet = cutSnippet(line, query, width - 2);
    return `${MARGIN}${snippet === null ? clipText(sanitizeLine(line), width) : markWords(snippet.text, snippet.marks, theme)}`;
  });
}

/** Keeps the text as an output of this session, which no request contains. Returns its handle. */
async function keepPlace(text: string, place: SessionPlace, { live, session, words }: PlaceContext): Promise<number> {
  const bytes = Buffer.from(`${text}\n`);
  const open = live.outputs.begin();
  open.write(bytes);
  const untrusted = place.untrusted.length === 0 ? undefined : place.untrusted;
  const record = await open.finish({
    line: `:recall ${words}`,
    driver: 'user',
    exit: 0,
    cwd: live.sharedShell.cwd,
    output: bytes.toString(),
    bytes: bytes.length,
    durationMs: 0,
    recalled: { session: session.id, ...omitUndefined({ untrusted }) },
  });
  live.session.record({ type: 'session.recalled', record });
  return record.handle ?? 0;
}
