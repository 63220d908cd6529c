import type { Database } from 'bun:sqlite';
import { parseLine, upcast } from './log-line.ts';
import { indexedText } from './session-index-text.ts';
import { cutSnippet, type SessionQuery, type Snippet } from './session-query.ts';

/** Which sessions count, and how many are wanted. */
export interface SearchLimits {
  readonly now: number;
  readonly limit: number;
  readonly cwd?: string;
  readonly since?: number;
}

/** A place in a session where what was looked for stands. */
export interface SessionMatch extends Snippet {
  readonly kind: 'said' | 'command' | 'output';
  readonly at: number;
}

/** A session in which something was found, and where in its log, best first. */
export interface RankedSession {
  readonly id: string;
  readonly entries: readonly { readonly start: number; readonly length: number; readonly version: number }[];
  readonly count: number;
}

interface Hit {
  readonly id: string;
  readonly at: number;
  readonly start: number;
  readonly length: number;
  readonly version: number;
  readonly rank: number;
}

/** Of a word that stands everywhere the newest are looked at. */
const MOST_HITS = 3000;
const MOST_OF_SESSION = 8;
const MONTH_MS = 30 * 24 * 60 * 60 * 1000;
/** What a match loses by its age, at most. */
const LEAST_WEIGHT = 0.2;

/** Sessions with facts that hold all that is looked for; where there are none, those that hold it in several facts. */
export function searchWords(database: Database, query: SessionQuery, limits: SearchLimits): readonly RankedSession[] {
  const hits = findHits(database, query.terms.join(' AND '), limits);
  if (hits.length > 0 || query.terms.length === 1) return rank(hits, limits).slice(0, limits.limit);
  const each = query.terms.map((term) => findHits(database, term, limits));
  const holding = each.map((found) => new Set(found.map(({ id }) => id)));
  const common = each.flat().filter(({ id }) => holding.every((ids) => ids.has(id)));
  return rank(common, limits)
    .slice(0, limits.limit)
    .map((found) => ({ ...found, count: 0 }));
}

/** The pieces of the fact in a line of a log, by what they are. */
export function wordsAt(line: Buffer, version: number, query: SessionQuery): readonly SessionMatch[] {
  const read = parseLine(line, 0, line.length);
  if (read.type !== 'record') return [];
  const text = indexedText(upcast(read.event, version));
  if (text === null) return [];
  const parts = [
    ['said', text.said],
    ['command', text.commands],
    ['output', text.printed],
  ] as const;
  return parts.flatMap(([kind, one]) => {
    const snippet = cutSnippet(one, query);
    return snippet === null ? [] : [{ kind, at: read.at, ...snippet }];
  });
}

function findHits(database: Database, match: string, { cwd, since }: SearchLimits): readonly Hit[] {
  return database
    .query<Hit, [string, string | null, number | null, number]>(
      `SELECT sessions.id, entries.at, entries.start, entries.length, entries.version, bm25(words, 5.0, 4.0, 1.0) AS rank
       FROM words JOIN entries ON entries.number = words.rowid JOIN sessions ON sessions.number = entries.session
       WHERE words MATCH ?1 AND (?2 IS NULL OR sessions.cwd = ?2) AND (?3 IS NULL OR sessions.changed_at >= ?3)
       ORDER BY words.rowid DESC LIMIT ?4`,
    )
    .all(match, cwd ?? null, since ?? null, MOST_HITS);
}

function rank(hits: readonly Hit[], { now }: SearchLimits): readonly RankedSession[] {
  const score = ({ rank: match, at }: Hit): number => {
    const age = Math.max(0, now - at) / MONTH_MS;
    return -match * (LEAST_WEIGHT + (1 - LEAST_WEIGHT) * 0.5 ** age);
  };
  const bySession = new Map<string, { readonly hit: Hit; readonly score: number }[]>();
  for (const hit of hits) {
    const scored = { hit, score: score(hit) };
    const known = bySession.get(hit.id);
    if (known === undefined) bySession.set(hit.id, [scored]);
    else known.push(scored);
  }
  return [...bySession]
    .map(([id, found]) => ({ id, best: found.sort((one, other) => other.score - one.score) }))
    .sort((one, other) => (other.best[0]?.score ?? 0) - (one.best[0]?.score ?? 0) || (one.id < other.id ? 1 : -1))
    .map(({ id, best }) => ({
      id,
      entries: best
        .slice(0, MOST_OF_SESSION)
        .map(({ hit: { start, length, version } }) => ({ start, length, version })),
      count: best.length,
    }));
}
