import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';

/** A process as the kernel shows it. */
export interface ProcessRow {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly terminal: number;
  /** The group that has the terminal. */
  readonly foreground: number;
  /** Clock ticks from the start of the machine. */
  readonly begun: number;
}

/** All processes by number; empty if the system has no process table to read. */
export function readTable(): Map<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const name of attempt(() => readdirSync('/proc'), [])) {
    const row = /^\d+$/.test(name) ? readRow(Number(name)) : null;
    if (row !== null) rows.set(row.pid, row);
  }
  return rows;
}

/** One process; null if it is not there. */
export function readRow(pid: number): ProcessRow | null {
  const stat = tryRead(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const named = stat.lastIndexOf(')');
  const fields = stat.slice(named + 2).split(' ');
  const [state = '', parent, group, session, terminal, foreground] = fields;
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, named),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
    foreground: Number(foreground),
    begun: Number(fields[19]),
  };
}

/** The parent, its parent, and so on; those that are there. */
export function ancestors(row: ProcessRow, rows: ReadonlyMap<number, ProcessRow>): readonly ProcessRow[] {
  const line: ProcessRow[] = [];
  for (let above = rows.get(row.parent); above !== undefined && !line.includes(above); above = rows.get(above.parent))
    line.push(above);
  return line;
}

/** The environment that a process was started with, if aish may look at it. */
export function environmentOf(pid: number): readonly string[] {
  return (tryRead(`/proc/${pid}/environ`) ?? '').split('\0');
}

/** One letter: S sleeps, R runs, T is stopped by a signal; null where the system does not show it. */
export function stateOf(pid: number): string | null {
  return readRow(pid)?.state || null;
}

/** The process group that has the terminal of a process; null where the system does not show it. */
export function foregroundOf(pid: number): number | null {
  const { foreground = -1 } = readRow(pid) ?? {};
  return foreground > 0 ? foreground : null;
}

/**
 * Whether a process has a child that shares its group. A shell with job control gives every job a group of its own, and none to a command
 * whose output it reads to put it into a line: so that is what it waits for then.
 */
export function hasChildInGroup(pid: number): boolean {
  const children = (tryRead(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number);
  return children.some((child) => {
    const row = readRow(child);
    return row?.group === pid && row.state !== 'Z';
  });
}

/** A program's name, or null. */
export function nameOf(pid: number): string | null {
  return tryRead(`/proc/${pid}/comm`)?.trim() || null;
}

/** The start command of a process, program and arguments; null if the system does not show it. */
export function commandLineOf(pid: number): readonly string[] | null {
  const text = tryRead(`/proc/${pid}/cmdline`);
  return text === null || text === '' ? null : text.replace(/\0$/, '').split('\0');
}

/** Number of the system call `read` on Linux. */
const READ = process.arch === 'arm64' ? '63' : '0';

/**
 * The place in its program at which a process reads from a terminal: system call, descriptor, stack and instruction. Null if it does not
 * read so, or the system does not show it.
 */
export function readingPlaceOf(pid: number): string | null {
  const fields = (tryRead(`/proc/${pid}/syscall`) ?? '').trim().split(' ');
  const [call = '', descriptor] = fields;
  // A shell that waits for several things passes a number of descriptors here.
  if (descriptor === undefined || call !== READ) return null;
  const file = attempt(() => readlinkSync(`/proc/${pid}/fd/${Number(descriptor)}`), '');
  return file.startsWith('/dev/pts/') ? [call, descriptor, ...fields.slice(-2)].join(' ') : null;
}

/** The physical directory of a process, or null. */
export function directoryOf(pid: number): string | null {
  return attempt(() => readlinkSync(`/proc/${pid}/cwd`), null);
}

/** First major device number of Linux's pseudo-terminals; each major has 256 of them. */
const PTS_MAJOR = 136;

/**
 * The number of the pseudo-terminal that controls a process, or null. Not through its descriptors: a shell that already runs may have
 * redirected them for a moment just now.
 */
export function terminalNumberOf(pid: number): number | null {
  const device = readRow(pid)?.terminal ?? 0;
  const major = device >> 8;
  return major < PTS_MAJOR || major > PTS_MAJOR + 7 ? null : (major - PTS_MAJOR) * 256 + (device & 0xff);
}

/** The text of a file about a process; null if the system does not show it. */
export function tryRead(path: string): string | null {
  return attempt(() => readFileSync(path, 'utf8'), null);
}
