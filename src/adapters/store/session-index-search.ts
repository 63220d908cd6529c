import { fstatSync, readSync } from 'node:fs';
import { LOG_VERSION, parseLine, upcast } from './log-line.ts';
import {
  cutSnippet,
  type IndexedText,
  indexedText,
  isWordStart,
  type SessionQuery,
  type Snippet,
  toComparable,
} from './session-query.ts';
import { type FoundLog, readLog } from './sessions.ts';

/** A place in a session where what was looked for stands. */
export interface SessionMatch extends Snippet {
  readonly kind: 'said' | 'command' | 'output';
  readonly at: number;
  /** The number of its event. */
  readonly seq: number;
}

/** A fact in a log: where its line stands, and which version it has. */
export interface LogPlace {
  readonly start: number;
  readonly length: number;
  readonly version: number;
}

/** A session in which something was found, and where in its log, best first. */
interface RankedSession {
  readonly log: FoundLog;
  readonly entries: readonly LogPlace[];
  readonly count: number;
}

interface Hit extends LogPlace {
  readonly log: FoundLog;
  readonly score: number;
}

/** For a word that is everywhere the search looks only at the newest sessions. */
const MOST_HITS = 3000;
const MOST_OF_SESSION = 8;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
/** The least weight of a match, by its age. */
const LEAST_WEIGHT = 0.2;
/** The weight of a word by its kind of text. */
const WEIGHTS = { said: 5, commands: 4, printed: 1 } as const;
const KINDS = { said: 'said', commands: 'command', printed: 'output' } as const;
const COLUMNS = ['said', 'commands', 'printed'] as const;
const PIECE = 4 * 1024 * 1024;
const HEADER = '{"log":"aish"';

/**
 * Looks for words in logs, as they lie on the disk: their text is searched as a whole, and only a line in which every word may stand is
 * read as a fact. A log that is not cached by the system costs its reading; the rest of a gigabyte takes less than a second.
 */
export class SessionScan {
  readonly #query: SessionQuery;
  readonly #now: number;
  readonly #isSought: (log: FoundLog) => boolean;
  readonly #hits: Hit[] = [];
  /** Logs that may hold each word, but in several facts: the lines of each. */
  readonly #spread: { readonly log: FoundLog; readonly places: readonly (readonly LogPlace[])[] }[] = [];
  #buffer = Buffer.allocUnsafe(PIECE);

  /** Logs with a hit are counted only where they are sought. */
  constructor(query: SessionQuery, now: number, isSought: (log: FoundLog) => boolean) {
    this.#query = query;
    this.#now = now;
    this.#isSought = isSought;
  }

  /** Enough was found for the rest to make no difference. */
  get isFull(): boolean {
    return this.#hits.length >= MOST_HITS;
  }

