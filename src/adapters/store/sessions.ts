/* The sessions on the disk: the list of them, the search for one, its removal, and a copy of it. */

import {
  closeSync,
  constants,
  cpSync,
  existsSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fold } from '../../core/session/evolve.ts';
import { nameOfFork } from '../../core/session/session-name.ts';
import { isIdle } from '../../core/session/state.ts';
import { attempt } from '../../core/text/attempt.ts';
import { errorCode } from '../../protocol/error.ts';
import type { DurableEvent, Recorded } from '../../protocol/event.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { withFile } from '../system/file-status.ts';
import { takeLock } from '../system/own-file.ts';
import { systemCalls } from '../system/system-calls.ts';
import { logPath, newSessionId } from './event-log.ts';
import { formatHeader, formatRecord, type LogLine, linesIn, parseLog } from './log-line.ts';
import {
  noSession,
  noSessionBegins,
  nothingToFork,
  openElsewhere,
  severalSessions,
  unreadableFolder,
} from './messages.ts';

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

/**
 * Begins a session with the entries of another one up to the end of its last whole turn, whichever process has that open. It changes
 * nothing of the other; the answer is the id of the new one.
 */
export function forkSession(stateDir: string, from: string, at: number): string {
  const { recorded } = parseLog(readFileSync(logPath(stateDir, from)));
  const kept = closedPart(recorded);
  const [first] = kept;
  if (first?.event.type !== 'session.created') throw nothingToFork(from);
  const id = newSessionId(at, Math.random());
  const name = nameCopy(stateDir, kept);
  const facts: readonly Omit<Recorded, 'seq'>[] = [
    { ...first, event: { ...first.event, id } },
    ...kept.slice(1),
    { at, event: { type: 'session.forked', from } },
    ...(name === null ? [] : [{ at, event: name }]),
  ];
  // The numbers of those that this release does not know and passed over are missing, and a log has no gap.
  const lines = facts.map((fact, index) => formatRecord({ ...fact, seq: index + 1 }));
  const path = logPath(stateDir, id);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Before the log: a session whose log is there is whole.
  const outputs = join(dirname(logPath(stateDir, from)), 'outputs');
  if (existsSync(outputs)) cpSync(outputs, join(dirname(path), 'outputs'), { recursive: true });
  withFile(path, 'wx', (fd) => {
    writeFileSync(fd, formatHeader() + lines.join(''));
    fsyncSync(fd);
  });
  return id;
}

/**
 * The name of a copy; null if there is no message or command yet to name it after. A client that named the origin counts as having named
 * it.
 */
function nameCopy(stateDir: string, kept: readonly Recorded[]): DurableEvent | null {
  const { named = null } = fold(kept.map(({ event }) => event));
  const title = named?.name ?? firstWords(kept);
  if (title === null) return null;
  const taken = new Set(listSessions(stateDir).flatMap(({ name }) => name ?? []));
  return { type: 'session.named', name: nameOfFork(title, taken), by: named?.by ?? 'model' };
}

/** The name in lists of a session without a name. */
function firstWords(kept: readonly Recorded[]): string | null {
  const said = kept.flatMap(({ event }) => (event.type === 'turn.started' ? event.text.trim() : [])).find(Boolean);
  const typed = kept.flatMap(({ event }) => {
    return event.type === 'command.completed' && event.record.private !== true ? `$ ${event.record.line}` : [];
  });
  return (said ?? typed[0])?.split('\n')[0] ?? null;
}

/** Up to the last fact after which nothing was going on. */
function closedPart(recorded: readonly Recorded[]): readonly Recorded[] {
  let folded = 0;
  let length = 0;
  fold(
    recorded.map(({ event }) => event),
    (state) => {
      folded += 1;
      if (isIdle(state)) length = folded;
    },
  );
  return recorded.slice(0, length);
}
