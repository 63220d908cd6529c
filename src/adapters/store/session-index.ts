import type { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import { faultOf, openIndexFile, openIndexInMemory, removeIndexFile } from './session-index-database.ts';
import { indexLog, removeSessions } from './session-index-log.ts';
import { type LogPlace, readLines, type SessionMatch, SessionScan, wordsAt } from './session-index-search.ts';
import { parseSessionQuery } from './session-query.ts';
import { type FoundLog, findLogs, type SessionSummary, summarizeLog } from './sessions.ts';

/** What a list shows of a session. */
export interface ListedSession extends SessionSummary {
  /** The first line of the shell; null where none ran, or where it is not known. */
  readonly firstCommand: string | null;
}

/** A session in which something was found, with its best places. */
export interface FoundSession extends ListedSession {
  readonly matches: readonly SessionMatch[];
  /** Facts in which all that was looked for stands; 0 where the session has it in several. */
  readonly count: number;
}

interface SessionIndexContext {
  readonly stateDir: string;
  readonly cacheDir: string;
}

interface SessionFilter {
  /** Begun in this directory. */
  readonly cwd?: string;
  /** Used since then, in milliseconds since the epoch. */
  readonly since?: number;
  readonly limit?: number;
}

/** How a search goes. */
export interface SearchOptions extends SessionFilter {
  readonly now: number;
  /** Calls the search off. */
  readonly signal?: AbortSignal;
  readonly sliceMs?: number;
}

const MOST_FOUND = 20;
const SHOWN_MATCHES = 3;
/** So long logs are taken in before others may write: each end of a transaction costs as much as some logs. */
const BATCH_MS = 250;
/** So long logs are searched between two looks at what else goes on. */
const SLICE_MS = 25;

/**
 * What lists of sessions are answered from; searches look into the logs themselves. It is made of the logs and never the truth: what is
 * missing, behind, damaged or of
 * another release is made again, and where a disk takes none it lives as long as this process. Opened when first asked.
 */
export class SessionIndex {
  readonly #place: SessionIndexContext;
  #database: Database;
  #isKept = true;
  #isBehind = false;

  private constructor(place: SessionIndexContext) {
    this.#place = place;
    this.#database = this.#open();
  }

  static open(place: SessionIndexContext): SessionIndex {
    return new SessionIndex(place);
  }

  /** Some logs were not taken in, because another process was doing that, or it would have taken too long. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** False where the disk takes no index, so that each process makes its own. */
  get isKept(): boolean {
    return this.#isKept;
  }

  /** Sessions, the last used first. Those the index has not come to in `patienceMs` are looked up in their logs. */
  list(filter: SessionFilter = {}, patienceMs = Number.POSITIVE_INFINITY): readonly ListedSession[] {
    const logs = findLogs(this.#place.stateDir);
    const known = this.#guarded(() => {
      this.#update(logs, patienceMs);
      return this.#listed();
    });
    const all = logs.map((log) => toListed(log, known.get(log.id)));
    return all.filter((session) => isWanted(session, filter) && isBegun(session)).slice(0, filter.limit ?? all.length);
  }

  /**
   * Sessions that hold all the words, the best first: what was said counts more than what was printed, and new more than old. Null where it
   * was called off.
   */
  async search(typed: string, options: SearchOptions): Promise<readonly FoundSession[] | null> {
    const { now, signal, limit = MOST_FOUND, sliceMs = SLICE_MS } = options;
    const query = parseSessionQuery(typed);
    if (query === null) return [];
    const known = this.#guarded(() => this.#listed());
    const isSought = (log: FoundLog): boolean =>
      options.cwd === undefined || isWanted(toListed(log, known.get(log.id)), options);
    const scan = new SessionScan(query, now, isSought);
    let pause = performance.now() + sliceMs;
    for (const log of findLogs(this.#place.stateDir)) {
      if (scan.isFull) break;
      if (options.since === undefined || log.stat.mtimeMs >= options.since) scan.look(log);
      if (performance.now() < pause) continue;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (signal?.aborted === true) return null;
      pause = performance.now() + sliceMs;
    }
    return scan
      .ranked()
      .slice(0, limit)
      .map(({ log, entries, count }) => {
        const read = (line: Buffer, { version }: LogPlace): readonly SessionMatch[] => wordsAt(line, version, query);
        const matches = readLines(log, entries, read).slice(0, SHOWN_MATCHES);
        return { ...toListed(log, known.get(log.id)), matches, count };
      });
  }

  close(): void {
    this.#database.close();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #open(): Database {
    try {
      return openIndexFile(this.#place.cacheDir);
    } catch (thrown) {
      if (faultOf(thrown) === null) throw thrown;
      return faultOf(thrown) === 'damaged' ? this.#openAnew() : this.#openInMemory();
    }
  }

  #openAnew(): Database {
    try {
      removeIndexFile(this.#place.cacheDir);
      return openIndexFile(this.#place.cacheDir);
    } catch (thrown) {
      if (faultOf(thrown) === null) throw thrown;
      return this.#openInMemory();
    }
  }

  #openInMemory(): Database {
    this.#isKept = false;
    return openIndexInMemory();
  }

  /** Does what is asked with the index; one that turns out to be damaged or not to be written is replaced, once each. */
  #guarded<T>(ask: () => T): T {
    for (let tries = 0; ; tries += 1) {
      try {
        return ask();
      } catch (thrown) {
        const fault = faultOf(thrown);
        if (fault === null || tries > 1) throw thrown;
        this.#database.close();
        this.#database = fault === 'damaged' && tries === 0 ? this.#openAnew() : this.#openInMemory();
      }
    }
  }

  /** Takes in what the logs hold beyond what is known of them, at least one where there are any; the answer is how many are left. */
  #update(logs: readonly FoundLog[], patienceMs = Number.POSITIVE_INFINITY): number {
    const changed = this.#changed(logs);
    // Who has no time gets the newest; words are written faster in the order of their time, which ids have too.
    if (patienceMs === Number.POSITIVE_INFINITY) changed.sort(byTime);
    const taken = this.#take(changed, patienceMs);
    this.#isBehind = taken < changed.length;
    return changed.length - taken;
  }

  /** The logs that hold more than is known of them. Those that are gone are forgotten. */
  #changed(logs: readonly FoundLog[]): FoundLog[] {
    const known = this.#listed();
    const present = new Set(logs.map(({ id }) => id));
    const gone = [...known.values()].filter(({ id }) => !present.has(id)).map(({ number }) => number);
    if (gone.length > 0) this.#unlessBusy(() => this.#forget(gone));
    return logs.filter((log) => !isTakenIn(log, known.get(log.id)));
  }

  /** Takes in as many of the logs as there is time for; the answer is how many, none where another process is at it. */
  #take(logs: readonly FoundLog[], patienceMs: number): number {
    return this.#unlessBusy(() => this.#takeIn(logs, performance.now() + patienceMs)) ?? 0;
  }

  #unlessBusy<T>(work: () => T): T | null {
    try {
      return work();
    } catch (thrown) {
      if (faultOf(thrown) !== 'busy') throw thrown;
      return null;
    }
  }

  #forget(numbers: readonly number[]): void {
    this.#inTransaction(() => removeSessions(this.#database, numbers));
    this.#database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** The answer is for how many there was time: one at least, however long the disk made it wait. */
  #takeIn(logs: readonly FoundLog[], until: number): number {
    let taken = 0;
    while (taken < logs.length && (taken === 0 || performance.now() <= until)) {
      const pause = Math.min(until, performance.now() + BATCH_MS);
      this.#inTransaction(() => {
        for (const log of logs.slice(taken)) {
          if (taken > 0 && performance.now() > pause) return;
          indexLog(this.#database, log);
          taken += 1;
        }
      });
    }
    return taken;
  }

  #inTransaction(work: () => void): void {
    this.#database.run('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.run('COMMIT');
    } catch (thrown) {
      if (this.#database.inTransaction) this.#database.run('ROLLBACK');
      throw thrown;
    }
  }

  #listed(): ReadonlyMap<string, ListedRow> {
    const rows = this.#database
      .query<ListedRow, []>(
        'SELECT number, id, inode, size, changed_at AS changedAt, cwd, created_at AS createdAt, first_text AS firstText, first_command AS firstCommand, name, turns FROM sessions',
      )
      .all();
    return new Map(rows.map((row) => [row.id, row]));
  }
}

