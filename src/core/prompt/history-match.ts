/** A line that can be found, and its newest use. */
export interface FoundLine {
  readonly line: string;
  /** Milliseconds since the epoch; 0 where nobody knows. */
  readonly at: number;
  readonly cwd: string;
  readonly who: 'user' | 'model';
  readonly exit: number | null;
}

/** The lines to search. */
export interface SearchedHistory {
  /** Each different line once, newest first. */
  readonly lines: readonly FoundLine[];
  /** Those that were used in the directory of the terminal. */
  readonly here: ReadonlySet<FoundLine>;
}

/** A parsed query: words that a line must contain, or at least their letters in order. */
export interface HistoryQuery {
  readonly whole: string;
  readonly words: readonly string[];
  /** A capital letter in the query makes letter case count. */
  readonly isExact: boolean;
}

/** A matcher of lines. The text is the line, in lower case unless case counts. */
export interface LineMatcher {
  /** 0 for not at all; of two that are as good the newer line goes first. */
  score(text: string, query: HistoryQuery, line: FoundLine): number;
  letters(text: string, query: HistoryQuery): ReadonlySet<number>;
}

/** Nobody looks for what stands further behind in a line. */
export const SEARCHED_LENGTH = 1000;

const AT_WORD = 3_000_000;
const WITHIN = 2_000_000;
const ALL_WORDS = 1_500_000;
const MOST_LOOSE = 999_999;

/** Takes what was typed apart at its blanks. */
export function toHistoryQuery(typed: string): HistoryQuery {
  const isExact = typed !== typed.toLowerCase();
  const whole = typed.trim();
  return { whole, words: whole.split(/\s+/).filter((word) => word !== ''), isExact };
}

/**
 * How well a line has what is looked for, 0 for not at all. The query as it stands goes before its words one by one, and those before
 * mere letters in order; the begin of a word goes before its middle.
 */
function scoreLine(line: string, query: HistoryQuery): number {
  const at = line.indexOf(query.whole);
  if (at >= 0) return beginsWord(line, at) || findAtWord(line, query.whole, at + 1) >= 0 ? AT_WORD : WITHIN;
  if (query.words.length > 1 && query.words.every((word) => line.includes(word))) return ALL_WORDS;
  let score = 0;
  for (const word of query.words) {
    const found = looseScore(line, word);
    if (found === 0) return 0;
    score += found;
  }
  return Math.min(MOST_LOOSE, score);
}

/** As lines of history are searched. */
export const AS_HISTORY: LineMatcher = { score: scoreLine, letters: findLetters };

/** The positions of the letters that made a line match. */
function findLetters(line: string, query: HistoryQuery): ReadonlySet<number> {
  const first = line.indexOf(query.whole);
  if (first >= 0) {
    const atWord = beginsWord(line, first) ? first : findAtWord(line, query.whole, first + 1);
    return range(atWord < 0 ? first : atWord, query.whole.length);
  }
  return new Set(query.words.flatMap((word) => findWord(line, word)));
}

function findWord(line: string, word: string): readonly number[] {
  const at = line.indexOf(word);
  return at >= 0 ? [...range(at, word.length)] : loosePlaces(line, word);
}

function range(from: number, length: number): Set<number> {
  return new Set(Array.from({ length }, (_, at) => from + at));
}

function findAtWord(line: string, text: string, from: number): number {
  for (let at = line.indexOf(text, from); at >= 0; at = line.indexOf(text, at + 1)) if (beginsWord(line, at)) return at;
  return -1;
}

function beginsWord(line: string, at: number): boolean {
  return at === 0 || !isWordCode(line.charCodeAt(at - 1));
}

function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || code > 127;
}

/** Letters that follow each other and begins of words count, what lies between them counts against. */
function looseScore(line: string, word: string): number {
  const end = endOfLetters(line, word);
  if (end < 0) return 0;
  let score = 10_000;
  let previous = -1;
  for (const at of placesUpTo(line, word, end)) {
    if (at === previous + 1 && previous >= 0) score += 400;
    else if (beginsWord(line, at)) score += 300;
    if (previous >= 0) score -= Math.min(200, (at - previous - 1) * 10);
    previous = at;
  }
  return Math.max(1, score);
}

function loosePlaces(line: string, word: string): readonly number[] {
  const end = endOfLetters(line, word);
  return end < 0 ? [] : placesUpTo(line, word, end);
}

/** The position of the last letter when each is matched as early as possible; -1 when they are not all there in order. */
function endOfLetters(line: string, word: string): number {
  let at = -1;
  for (let letter = 0; letter < word.length; letter++) {
    at = line.indexOf(word.charAt(letter), at + 1);
    if (at < 0) return -1;
  }
  return at;
}

/** Back from the last letter, each taken as late as can be: so they stand close together. */
function placesUpTo(line: string, word: string, end: number): readonly number[] {
  const places = new Array<number>(word.length);
  let at = end + 1;
  for (let letter = word.length - 1; letter >= 0; letter--) {
    at = line.lastIndexOf(word.charAt(letter), at - 1);
    places[letter] = at;
  }
  return places;
}
