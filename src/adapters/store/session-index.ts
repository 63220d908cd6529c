import { readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { attempt, succeeds } from '../../core/text/attempt.ts';
import type { DurableEvent } from '../../protocol/event.ts';
import { readOwnFile, writeAtomically } from '../system/own-file.ts';
import { nextTurn } from '../system/patience.ts';
import { LOG_VERSION, linesIn, upcast } from './log-line.ts';
import { type LogPlace, readLines, type SessionMatch, SessionScan, wordsAt } from './session-index-search.ts';
import { parseSessionQuery } from './session-query.ts';
import { type FoundLog, findLogs, readLog, type SessionSummary, summarizeLog } from './sessions.ts';

/*
 * Lists of sessions use an index, a file in the cache folder that is made of the logs and never the truth: missing, old or damaged parts of
 * it are read again. If the disk takes no index, each list reads the logs. Searches look into the logs themselves.
 */

/** A session in a list. */
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
interface SearchOptions extends SessionFilter {
  readonly now: number;
  /** Calls the search off. */
  readonly signal?: AbortSignal;
  readonly sliceMs?: number;
}

const MOST_FOUND = 20;
const SHOWN_MATCHES = 3;
/** Logs are searched for so long before other work gets a turn. */
const SLICE_MS = 25;

type Index = ReadonlyMap<string, IndexedLog>;

/** Sessions, the last used first. Those the index has not come to in `patienceMs` are looked up in their logs. */
export function listIndexed(
  { stateDir, cacheDir }: SessionIndexContext,
  filter: SessionFilter = {},
  patienceMs = Number.POSITIVE_INFINITY,
): readonly ListedSession[] {
  const logs = findLogs(stateDir);
  const index = updateIndex(logs, cacheDir, performance.now() + patienceMs);
  const all = logs.map((log) => toListed(log, index.get(log.id)));
  return all.filter((session) => isWanted(session, filter) && isBegun(session)).slice(0, filter.limit ?? all.length);
}

/**
 * Sessions that hold all the words, the best first: messages count more than output, and new more than old. Null if the search was
 * cancelled.
 */
export async function searchSessions(
  typed: string,
  { stateDir, cacheDir }: SessionIndexContext,
  options: SearchOptions,
): Promise<readonly FoundSession[] | null> {
  const { now, signal, limit = MOST_FOUND, sliceMs = SLICE_MS } = options;
  const query = parseSessionQuery(typed);
  if (query === null) return [];
  const index = readIndex(cacheDir);
  const isSought = (log: FoundLog): boolean =>
    options.cwd === undefined || isWanted(toListed(log, index.get(log.id)), options);
  const scan = new SessionScan(query, now, isSought);
  let pause = performance.now() + sliceMs;
  for (const log of findLogs(stateDir)) {
    if (scan.isFull) break;
    if (options.since === undefined || log.stat.mtimeMs >= options.since) scan.look(log);
    if (performance.now() < pause) continue;
    await nextTurn();
    if (signal?.aborted === true) return null;
    pause = performance.now() + sliceMs;
  }
  const read = (line: Buffer, { version }: LogPlace): readonly SessionMatch[] => wordsAt(line, version, query);
  return scan
    .ranked()
    .slice(0, limit)
    .map(({ log, entries, count }) => {
      const matches = readLines(log, entries, read).slice(0, SHOWN_MATCHES);
      return { ...toListed(log, index.get(log.id)), matches, count };
    });
}

/** A change of its rows raises it: an index of another number is read from the logs again. */
const FORMAT = 1;

/** The file of the index. */
export function indexPath(cacheDir: string): string {
  return join(cacheDir, 'sessions.json');
}

function readIndex(cacheDir: string): Index {
  const [head = '', text = ''] = (readOwnFile(indexPath(cacheDir)) ?? '').split('\n');
  // The checksum proves that aish wrote the rows so, and the number names their shape.
  return new Map(head === headOf(text) ? (JSON.parse(text) as readonly (readonly [string, IndexedLog])[]) : []);
}

function headOf(rows: string): string {
  return `aish ${FORMAT} ${Bun.hash.crc32(rows)}`;
}

/** Takes in what the logs hold beyond the index until the time is over, but of one log at least. Logs that are gone are forgotten. */
function updateIndex(logs: readonly FoundLog[], cacheDir: string, until: number): Index {
  const known = readIndex(cacheDir);
  const index = new Map<string, IndexedLog>();
  let taken = 0;
  for (const log of logs) {
    const row = known.get(log.id);
    const isRead = isTakenIn(log, row) || (taken > 0 && performance.now() > until);
    const now = isRead ? row : indexLog(log, row);
    if (now !== row) taken += 1;
    if (now !== undefined) index.set(log.id, now);
  }
  if (taken > 0 || index.size !== known.size) succeeds(() => writeIndex(cacheDir, index));
  return index;
}

function writeIndex(cacheDir: string, index: Index): void {
  const rows = JSON.stringify([...index]);
  writeAtomically(indexPath(cacheDir), `${headOf(rows)}\n${rows}`);
}

function isTakenIn({ stat }: FoundLog, row: IndexedLog | undefined): boolean {
  return row !== undefined && row.inode === stat.ino && row.size === stat.size && row.changedAt === stat.mtimeMs;
}

function toListed(log: FoundLog, row: IndexedLog | undefined): ListedSession {
  if (row === undefined || !isTakenIn(log, row))
    return { ...summarizeLog(log), firstCommand: row?.firstCommand ?? null };
  const { cwd, createdAt, changedAt, name, firstText, firstCommand, turns, size: bytes } = row;
  return { id: log.id, path: log.path, cwd, createdAt, changedAt, name, firstText, firstCommand, turns, bytes };
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

/** The facts of a session for lists, and the part of its log read for them. */
export interface IndexedLog {
  inode: number;
  size: number;
  changedAt: number;
  /** The offset at which reading goes on, and the number and version of the last event before that. */
  offset: number;
  seq: number;
  version: number | null;
  /** The end of the last line that was read: its checksum. A log that was cut and written on does not have it there. */
  seal: string;
  cwd: string | null;
  createdAt: number;
  firstText: string | null;
  firstCommand: string | null;
  name: string | null;
  namedBy: string | null;
  turns: number;
}

/** Bytes of a line that tell it from others. */
const SEAL = 18;
const PIECE = 4 * 1024 * 1024;
const MOST_FIRST = 500;

/** Reads a log on from where `known` ends, or all of it if it is another log by now. A log that aish cannot read stays as it is known. */
export function indexLog(log: FoundLog, known: IndexedLog | undefined): IndexedLog | undefined {
  const { ino: inode, size, mtimeMs: changedAt } = log.stat;
  return readLog(log, known, (fd) => {
    const indexed = { ...(isContinued(log, known, fd) ? known : begin(log)), inode, size, changedAt };
    readOn(fd, indexed);
    return indexed;
  });
}

function isContinued({ stat }: FoundLog, known: IndexedLog | undefined, fd: number): known is IndexedLog {
  if (known === undefined || known.inode !== stat.ino || stat.size < known.offset) return false;
  const end = Buffer.alloc(SEAL);
  const from = Math.max(0, known.offset - SEAL);
  return end.toString('latin1', 0, readSync(fd, end, 0, known.offset - from, from)) === known.seal;
}

function begin({ stat }: FoundLog): Omit<IndexedLog, 'inode' | 'size' | 'changedAt'> {
  const unread = { offset: 0, seq: 0, version: null, seal: '' };
  const unnamed = { firstText: null, firstCommand: null, name: null, namedBy: null };
  return { ...unread, ...unnamed, cwd: null, createdAt: stat.birthtimeMs, turns: 0 };
}

/** Reads whole lines up to the first that is not intact, or not next in order: a line that is being written is read the next time. */
function readOn(fd: number, indexed: IndexedLog): void {
  for (let length = PIECE; indexed.offset < indexed.size; ) {
    const bytes = Buffer.alloc(Math.min(length, indexed.size - indexed.offset));
    const piece = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, indexed.offset));
    const taken = readFacts(piece, indexed);
    const isAll = indexed.offset + piece.length >= indexed.size;
    indexed.offset += taken.bytes;
    if (taken.isOver || piece.length === 0) return;
    if (taken.bytes === 0 && isAll) return;
    // A line longer than the piece.
    length = taken.bytes === 0 ? length * 2 : PIECE;
  }
}

