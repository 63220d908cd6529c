import { readdirSync, readFileSync } from 'node:fs';
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

/** The text of a file about a process; null if the system does not show it. */
export function tryRead(path: string): string | null {
  return attempt(() => readFileSync(path, 'utf8'), null);
}
