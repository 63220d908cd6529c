import { readdirSync, readFileSync } from 'node:fs';
import type { LeftProcess } from '../../protocol/halt.ts';

/*
 * Which processes are the model's.
 *
 * Commands of the person and of the model run in one shell, one after the other. So what was begun while a command of the model had the shell is the
 * model's, and what was begun at any other time is not; the kernel keeps for each process when it was begun. Of all processes only those
 * are looked at that come from our shell: its descendants, those in its session or on its terminal, and those that carry the variable that
 * the shell was started with. A child that made itself a daemon is found by one of the last three. A background job of the person that goes on
 * beside a command of the model keeps its children: they have an ancestor that is not the model's.
 *
 * One that leaves session and terminal and its environment, and its parent, is not found. Nor is any where the system has no process table to
 * read; the foreground group is then all that can be ended.
 */

/** Clock ticks a second, of which the kernel tells the begin of a process. */
const TICKS = 100;
/** The shell's begin and the machine's clock are read within this; where they differ by more, they are two clocks. */
const SAME_CLOCK_TICKS = 200;

/** A process as the system tells of it. */
interface ProcessRow {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly terminal: number;
  readonly begun: number;
}

/** Knows what the model's commands have started in one shell. */
export class ModelProcesses {
  readonly #shell: number;
  readonly #owner: number;
  /** Between the machine's clock and the one that processes are dated by. */
  readonly #offset: number;
  readonly #spans: { readonly from: number; to: number }[] = [];

  /** `shell` was started just now, by `owner`, whose number its environment carries. */
  constructor(shell: number, owner: number) {
    this.#shell = shell;
    this.#owner = owner;
    const offset = (readRow(shell)?.begun ?? 0) - machineTicks();
    this.#offset = Math.abs(offset) > SAME_CLOCK_TICKS ? offset : 0;
  }

  /** A command of the model gets the shell. */
  begin(): void {
    this.#spans.push({ from: this.#now(), to: Number.POSITIVE_INFINITY });
  }

  /** It gives the shell back. */
  end(): void {
    const last = this.#spans.at(-1);
    if (last !== undefined && last.to === Number.POSITIVE_INFINITY) last.to = this.#now();
  }

  /** Those that live now. */
  find(): readonly LeftProcess[] {
    if (this.#spans.length === 0) return [];
    const rows = readTable();
    const shell = rows.get(this.#shell);
    return [...rows.values()].filter((row) => this.#isOurs(row, rows, shell)).map(({ pid, name }) => ({ pid, name }));
  }

  #isOurs(row: ProcessRow, rows: ReadonlyMap<number, ProcessRow>, shell: ProcessRow | undefined): boolean {
    if (row.pid === this.#shell || row.pid === this.#owner || row.state === 'Z' || !this.#isOfModel(row)) return false;
    const line = ancestors(row, rows);
    const atShell = line.findIndex(({ pid }) => pid === this.#shell);
    if (atShell !== -1) return line.slice(0, atShell).every((above) => this.#isOfModel(above));
    // Children of ours beside the shell: servers, git, a sandbox. They have other ends.
    if (line.some(({ pid }) => pid === this.#owner)) return false;
    const leader = rows.get(row.group);
    if (leader !== undefined && leader.pid !== this.#shell && !this.#isOfModel(leader)) return false;
    const isAtShell = shell !== undefined && (row.session === shell.session || row.terminal === shell.terminal);
    return isAtShell || carries(row.pid, `AISH=${this.#owner}`);
  }

  #isOfModel({ begun }: ProcessRow): boolean {
    return this.#spans.some(({ from, to }) => begun >= from && begun <= to);
  }

  #now(): number {
    return machineTicks() + this.#offset;
  }
}

function readTable(): ReadonlyMap<number, ProcessRow> {
  const rows = new Map<number, ProcessRow>();
  for (const name of tryList('/proc')) {
    const row = /^\d+$/.test(name) ? readRow(Number(name)) : null;
    if (row !== null) rows.set(row.pid, row);
  }
  return rows;
}

function readRow(pid: number): ProcessRow | null {
  const stat = tryRead(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const named = stat.lastIndexOf(')');
  const fields = stat.slice(named + 2).split(' ');
  const [state = '', parent, group, session, terminal] = fields;
  return {
    pid,
    name: stat.slice(stat.indexOf('(') + 1, named),
    state,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    terminal: Number(terminal),
    begun: Number(fields[19]),
  };
}

/** The parent, its parent, and so on; those that are there. */
function ancestors(row: ProcessRow, rows: ReadonlyMap<number, ProcessRow>): readonly ProcessRow[] {
  const line: ProcessRow[] = [];
  for (let above = rows.get(row.parent); above !== undefined && !line.includes(above); above = rows.get(above.parent)) {
    line.push(above);
  }
  return line;
}

/** Whether a process was started with a variable, and may be looked at. */
function carries(pid: number, variable: string): boolean {
  return (tryRead(`/proc/${pid}/environ`) ?? '').split('\0').includes(variable);
}

function machineTicks(): number {
  return Math.floor(Number((tryRead('/proc/uptime') ?? '0').split(' ')[0]) * TICKS);
}

function tryRead(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

function tryList(path: string): readonly string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