function readFacts(bytes: Buffer, indexed: IndexedLog): { bytes: number; isOver: boolean } {
  let start = 0;
  for (const { line, end } of linesIn(bytes)) {
    if (line.type === 'damaged') return { bytes: start, isOver: true };
    if (line.type === 'header') {
      if (line.version > LOG_VERSION) return { bytes: start, isOver: true };
      indexed.version = line.version;
    } else {
      if (indexed.version === null || line.seq !== indexed.seq + 1) return { bytes: start, isOver: true };
      indexed.seq = line.seq;
      note(indexed, upcast(line.event, indexed.version), line.at);
    }
    start = end + 1;
    indexed.seal = bytes.toString('latin1', Math.max(0, start - SEAL), start);
  }
  return { bytes: start, isOver: false };
}

/** Updates the facts for lists. */
function note(indexed: IndexedLog, event: DurableEvent, at: number): void {
  if (event.type === 'session.created') {
    indexed.cwd = event.cwd;
    indexed.createdAt = at;
  } else if (event.type === 'session.named' && (indexed.namedBy !== 'user' || event.by !== 'model')) {
    indexed.name = event.name;
    indexed.namedBy = event.by;
  } else if (event.type === 'turn.started') {
    indexed.firstText ??= event.text.slice(0, MOST_FIRST);
    indexed.turns = event.turn;
  } else if (event.type === 'command.started' && event.private !== true) {
    // It may be all there is of a session that was killed.
    indexed.firstCommand ??= event.line.slice(0, MOST_FIRST);
  } else if (event.type === 'command.completed' && event.record.private !== true) {
    indexed.firstCommand ??= event.record.line.slice(0, MOST_FIRST);
  }
}
