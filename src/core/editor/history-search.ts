import type { TerminalSize } from '../../protocol/query.ts';
import type { LineWalk } from '../prompt/history-index.ts';
import {
  AS_HISTORY,
  type FoundLine,
  type HistoryQuery,
  type LineMatcher,
  SEARCHED_LENGTH,
  type SearchedHistory,
  toHistoryQuery,
} from '../prompt/history-match.ts';
import { textWidth, toGraphemes } from '../terminal/graphemes.ts';
import { toCell } from '../terminal/layout.ts';
import type { Theme } from '../terminal/theme.ts';
import { toAge } from '../text/duration.ts';
import { atEnd, type EditState } from './edit.ts';
import type { Key } from './keys.ts';
import { formatFound } from './messages.ts';

/** A source of earlier lines. The editor calls it while the user types, so it must be fast. */
export interface HistorySource {
  /** The rest of the best line that begins with `text`; empty for none. Called for each key. */
  suggest(text: string): string;
  /** A walk through the lines that begin with `prefix`. `run` omits lines that came back without running. */
  walk(prefix: string, which?: 'all' | 'run'): LineWalk;
  /** Begins the search of Ctrl-R, with the typed text as the query. */
  search(text: string): HistorySearch;
}

/** The lines of a search, and how they are matched and shown. */
interface SearchOptions extends SearchedHistory {
  readonly now: number;
  /** How lines are matched, where not as those of history. */
  readonly matcher?: LineMatcher;
}

/** The result of a key: the search continues, is cancelled, ends with the key, or ends and leaves the key to the line. */
export type SearchOutcome = 'searching' | 'cancelled' | 'taken' | 'passed';

/** Places in `lines`, the best match first. */
type Matches = readonly number[];

const MOST_ROWS = 10;
/** The line itself, its prompt and the row of the search need room too. */
const OTHER_ROWS = 4;
/** Larger than any number of lines, so that score and place share one number to sort by. */
const PLACES = 2 ** 21;

/**
 * Ctrl-R: a fuzzy search through the history with a list of matches. Typing narrows the list. Ctrl-R and Down go to the next match, Ctrl-S
 * and Up to the one before. Enter runs the match, Tab and Right put it in the line, Ctrl-T searches only this directory, and Escape and
 * Ctrl-G cancel.
 */
export class HistorySearch {
  readonly #history: SearchOptions;
  #query = '';
  #selected = -1;
  #onlyHere = false;
  #all: Matches | null = null;
  #lower: readonly string[] | null = null;
  #narrowed: { readonly query: string; readonly matches: Matches }[] = [];

  constructor(history: SearchOptions, text = '') {
    this.#history = history;
    if (text !== '' && !text.includes('\n')) this.#type(text);
  }

  /** The selected line, with the cursor at its end; null without a query or a match. */
  get found(): EditState | null {
    const line = this.#history.lines[this.#matches()[this.#selected] ?? -1]?.line;
    return line === undefined ? null : atEnd(line);
  }

  /** The text to search for. */
  get query(): string {
    return this.#query;
  }

  /** The match before or behind the one with a text; the best for a text that is none. Null at the ends. */
  nextTo(text: string, step: 1 | -1): EditState | null {
    const { lines } = this.#history;
    const matches = this.#matches();
    const line = lines[matches[matches.findIndex((place) => lines[place]?.line === text) + step] ?? -1]?.line;
    return line === undefined ? null : atEnd(line);
  }

