import type { ListedSession } from '../../../adapters/store/session-index.ts';
import { HistorySearch } from '../../../core/editor/history-search.ts';
import { type Key, KeyParser } from '../../../core/editor/keys.ts';
import { AS_HISTORY, type FoundLine, type LineMatcher } from '../../../core/prompt/history-match.ts';
import { type BottomRegion, createRowsRegion } from '../../../core/terminal/bottom-region.ts';
import { textWidth } from '../../../core/terminal/graphemes.ts';
import { styled, type Theme } from '../../../core/terminal/theme.ts';
import { clipText, wrapProse } from '../../../core/terminal/wrap.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { ApprovalKeyTaker } from '../approvals/key-prompt.ts';
import { formatPickerKeys, NO_MATCH, PICK_TO_RESUME } from './messages.ts';
import { titleOf } from './sessions-report.ts';

type ChosenFrom = Pick<ListedSession, 'id' | 'cwd' | 'changedAt' | 'name' | 'firstText' | 'firstCommand'>;

interface SessionPickerOptions {
  readonly sessions: readonly ChosenFrom[];
  /** The label, and the effect of Enter; by default, Enter resumes the session. */
  readonly words?: { readonly asks: string; readonly does: string };
  /** Directory of the terminal. */
  readonly cwd: string;
  readonly now: number;
  readonly redact: (text: string) => string;
  readonly theme: Theme;
  write(text: string): void;
  size(): TerminalSize;
}

/** Wider than any window shows. */
const LONGEST_TITLE = 500;
/** An Escape that is nothing more is known by what does not follow. */
const ESCAPE_MS = 40;

/** A list of sessions to choose one from, searched as Ctrl-R searches lines. Enter takes the one that is marked, Escape and Ctrl-C none. */
export class SessionPicker implements ApprovalKeyTaker {
  readonly wantsText = true;
  readonly #options: SessionPickerOptions;
  readonly #ids: ReadonlyMap<string, string>;
  readonly #search: HistorySearch;
  readonly #region: BottomRegion;
  readonly #keys = new KeyParser();
  readonly #chosen = Promise.withResolvers<string | null>();
  #timer: ReturnType<typeof setTimeout> | null = null;

  constructor(options: SessionPickerOptions) {
    this.#options = options;
    const lines = options.sessions.map((session) => toFoundLine(session, options.redact));
    this.#ids = new Map(lines.map(({ line }, at) => [line, options.sessions[at]?.id ?? '']));
    const here = new Set(lines.filter(({ cwd }) => cwd === options.cwd));
    this.#search = new HistorySearch({ lines, here, now: options.now, matcher: matchSessions(here) });
    this.#region = createRowsRegion({ write: (text) => options.write(text), size: () => options.size() });
    this.#mark();
    this.#region.show('');
    this.#draw();
  }

  /** The id of the session that was chosen; null for none. */
  chosen(): Promise<string | null> {
    return this.#chosen.promise;
  }

  /** The terminal is gone, and nobody chooses any more. */
  giveUp(): void {
    this.#end(null);
  }

  feed(bytes: Uint8Array): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    for (const key of this.#keys.push(bytes)) this.#take(key);
    if (this.#keys.waiting)
      this.#timer = setTimeout(() => {
        for (const key of this.#keys.flush()) this.#take(key);
      }, ESCAPE_MS);
  }

  #take(key: Key): void {
    if (key.type === 'key' && key.key === 'ctrl-d') {
      this.#end(null);
      return;
    }
    switch (this.#search.handle(key)) {
      case 'searching':
        this.#mark();
        this.#draw();
        return;
      case 'cancelled':
        this.#end(null);
        return;
      case 'taken':
      case 'passed':
        // Other keys than Enter mean nothing here.
        if (key.type === 'key' && (key.key === 'enter' || key.key === 'tab'))
          this.#end(this.#search.found?.text ?? null);
    }
  }

  /** One is always marked where there are some. */
  #mark(): void {
    if (this.#search.found === null) this.#search.handle({ type: 'key', key: 'down' });
  }

  #draw(): void {
    const { theme, words = PICK_TO_RESUME } = this.#options;
    const size = this.#options.size();
    const asked = `${words.asks}: ${sanitizeLine(this.#search.query)}`;
    const [, ...rows] = this.#search.rows(size, theme);
    const none = rows.length === 0 ? NO_MATCH : '';
    const keys = `${none}${formatPickerKeys(words.does)}`;
    // Beside what is typed where there is room, else in rows of their own: a key that is cut off is a key nobody knows.
    if (textWidth(asked) + 2 + textWidth(keys) < size.columns) {
      this.#region.setLive([`${asked}  ${styled(theme, 'dim', keys)}`, ...rows]);
      return;
    }
    const folded = wrapProse(keys, size.columns - 1, '').map((row) => styled(theme, 'dim', row));
    const room = Math.max(1, size.rows - folded.length);
    this.#region.setLive([asked, ...folded, ...this.#search.rows({ ...size, rows: room }, theme).slice(1)]);
  }

  #end(line: string | null): void {
    this.#region.hide('');
    this.#chosen.resolve(line === null ? null : (this.#ids.get(line) ?? null));
  }
}

/** A line that differs from all others: with the id behind it. */
function toFoundLine(session: ChosenFrom, redact: (text: string) => string): FoundLine {
  const line = toSessionLine(clipText(sanitizeLine(redact(titleOf(session))), LONGEST_TITLE), session.id);
  return { line, at: session.changedAt, cwd: session.cwd ?? '', who: 'user', exit: null };
}

const ID_LENGTH = 12;
const GAP = '  ';

/** Better than the letters of a title in order, and less than its words. */
const ELSEWHERE = 1_000_000;

/** The line that stands for a session in a list that is searched: what it is called, then its id. */
export function toSessionLine(title: string, id: string): string {
  return `${title}${GAP}${id}`;
}

/**
 * Matches sessions in such lines as history does, by the title. A word may also be the beginning of a directory's name where that is shown,
 * or of the id, since its other letters are as good as random. `here` are the sessions of this directory, which is not shown.
 */
export function matchSessions(here: ReadonlySet<FoundLine>): LineMatcher {
  return {
    score: (text, query, found) => {
      const { title, id } = takeApart(text);
      const byTitle = AS_HISTORY.score(title, query, found);
      const cwd = here.has(found) ? '' : found.cwd;
      const names = [...(query.isExact ? cwd : cwd.toLowerCase()).split('/').slice(-2), id];
      const fits = (word: string): boolean => title.includes(word) || names.some((name) => name.startsWith(word));
      const score = query.words.every(fits) ? Math.max(byTitle, ELSEWHERE) : byTitle;
      return title === query.whole ? score + 1 : score;
    },
    letters: (text, query) => {
      const { title, id } = takeApart(text);
      const found = AS_HISTORY.letters(title, query);
      const length = query.words.find((word) => id.startsWith(word))?.length ?? 0;
      return found.size > 0 ? found : new Set(Array.from({ length }, (_, at) => text.length - id.length + at));
    },
  };
}

function takeApart(text: string): { readonly title: string; readonly id: string } {
  const end = text.length - ID_LENGTH - GAP.length;
  return { title: text.slice(0, Math.max(0, end)), id: text.slice(-ID_LENGTH) };
}
