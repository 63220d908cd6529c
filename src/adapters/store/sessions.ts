import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  openSync,
  readdirSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { takeLock } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';
import { logPath } from './event-log.ts';
import { type LogLine, linesIn } from './log-line.ts';
import { noSession, noSessionBegins, openElsewhere, severalSessions, unreadableFolder } from './messages.ts';

/** A session in a list. */
export interface SessionSummary {
  readonly id: string;
  /** Path of its log. */
  readonly path: string;
  /** Directory it began in; null if the first line is unreadable. */
  readonly cwd: string | null;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly changedAt: number;
  /** Its name; null without one. */
  readonly name: string | null;
  /** The first message; null without one. */
  readonly firstText: string | null;
  /** Turns at both ends of the log; a huge log may hide the last turn. */
  readonly turns: number;
  readonly bytes: number;
}

/** Bytes read from either end of a log for its summary. */
const WINDOW = 32 * 1024;

/** All sessions, last used first. */
export function listSessions(stateDir: string): readonly SessionSummary[] {
  return findLogs(stateDir).map(summarizeLog);
}

/**
 * The last used session of this directory. A session of commands alone that another aish has open is a prompt in use, so an earlier one
 * wins.
 */
export function newestSession(stateDir: string, cwd: string): SessionSummary | null {
  let inUse: SessionSummary | null = null;
  for (const summary of sessionsOf(stateDir, cwd)) {
    if (summary.turns > 0 || !isOpenSomewhere(stateDir, summary.id)) return summary;
    inUse ??= summary;
  }
  return inUse;
}

/** The session to resume from another one of this directory: the one with the newest message, else with the newest command. */
export function likelySession(stateDir: string, cwd: string, except: string): SessionSummary | null {
  let silent: SessionSummary | null = null;
  for (const summary of sessionsOf(stateDir, cwd)) {
    if (summary.id === except) continue;
    if (summary.turns > 0) return summary;
    silent ??= summary;
  }
  return silent;
}

function* sessionsOf(stateDir: string, cwd: string): Generator<SessionSummary> {
  for (const found of findLogs(stateDir)) {
    const summary = summarizeLog(found);
    if (summary.cwd === cwd) yield summary;
  }
}

/** The one session whose id has this prefix. */
export function findSession(stateDir: string, prefix: string): SessionSummary {
  const matches = findLogs(stateDir).filter(({ id }) => id.startsWith(prefix));
  const found = matches.find(({ id }) => id === prefix) ?? matches[0];
  if (found === undefined || prefix === '') throw noSessionBegins(prefix);
  if (matches.length > 1 && found.id !== prefix)
    throw severalSessions(
      prefix,
      matches.map(({ id }) => id),
    );
  return summarizeLog(found);
}

/** Deletes a session with all its files; fails while an aish has it open. */
export function removeSession(stateDir: string, id: string): void {
  const found = findLogs(stateDir).find((entry) => entry.id === id);
  if (found === undefined) throw noSession(id);
  const isRemoved = whileLocked(found.path, () => {
    rmSync(join(stateDir, 'sessions', id), { recursive: true, force: true });
  });
  if (!isRemoved) throw openElsewhere(id);
}

/** Whether an aish has the session open. */
export function isOpenSomewhere(stateDir: string, id: string): boolean {
  const path = logPath(stateDir, id);
  return existsSync(path) && !whileLocked(path, () => {});
}

/** Does something while no aish has the log open; false if an aish has. */
function whileLocked(path: string, work: () => void): boolean {
  const fd = openSync(path, constants.O_RDWR);
  try {
    const release = takeLock(fd, path, systemCalls());
    if (release !== null) work();
    release?.();
    return release !== null;
  } finally {
    closeSync(fd);
  }
}

/** A log on the disk. */
export interface FoundLog {
  readonly id: string;
  readonly path: string;
  readonly stat: Stats;
}

/** All logs, last used first. */
export function findLogs(stateDir: string): FoundLog[] {
  const found: FoundLog[] = [];
  for (const id of folderNames(join(stateDir, 'sessions'))) {
    const path = logPath(stateDir, id);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) found.push({ id, path, stat });
  }
  return found.sort((a, b) => b.stat.mtimeMs - a.stat.mtimeMs || (a.id < b.id ? 1 : -1));
}

function folderNames(path: string): string[] {
  try {
    return readdirSync(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw unreadableFolder(path, error);
  }
}

/** Summary of a session from both ends of its log. */
export function summarizeLog({ id, path, stat }: FoundLog): SessionSummary {
  const { head, tail } = readLog({ path }, { head: [], tail: [] }, readBothEnds);
  const records = head.flatMap((line) => (line.type === 'record' ? line : []));
  const created = records.find(({ event }) => event.type === 'session.created');
  const text = records.find(({ event }) => event.type === 'turn.started')?.event.text;
  return {
    id,
    path,
    cwd: typeof created?.event.cwd === 'string' ? created.event.cwd : null,
    createdAt: created?.at ?? stat.birthtimeMs,
    changedAt: stat.mtimeMs,
    name: nameIn([...records, ...tail.flatMap((line) => (line.type === 'record' ? line : []))]),
    firstText: typeof text === 'string' ? text : null,
    turns: [...head, ...tail].reduce((most, line) => Math.max(most, turnOf(line)), 0),
    bytes: stat.size,
  };
}

/** A name from the user wins over one from a model. */
function nameIn(records: readonly { readonly event: JsonObject }[]): string | null {
  const named = records.map(({ event }) => event).filter(({ type }) => type === 'session.named');
  const name = (named.findLast(({ by }) => by === 'user') ?? named.at(-1))?.name;
  return typeof name === 'string' ? name : null;
}

function turnOf(line: LogLine): number {
  if (line.type !== 'record' || line.event.type !== 'turn.started') return 0;
  return typeof line.event.turn === 'number' ? line.event.turn : 0;
}

/** The result of `read` on the open log; `otherwise` if the session is gone, or aish cannot read its log. */
export function readLog<T>({ path }: Pick<FoundLog, 'path'>, otherwise: T, read: (fd: number) => T): T {
  const fd = attempt(() => openSync(path, constants.O_RDONLY), null);
  if (fd === null) return otherwise;
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

function readBothEnds(fd: number): { head: readonly LogLine[]; tail: readonly LogLine[] } {
  const { size } = fstatSync(fd);
  const head = wholeLines(readAt(fd, 0, Math.min(WINDOW, size)));
  return { head, tail: size <= WINDOW ? [] : wholeLines(readAt(fd, Math.max(WINDOW, size - WINDOW), WINDOW)) };
}

function readAt(fd: number, position: number, length: number): Buffer {
  const bytes = Buffer.alloc(length);
  return bytes.subarray(0, readSync(fd, bytes, 0, length, position));
}

function wholeLines(bytes: Buffer): readonly LogLine[] {
  return Array.from(linesIn(bytes), ({ line }) => line);
}