  handle(key: Key): SearchOutcome {
    if (key.type !== 'key') {
      this.#type(this.#query + key.text.replace(/\s+/g, ' '));
      return 'searching';
    }
    const step = STEPS[key.key];
    if (step !== undefined) this.#step(step);
    else if (key.key === 'ctrl-t') this.#toggleHere();
    else if (!this.#edit(key.key)) return this.#leave(key.key);
    return 'searching';
  }

  /** The rows below the line: the query, then the matches around the selected one. */
  rows(size: TerminalSize, theme: Theme): readonly string[] {
    const matches = this.#matches();
    const room = Math.max(1, Math.min(MOST_ROWS, size.rows - OTHER_ROWS));
    const from = Math.max(0, Math.min(this.#selected - room + 1, matches.length - room));
    const query = toHistoryQuery(this.#query);
    const rows = matches.slice(from, from + room).flatMap((place, at) => {
      const found = this.#history.lines[place];
      if (found === undefined) return [];
      const letters = this.#matcher.letters(this.#textOf(place, query), query);
      const { now } = this.#history;
      const isSelected = from + at === this.#selected;
      return formatRow(found, { letters, isSelected, isHere: this.#history.here.has(found), now, size, theme });
    });
    return [this.#status(matches.length, theme), ...rows];
  }

  #status(count: number, { sgr, reset }: Theme): string {
    return `search: ${this.#query}  ${sgr.dim}${formatFound(count, this.#onlyHere)}${reset}`;
  }

  #type(query: string): void {
    this.#query = query;
    this.#selected = query.trim() === '' || this.#matches().length === 0 ? -1 : 0;
  }

  #step(step: number): void {
    const last = this.#matches().length - 1;
    if (last >= 0) this.#selected = Math.max(0, Math.min(last, this.#selected + step));
  }

  #toggleHere(): void {
    this.#onlyHere = !this.#onlyHere;
    this.#all = null;
    this.#narrowed = [];
    this.#type(this.#query);
  }

  /** True for a key that changed what is looked for. */
  #edit(key: string): boolean {
    if (key === 'backspace' || key === 'ctrl-h') this.#type(toGraphemes(this.#query).slice(0, -1).join(''));
    else if (key === 'ctrl-u') this.#type('');
    else if (key === 'ctrl-w') this.#type(this.#query.replace(/\S+\s*$/, ''));
    else return false;
    return true;
  }

  #leave(key: string): SearchOutcome {
    if (key === 'ctrl-g' || key === 'ctrl-c' || key === 'escape') return 'cancelled';
    // Without a match nothing can run, and the earlier text is not the line that the user means.
    if (key === 'enter' && this.#query.trim() !== '' && this.found === null) return 'searching';
    return key === 'tab' || key === 'right' || key === 'ctrl-e' ? 'taken' : 'passed';
  }

  #matches(): Matches {
    const query = toHistoryQuery(this.#query);
    if (query.whole === '') return this.#everything();
    while (this.#narrowed.length > 0 && !this.#query.startsWith(this.#narrowed.at(-1)?.query ?? '')) this.#narrowed.pop();
    const last = this.#narrowed.at(-1);
    if (last?.query === this.#query) return last.matches;
    const matches = this.#match(query, last?.matches ?? this.#everything());
    this.#narrowed.push({ query: this.#query, matches });
    return matches;
  }

  #everything(): Matches {
    const { lines, here } = this.#history;
    this.#all ??= lines.flatMap((line, place) => (!this.#onlyHere || here.has(line) ? [place] : []));
    return this.#all;
  }

  #match(query: HistoryQuery, among: Matches): Matches {
    const keys = new Float64Array(among.length);
    const matcher = this.#matcher;
    let count = 0;
    for (const place of among) {
      const line = this.#history.lines[place];
      const score = line === undefined ? 0 : matcher.score(this.#textOf(place, query), query, line);
      if (score > 0) keys[count++] = score * PLACES + (PLACES - 1 - place);
    }
    const sorted = keys.subarray(0, count).sort();
    return Array.from(sorted, (_, at) => PLACES - 1 - ((sorted[count - 1 - at] ?? 0) % PLACES));
  }

  get #matcher(): LineMatcher {
    return this.#history.matcher ?? AS_HISTORY;
  }

  /** The line as it is compared. Small letters are made once for all lines: that is dearer than a search. */
  #textOf(place: number, { isExact }: HistoryQuery): string {
    if (isExact) return (this.#history.lines[place]?.line ?? '').slice(0, SEARCHED_LENGTH);
    this.#lower ??= this.#history.lines.map(({ line }) => toSmall(line));
    return this.#lower[place] ?? '';
  }
}

const STEPS: Readonly<Record<string, number>> = {
  ...{ 'ctrl-r': 1, down: 1, 'ctrl-n': 1, 'page-down': MOST_ROWS },
  ...{ 'ctrl-s': -1, up: -1, 'ctrl-p': -1, 'page-up': -MOST_ROWS },
};

/** Small letters, each where its capital stood: a few change their number. */
function toSmall(line: string): string {
  const text = line.slice(0, SEARCHED_LENGTH);
  const small = text.toLowerCase();
  return small.length === text.length ? small : text;
}

interface RowOptions {
  /** Places of the letters that are marked. */
  readonly letters: ReadonlySet<number>;
  readonly isSelected: boolean;
  readonly isHere: boolean;
  readonly now: number;
  readonly size: TerminalSize;
  readonly theme: Theme;
}

const AGE_WIDTH = 4;
/** Below this the line needs all the room. */
const WIDE = 60;

/** One row of the search: how long ago, the line with its matched letters marked, and behind it status, hand and directory. */
function formatRow(found: FoundLine, options: RowOptions): string {
  const { sgr, reset } = options.theme;
  const { columns } = options.size;
  const age = formatShortAge(found.at, options.now).padStart(AGE_WIDTH);
  const facts = columns < WIDE ? '' : formatFacts(found, options.isHere, Math.floor(columns / 3));
  const room = columns - 2 - AGE_WIDTH - 1 - (facts === '' ? 0 : textWidth(facts) + 2) - 1;
  const line = formatLine(found.line, room, options);
  const behind = facts === '' ? '' : `${' '.repeat(Math.max(2, room - line.width + 2))}${sgr.dim}${facts}${reset}`;
  return `${options.isSelected ? '>' : ' '} ${sgr.dim}${age}${reset} ${line.text}${behind}`;
}

/** How long ago, in at most four letters: `3m`, `5h`, `12d`, `2y`; empty for a time nobody knows. */
function formatShortAge(at: number, now: number): string {
  if (at <= 0) return '';
  const [count, unit] = toAge(at, now);
  return unit === 'd' && count >= 1000 ? `${Math.floor(count / 365)}y` : `${count}${unit}`;
}

function formatFacts({ exit, who, cwd }: FoundLine, isHere: boolean, most: number): string {
  const failed = exit === null || exit === 0 ? [] : [`exit ${exit}`];
  const directory = isHere || cwd === '' ? [] : [cwd.split('/').slice(-2).join('/')];
  const facts = [...failed, ...(who === 'model' ? ['ai'] : []), ...directory].join(' · ');
  const shown = toGraphemes(facts).map((grapheme) => toCell(grapheme, '').text);
  const text = shown.join('');
  return textWidth(text) <= most ? text : `${shown.slice(0, Math.max(0, most - 1)).join('')}…`;
}

/** As much of the line as has room. Every change of look begins from none, so that none is left over. */
function formatLine(line: string, room: number, options: RowOptions): { readonly text: string; readonly width: number } {
  const { sgr, reset } = options.theme;
  const plain = options.isSelected ? sgr.selected : '';
  const marked = `${plain}${sgr.bold}${sgr.underline}`;
  let [text, width, offset, style] = ['', 0, 0, ''];
  const turn = (wanted: string): void => {
    if (wanted === style) return;
    text += `${style === '' ? '' : reset}${wanted}`;
    style = wanted;
  };
  for (const grapheme of toGraphemes(line.slice(0, room * 4))) {
    const cell = toCell(grapheme === '\n' ? '↵' : grapheme, '');
    if (width + cell.width > room) break;
    turn(isMarked(offset, grapheme.length, options.letters) ? marked : plain);
    text += cell.text;
    width += cell.width;
    offset += grapheme.length;
  }
  turn('');
  return { text, width };
}

function isMarked(from: number, length: number, letters: ReadonlySet<number>): boolean {
  for (let at = from; at < from + length; at++) if (letters.has(at)) return true;
  return false;
}
