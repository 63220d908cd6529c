import type { Database } from 'bun:sqlite';
import { closeSync, openSync, readSync } from 'node:fs';
import type { DurableEvent } from '../../protocol/event.ts';
import { LOG_VERSION, parseLine, upcast } from './log-line.ts';
import type { FoundLog } from './sessions.ts';

/** What is known of a session after its log was read up to `offset`. */
interface Progress {
  readonly number: number;
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
  commands: number;
}

/** Bytes of a line that tell it from others. */
const SEAL = 18;
const PIECE = 4 * 1024 * 1024;
const MOST_FIRST = 500;
/** Takes in what a log holds beyond what was read of it before; all of it where it is not the same log any more. Within a transaction. */
export function indexLog(database: Database, log: FoundLog): void {
  let fd: number;
  try {
    fd = openSync(log.path, 'r');
  } catch {
    // Removed since it was found, or not ours to read: the list says what can be said of it.
    return;
  }
  try {
    const progress = goOn(database, log, fd) ?? begin(database, log);
    readOn(fd, log.stat.size, progress);
    keep(database, log, progress);
  } finally {
    closeSync(fd);
  }
}

/** Forgets sessions. Within a transaction. */
export function removeSessions(database: Database, numbers: readonly number[]): void {
  const remove = database.query('DELETE FROM sessions WHERE number = ?');
  for (const number of numbers) remove.run(number);
}

/** Where reading stopped; null for a log that is new, or other than it was. */
function goOn(database: Database, { id, stat }: FoundLog, fd: number): Progress | null {
  const row = database
    .query<Progress & { readonly inode: number }, [string]>(
      'SELECT number, inode, offset, seq, version, seal, cwd, created_at AS createdAt, first_text AS firstText, first_command AS firstCommand, name, named_by AS namedBy, turns, commands FROM sessions WHERE id = ?',
    )
    .get(id);
  if (row === null || row.inode !== stat.ino || stat.size < row.offset) return null;
  const end = Buffer.alloc(SEAL);
  const from = Math.max(0, row.offset - SEAL);
  const seal = end.toString('latin1', 0, readSync(fd, end, 0, row.offset - from, from));
  return seal === row.seal ? row : null;
}

function begin(database: Database, { id, stat }: FoundLog): Progress {
  const known = database.query<{ number: number }, [string]>('SELECT number FROM sessions WHERE id = ?').get(id);
  if (known !== null) removeSessions(database, [known.number]);
  const last = database.query<{ number: number | null }, []>('SELECT max(number) AS number FROM sessions').get();
  return {
    number: (last?.number ?? 0) + 1,
    offset: 0,
    seq: 0,
    version: null,
    seal: '',
    cwd: null,
    createdAt: stat.birthtimeMs,
    firstText: null,
    firstCommand: null,
    name: null,
    namedBy: null,
    turns: 0,
    commands: 0,
  };
}

/** Reads whole lines up to the first that is not intact, or not next in order: a line that is being written is read the next time. */
function readOn(fd: number, size: number, progress: Progress): void {
  for (let length = PIECE; progress.offset < size; ) {
    const bytes = Buffer.alloc(Math.min(length, size - progress.offset));
    const piece = bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, progress.offset));
    const taken = readLines(piece, progress);
    const isAll = progress.offset + piece.length >= size;
    progress.offset += taken.bytes;
    if (taken.isOver || piece.length === 0) return;
    if (taken.bytes === 0 && isAll) return;
    // A line longer than the piece.
    length = taken.bytes === 0 ? length * 2 : PIECE;
  }
}

function readLines(bytes: Buffer, progress: Progress): { bytes: number; isOver: boolean } {
  let start = 0;
  for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, start)) {
    const line = parseLine(bytes, start, end);
    if (line.type === 'damaged') return { bytes: start, isOver: true };
    if (line.type === 'header') {
      if (line.version > LOG_VERSION) return { bytes: start, isOver: true };
      progress.version = line.version;
    } else {
      if (progress.version === null || line.seq !== progress.seq + 1) return { bytes: start, isOver: true };
      const event = upcast(line.event, progress.version);
      progress.seq = line.seq;
      note(progress, event, line.at);
    }
    start = end + 1;
    progress.seal = bytes.toString('latin1', Math.max(0, start - SEAL), start);
  }
  return { bytes: start, isOver: false };
}

/** What lists show. */
function note(progress: Progress, event: DurableEvent, at: number): void {
  if (event.type === 'session.created') {
    progress.cwd = event.cwd;
    progress.createdAt = at;
  } else if (event.type === 'session.named' && (progress.namedBy !== 'user' || event.by !== 'model')) {
    progress.name = event.name;
    progress.namedBy = event.by;
  } else if (event.type === 'turn.started') {
    progress.firstText ??= event.text.slice(0, MOST_FIRST);
    progress.turns = event.turn;
  } else if (event.type === 'command.started' && event.private !== true) {
    // It may be all there is of a session that was killed.
    progress.firstCommand ??= event.line.slice(0, MOST_FIRST);
  } else if (event.type === 'command.completed' && event.record.private !== true) {
    progress.firstCommand ??= event.record.line.slice(0, MOST_FIRST);
    progress.commands += 1;
  }
}

function keep(database: Database, { id, stat }: FoundLog, progress: Progress): void {
  const { number, offset, seq, version, seal, cwd, createdAt } = progress;
  const { firstText, firstCommand, name, namedBy, turns, commands } = progress;
  database
    .query(
      `INSERT OR REPLACE INTO sessions (number, id, inode, size, changed_at, offset, seq, version, seal, cwd, created_at, first_text,
        first_command, name, named_by, turns, commands) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      ...[number, id, stat.ino, stat.size, stat.mtimeMs, offset, seq, version, seal, cwd, createdAt, firstText],
      ...[firstCommand, name, namedBy, turns, commands],
    );
}