  /** Looks through a log. One that is gone, or not ours to read, holds nothing. */
  look(log: FoundLog): void {
    readLog(log, undefined, (fd) => this.#lookThrough(log, fd));
  }

  /** Sessions with facts that hold all that is looked for; where there are none, those that hold it in several facts. */
  ranked(): readonly RankedSession[] {
    if (this.#hits.length > 0) return rank(this.#hits);
    const found = this.#spread.slice(0, MOST_HITS).flatMap(({ log, places }) => this.#readSpread(log, places));
    return rank(found).map((session) => ({ ...session, count: 0 }));
  }

  #lookThrough(log: FoundLog, fd: number): void {
    const before = this.#hits.length;
    const places: LogPlace[][] = this.#query.terms.map(() => []);
    let version: number | null = null;
    for (let offset = 0, room = PIECE; ; ) {
      if (this.#buffer.length < room) this.#buffer = Buffer.allocUnsafe(room);
      const piece = this.#buffer.subarray(0, readSync(fd, this.#buffer, 0, room, offset));
      const end = piece.lastIndexOf(0x0a) + 1;
      const isWhole = offset === 0 && piece.length < room;
      if (end > 0) version = this.#lookAt(log, { bytes: piece.subarray(0, end), offset, version, isWhole }, places);
      // The text behind the last line feed is being written, or longer than the piece.
      if (piece.length < room || version === null) break;
      offset += end;
      room = end === 0 ? room * 2 : PIECE;
    }
    const maySpread = places.length > 1 && places.every((found) => found.length > 0);
    if (!maySpread && this.#hits.length === before) return;
    if (!this.#isSought(log)) this.#hits.length = before;
    else if (maySpread && this.#hits.length === 0) this.#spread.push({ log, places });
  }

  /** The version of what follows; null where a later release wrote it, or where nothing can be found any more. */
  #lookAt(
    log: FoundLog,
    { bytes, offset, version, isWhole }: { bytes: Buffer; offset: number; version: number | null; isWhole: boolean },
    places: LogPlace[][],
  ): number | null {
    const whole = bytes.toString('utf8');
    const headers = headersIn(whole, version);
    const later = headers.find((header) => header.version > LOG_VERSION);
    const text = later === undefined ? whole : whole.slice(0, later.start);
    const found: ReadonlySet<number>[] = [];
    for (const { raw, isUnspaced } of this.#query.terms) {
      const starts = linesWith(text, raw, isUnspaced);
      if (isWhole && starts.size === 0) return null;
      found.push(starts);
    }
    const isInEach = (start: number): boolean => found.every((starts) => starts.has(start));
    const toPlace = placer(text, bytes, headers);
    for (const start of [...new Set(found.flatMap((starts) => [...starts]))].sort((one, other) => one - other)) {
      const place = toPlace(start);
      const shifted = { ...place, start: place.start + offset };
      for (const [at, starts] of found.entries()) if (starts.has(start)) places[at]?.push(shifted);
      if (!isInEach(start) || this.isFull) continue;
      const score = this.#scoreAt(bytes.subarray(place.start, place.start + place.length), place.version);
      if (score !== null) this.#hits.push({ log, ...shifted, score });
    }
    return later === undefined ? (headers.at(-1)?.version ?? null) : null;
  }

  /** How well the fact in a line fits; null where it does not hold all that is looked for, or those of the terms that are wanted. */
  #scoreAt(line: Buffer, version: number, terms = this.#query.terms): number | null {
    const fact = readFact(line, version);
    if (fact === null) return null;
    const columns = COLUMNS.map((name) => [WEIGHTS[name], toComparable(fact.text[name])] as const);
    let score = 0;
    for (const { words } of terms) {
      const best = Math.max(...columns.map(([weight, text]) => weight * scoreOf(text, words)));
      if (best === 0) return null;
      score += best;
    }
    const age = Math.max(0, this.#now - fact.at) / MONTH_MS;
    return score * (LEAST_WEIGHT + (1 - LEAST_WEIGHT) * 0.5 ** age);
  }

  #readSpread(log: FoundLog, places: readonly (readonly LogPlace[])[]): readonly Hit[] {
    const found = places.map((of, at) =>
      readLines(log, of.slice(0, MOST_OF_SESSION * MOST_OF_SESSION), (line, place) => {
        const score = this.#scoreAt(line, place.version, this.#query.terms.slice(at, at + 1));
        return score === null ? [] : [{ log, ...place, score }];
      }),
    );
    return found.every((hits) => hits.length > 0) ? found.flat() : [];
  }
}

/** The pieces of the fact in a line of a log, by what they are. */
export function wordsAt(line: Buffer, version: number, query: SessionQuery): readonly SessionMatch[] {
  const fact = readFact(line, version);
  if (fact === null) return [];
  return COLUMNS.flatMap((name) => {
    const snippet = cutSnippet(fact.text[name], query);
    return snippet === null ? [] : [{ kind: KINDS[name], at: fact.at, seq: fact.seq, ...snippet }];
  });
}

/** Computes a value from the current lines of a log; lines that were cut off since are left out, and so is all of a log that is gone. */
export function readLines<T>(
  log: FoundLog,
  places: readonly LogPlace[],
  read: (line: Buffer, place: LogPlace) => readonly T[],
): readonly T[] {
  return readLog(log, [], (fd) => {
    const { size } = fstatSync(fd);
    return places.flatMap((place) => {
      const { start, length } = place;
      if (start + length > size) return [];
      const line = Buffer.alloc(length);
      readSync(fd, line, 0, length, start);
      return read(line, place);
    });
  });
}

function readFact(
  line: Buffer,
  version: number,
): { readonly at: number; readonly seq: number; readonly text: IndexedText } | null {
  const read = parseLine(line, 0, line.length);
  if (read.type !== 'record') return null;
  const text = indexedText(upcast(read.event, version));
  return text === null ? null : { at: read.at, seq: read.seq, text };
}

function headersIn(
  text: string,
  known: number | null,
): readonly { readonly start: number; readonly version: number }[] {
  const headers = known === null ? [] : [{ start: -1, version: known }];
  for (let start = text.indexOf(HEADER); start !== -1; start = text.indexOf(HEADER, start + 1)) {
    if (start > 0 && text[start - 1] !== '\n') continue;
    const line = Buffer.from(text.slice(start, text.indexOf('\n', start)));
    const read = parseLine(line, 0, line.length);
    if (read.type === 'header') headers.push({ start, version: read.version });
  }
  return headers;
}

/** The beginnings of lines that may contain the word. */
function linesWith(text: string, raw: RegExp, isUnspaced: boolean): ReadonlySet<number> {
  const starts = new Set<number>();
  raw.lastIndex = 0;
  for (let found = raw.exec(text); found !== null; found = raw.exec(text)) {
    if (!isUnspaced && !isWordStart(text, found.index)) continue;
    starts.add(text.lastIndexOf('\n', found.index) + 1);
    raw.lastIndex = text.indexOf('\n', found.index);
  }
  return starts;
}

/** Tells where lines stand in the bytes of a text, when asked in their order. */
function placer(text: string, bytes: Buffer, headers: ReturnType<typeof headersIn>): (start: number) => LogPlace {
  const isPlain = text.length === bytes.length;
  let from = 0;
  let byte = 0;
  return (start) => {
    byte += isPlain ? start - from : Buffer.byteLength(text.slice(from, start));
    from = start;
    const length = bytes.indexOf(0x0a, byte) - byte;
    return {
      start: byte,
      length,
      version: headers.findLast((header) => header.start <= start)?.version ?? LOG_VERSION,
    };
  };
}

/** Often counts more than once, and in a short text more than in a long one; 0 where it does not stand in it. */
function scoreOf(text: string, words: RegExp): number {
  if (text === '') return 0;
  const often = text.match(words)?.length ?? 0;
  return often / (often + 0.5 + text.length / 2000);
}

function rank(hits: readonly Hit[]): readonly RankedSession[] {
  const bySession = new Map<FoundLog, Hit[]>();
  for (const hit of hits) {
    const known = bySession.get(hit.log);
    if (known === undefined) bySession.set(hit.log, [hit]);
    else known.push(hit);
  }
  return [...bySession]
    .map(([log, found]) => ({ log, best: found.sort((one, other) => other.score - one.score) }))
    .sort(
      (one, other) => (other.best[0]?.score ?? 0) - (one.best[0]?.score ?? 0) || (one.log.id < other.log.id ? 1 : -1),
    )
    .map(({ log, best }) => ({
      log,
      entries: best.slice(0, MOST_OF_SESSION).map(({ start, length, version }) => ({ start, length, version })),
      count: best.length,
    }));
}