/** Ids begin with the time they were made at. */
function byTime(one: FoundLog, other: FoundLog): number {
  return one.id < other.id ? -1 : 1;
}

interface ListedRow {
  readonly number: number;
  readonly id: string;
  readonly inode: number;
  readonly size: number;
  readonly changedAt: number;
  readonly cwd: string | null;
  readonly createdAt: number;
  readonly firstText: string | null;
  readonly firstCommand: string | null;
  readonly name: string | null;
  readonly turns: number;
}

function isTakenIn({ stat }: FoundLog, row: ListedRow | undefined): boolean {
  return row !== undefined && row.inode === stat.ino && row.size === stat.size && row.changedAt === stat.mtimeMs;
}

function toListed(log: FoundLog, row: ListedRow | undefined): ListedSession {
  if (row === undefined || !isTakenIn(log, row))
    return { ...summarizeLog(log), firstCommand: row?.firstCommand ?? null };
  const { id, path, stat } = log;
  const { cwd, createdAt, name, firstText, firstCommand, turns } = row;
  return {
    id,
    path,
    cwd,
    createdAt,
    changedAt: stat.mtimeMs,
    name,
    firstText,
    firstCommand,
    turns,
    bytes: stat.size,
  };
}

function isWanted({ cwd, changedAt }: ListedSession, filter: SessionFilter): boolean {
  if (filter.cwd !== undefined && cwd !== filter.cwd) return false;
  return filter.since === undefined || changedAt >= filter.since;
}

/** No fact of a log is longer than what a full disk let through of its first one. */
const LONGEST_BEGINNING = 64 * 1024;

/** False where a full disk ended the log before its first fact: nobody can go on with that, and nothing is in it. */
function isBegun({ cwd, name, firstText, firstCommand, turns, bytes, path }: ListedSession): boolean {
  const isKnown = cwd !== null || name !== null || firstText !== null || firstCommand !== null || turns > 0;
  if (isKnown || bytes > LONGEST_BEGINNING) return true;
  return attempt(() => readFileSync(path, 'latin1').split('\n').length > HEADER_LINES + 1, true);
}

const HEADER_LINES = 1;
