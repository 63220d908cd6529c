import { readSync } from 'node:fs';
import type { DurableEvent } from '../../protocol/event.ts';
import { LOG_VERSION, linesIn, upcast } from './log-line.ts';
import { type FoundLog, readLog } from './sessions.ts';

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
    const taken = readLines(piece, indexed);
    const isAll = indexed.offset + piece.length >= indexed.size;
    indexed.offset += taken.bytes;
    if (taken.isOver || piece.length === 0) return;
    if (taken.bytes === 0 && isAll) return;
    // A line longer than the piece.
    length = taken.bytes === 0 ? length * 2 : PIECE;
  }
}

function readLines(bytes: Buffer, indexed: IndexedLog): { bytes: number; isOver: boolean } {
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
