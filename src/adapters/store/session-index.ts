import type { Database } from 'bun:sqlite';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { faultOf, openIndexFile, openIndexInMemory, removeIndexFile } from './session-index-database.ts';
import { indexLog, removeSessions } from './session-index-log.ts';
import {
  type RankedSession,
  type SearchLimits,
  type SessionMatch,
  searchWords,
  wordsAt,
} from './session-index-search.ts';
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

/** Where sessions and their index are. */
export interface SessionIndexPlace {
  readonly stateDir: string;
  readonly cacheDir: string;
}

/** Which sessions are wanted. */
export interface SessionFilter {
  /** Begun in this directory. */
  readonly cwd?: string;
  /** Used since then, in milliseconds since the epoch. */
  readonly since?: number;
  readonly limit?: number;
}

const MOST_FOUND = 20;
const SHOWN_MATCHES = 3;
/** So many logs are taken in before others may write. */
const BATCH = 32;
/** So many are taken in between two looks at what else goes on. */
const SMALL_BATCH = 8;

/**
 * What lists and searches of sessions are answered from. It is made of the logs and never the truth: what is missing, behind, damaged or of
 * another release is made again, and where a disk takes none it lives as long as this process. Opened when first asked.
 */
export class SessionIndex {
  readonly #place: SessionIndexPlace;
  #database: Database;
  #isKept = true;
  #isBehind = false;

  private constructor(place: SessionIndexPlace) {
    this.#place = place;
    this.#database = this.#open();
  }

  static open(place: SessionIndexPlace): SessionIndex {
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
      this.#update(logs, Number.POSITIVE_INFINITY, patienceMs);
      return this.#listed();
    });
    const all = logs.map((log) => toListed(log, known.get(log.id)));
    return all.filter((session) => isWanted(session, filter) && isBegun(session)).slice(0, filter.limit ?? all.length);
  }

  /** Takes in all logs, a few at a time: for who must stay able to answer meanwhile. */
  async catchUp(): Promise<void> {
    for (let before = Number.POSITIVE_INFINITY; ; ) {
      const left = this.#guarded(() => this.#update(findLogs(this.#place.stateDir), SMALL_BATCH));
      if (left === 0 || left >= before) return;
      before = left;
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
  }

  /** Sessions that hold all the words, the best first: what was said counts more than what was printed, and new more than old. */
  search(typed: string, filter: SessionFilter & { readonly now: number }): readonly FoundSession[] {
    const query = parseSessionQuery(typed);
    if (query === null) return [];
    const logs = findLogs(this.#place.stateDir);
    const limits: SearchLimits = { ...filter, limit: filter.limit ?? MOST_FOUND };
    const [ranked, known] = this.#guarded((): [readonly RankedSession[], ReadonlyMap<string, ListedRow>] => {
      this.#updateAll(logs);
      return [searchWords(this.#database, query, limits), this.#listed()];
    });
    const byId = new Map(logs.map((log) => [log.id, log]));
    return ranked.flatMap(({ id, entries, count }) => {
      const log = byId.get(id);
      if (log === undefined) return [];
      const matches = readMatches(log, entries, (line, version) => wordsAt(line, version, query));
      return [{ ...toListed(log, known.get(id)), matches, count }];
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

  /** While another process takes logs in, fewer are left with each try. */
  #updateAll(logs: readonly FoundLog[]): void {
    for (let before = Number.POSITIVE_INFINITY, left = this.#update(logs); left > 0 && left < before; ) {
      before = left;
      left = this.#update(logs);
    }
  }

  /** Takes in what the logs hold beyond what is known of them, at most so many; the answer is how many are left. */
  #update(logs: readonly FoundLog[], most = Number.POSITIVE_INFINITY, patienceMs = Number.POSITIVE_INFINITY): number {
    const known = this.#listed();
    const present = new Set(logs.map(({ id }) => id));
    const gone = [...known.values()].filter(({ id }) => !present.has(id)).map(({ number }) => number);
    const changed = logs.filter((log) => !isTakenIn(log, known.get(log.id)));
    // Who has no time gets the newest; words are written faster in the order of their time, which ids have too.
    if (patienceMs === Number.POSITIVE_INFINITY) changed.sort((one, other) => (one.id < other.id ? -1 : 1));
    let taken = 0;
    try {
      if (gone.length > 0) this.#forget(gone);
      taken = this.#takeIn(changed.slice(0, Math.min(most, changed.length)), performance.now() + patienceMs);
    } catch (thrown) {
      if (faultOf(thrown) !== 'busy') throw thrown;
    }
    this.#isBehind = taken < changed.length;
    return changed.length - taken;
  }

  /** Words of removed sessions stay in the file until its pieces are put together anew. */
  #forget(numbers: readonly number[]): void {
    this.#inTransaction(() => {
      removeSessions(this.#database, numbers);
      this.#database.run("INSERT INTO words (words) VALUES ('optimize')");
    });
    this.#database.run('PRAGMA wal_checkpoint(TRUNCATE)');
  }

  /** The answer is for how many there was time. */
  #takeIn(logs: readonly FoundLog[], until: number): number {
    let taken = 0;
    while (taken < logs.length && performance.now() <= until) {
      const batch = logs.slice(taken, taken + BATCH);
      this.#inTransaction(() => {
        for (const log of batch) {
          if (performance.now() > until) return;
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

/** What the index knows of a session beside its words. */
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
  try {
    return readFileSync(path, 'latin1').split('\n').length > HEADER_LINES + 1;
  } catch {
    return true;
  }
}

const HEADER_LINES = 1;

/** The places as they stand in the log now; one that was cut off since is left out. */
function readMatches(
  { path }: FoundLog,
  entries: RankedSession['entries'],
  read: (line: Buffer, version: number) => readonly SessionMatch[],
): readonly SessionMatch[] {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch {
    return [];
  }
  try {
    const { size } = fstatSync(fd);
    const matches: SessionMatch[] = [];
    for (const { start, length, version } of entries) {
      if (matches.length >= SHOWN_MATCHES) break;
      if (start + length > size) continue;
      const line = Buffer.alloc(length);
      readSync(fd, line, 0, length, start);
      matches.push(...read(line, version));
    }
    return matches.slice(0, SHOWN_MATCHES);
  } finally {
    closeSync(fd);
  }
}
