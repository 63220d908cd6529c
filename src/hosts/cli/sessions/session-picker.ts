import type { ListedSession } from '../../../adapters/store/session-index.ts';
import type { FoundLine, HistoryQuery, LineMatcher } from '../../../core/prompt/history-match.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { TerminalSize } from '../../../protocol/query.ts';
import type { ApprovalKeyTaker } from '../approvals/key-prompt.ts';
import { HistorySearch } from '../editor/history-search.ts';
import { type Key, KeyParser } from '../editor/keys.ts';
import { type BottomRegion, createRowsRegion } from '../screen/bottom-region.ts';
import { textWidth } from '../screen/graphemes.ts';
import { styled, type Theme } from '../screen/theme.ts';
import { clipText, wrapProse } from '../screen/wrap.ts';
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

/*
 * How well a session fits what was typed. Users look for a name, so that comes first: as whole words, as their beginnings, within them,
 * then by letters that follow each other or begin words, so that `r1w` finds `r1 work`. A directory counts where it is shown, by the
 * beginning of one of its names; and an id by its beginning alone, since its letters are as good as random.
 */

const ID_LENGTH = 12;
const GAP = '  ';

const WHOLE_WORD = 500;
const WORD_BEGIN = 400;
const WITHIN = 300;
const LETTERS = 200;
const DIRECTORY = 100;
const ID = 50;
/** All that was typed stands there in a row. */
const IN_A_ROW = 1000;
/** And it is all there is. */
const ALL = 1000;

/** The line that stands for a session in a list that is searched: what it is called, then its id. */
export function toSessionLine(title: string, id: string): string {
  return `${title}${GAP}${id}`;
}

/** Matches sessions in such lines; `here` are those of this directory, which is not shown. */
export function matchSessions(here: ReadonlySet<FoundLine>): LineMatcher {
  return {
    score: (text, query, found) => scoreSession(text, query, here.has(found) ? '' : found.cwd),
    letters: findInSession,
  };
}

function scoreSession(text: string, { words, whole, isExact }: HistoryQuery, cwd: string): number {
  const { title, id } = takeApart(text);
  const places = (isExact ? cwd : cwd.toLowerCase()).split('/').slice(-2);
  let score = 0;
  for (const word of words) {
    const inTitle = scoreWord(title, word);
    const elsewhere = places.some((name) => name.startsWith(word)) ? DIRECTORY : id.startsWith(word) ? ID : 0;
    if (Math.max(inTitle, elsewhere) === 0) return 0;
    score += Math.max(inTitle, elsewhere);
  }
  const row = words.length > 1 && title.includes(whole) ? IN_A_ROW : 0;
  return score + row + (title === whole ? ALL : 0);
}

function scoreWord(title: string, word: string): number {
  let best = lettersOf(title, word) === null ? 0 : LETTERS;
  for (let at = title.indexOf(word); at >= 0; at = title.indexOf(word, at + 1)) {
    const isBegin = beginsWord(title, at);
    const isWhole = isBegin && (at + word.length === title.length || beginsWord(title, at + word.length, word.at(-1)));
    best = Math.max(best, isWhole ? WHOLE_WORD : isBegin ? WORD_BEGIN : WITHIN);
  }
  return best;
}

/** The positions of the letters in the line that made it match. */
function findInSession(text: string, { words }: HistoryQuery): ReadonlySet<number> {
  const { title, id } = takeApart(text);
  const idAt = text.length - id.length;
  return new Set(
    words.flatMap((word) => {
      const found = placesOf(title, word);
      if (found.length > 0) return found;
      return id.startsWith(word) ? range(idAt, word.length) : [];
    }),
  );
}

/** The best place first: where a word begins so, else within one, else its letters. */
function placesOf(title: string, word: string): readonly number[] {
  const all: number[] = [];
  for (let at = title.indexOf(word); at >= 0; at = title.indexOf(word, at + 1)) all.push(at);
  const at = all.find((place) => beginsWord(title, place)) ?? all[0];
  return at === undefined ? (lettersOf(title, word) ?? []) : range(at, word.length);
}

/**
 * Letters in order, of which the first begins a word, and each other one goes on in the same word or begins another; null where there are
 * none.
 */
function lettersOf(title: string, word: string): readonly number[] | null {
  const find = (from: number, letter: number): readonly number[] | null => {
    if (letter === word.length) return [];
    for (let at = title.indexOf(word.charAt(letter), from); at >= 0; at = title.indexOf(word.charAt(letter), at + 1)) {
      if (!beginsWord(title, at) && (letter === 0 || !isOneWord(title.slice(from, at)))) continue;
      const rest = find(at + 1, letter + 1);
      if (rest !== null) return [at, ...rest];
    }
    return null;
  };
  return word.length > MOST_LETTERS ? null : find(0, 0);
}

/** Nobody abbreviates by more, and each takes a look of its own. */
const MOST_LETTERS = 8;

function takeApart(text: string): { readonly title: string; readonly id: string } {
  const end = text.length - ID_LENGTH - GAP.length;
  return { title: text.slice(0, Math.max(0, end)), id: text.slice(-ID_LENGTH) };
}

function range(from: number, length: number): readonly number[] {
  return Array.from({ length }, (_, at) => from + at);
}

/** A letter behind what is none, or the other way round. */
function beginsWord(title: string, at: number, before = title.charAt(at - 1)): boolean {
  return before === '' || !isOneWord(before) || !isOneWord(title.charAt(at));
}

function isOneWord(text: string): boolean {
  return /^[\p{L}\p{N}]*$/u.test(text);
}
