import { readlinkSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import type { LeftProcess } from '../../protocol/op.ts';
import { ancestors, environmentOf, type ProcessRow, readRow, readTable, tryRead } from '../system/process-table.ts';

/*
 * Finds the processes of the model.
 *
 * Commands of the user and of the model run in one shell, one after the other. So a process that began while a command of the model had the
 * shell is the model's, and one that began at any other time is not; the kernel keeps the start time of each process. aish looks only at
 * processes that come from its shell: its descendants, those in its session or on its terminal, and those that carry the variable that the
 * shell was started with. A child that made itself a daemon is found by one of the last three. A process that one of these starts, whenever
 * that is, has the same owner: a server of the model has workers later, and a background job of the user goes on beside a command of the
 * model.
 *
 * A process that leaves session and terminal and its environment, and its parent, is not found. Nor is any if the system has no process
 * table to read; aish can then end only the foreground group.
 */

/** Clock ticks a second, of which the kernel tells the begin of a process. */
const TICKS = 100;
/** The shell's begin and the machine's clock are read within this; where they differ by more, they are two clocks. */
const SAME_CLOCK_TICKS = 200;

/** Knows what the model's commands have started in one shell. */
export class ModelProcesses {
  readonly #shell: number;
  readonly #owner: number;
  /** When the shell was begun; another process may have its number later. */
  readonly #shellBegun: number | null;
  /** Between the machine's clock and the one that processes are dated by. */
  readonly #offset: number;
  readonly #spans: { readonly from: number; to: number }[] = [];
  #terminal = 0;
  /** Those that were found last: one that is just ending has lost what it is known by. */
  #found: ReadonlySet<string> = new Set();

  /** `shell` was started just now, by `owner`, whose number its environment carries. */
  constructor(shell: number, owner: number) {
    this.#shell = shell;
    this.#owner = owner;
    this.#shellBegun = readRow(shell)?.begun ?? null;
    const offset = (this.#shellBegun ?? 0) - machineTicks();
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
    const [first] = this.#spans;
    if (first === undefined) return [];
    const rows = readTable();
    const shell = rows.get(this.#shell);
    const lives = shell !== undefined && shell.begun === this.#shellBegun;
    if (!lives) rows.delete(this.#shell);
    // A terminal ends with its shell, and the next one that anybody opens may get its number.
    this.#terminal = lives ? shell.terminal : 0;
    const isFound = (row: ProcessRow): boolean =>
      this.#found.has(keyOf(row)) || (row.begun >= first.from && this.#isOurs(row, rows));
    const found = [...rows.values()].filter((row) => row.state !== 'Z' && isFound(row));
    this.#found = new Set(found.map(keyOf));
    return found.map(({ pid, name }) => ({ pid, name }));
  }

  #isOurs(row: ProcessRow, rows: ReadonlyMap<number, ProcessRow>): boolean {
    const line = [row, ...ancestors(row, rows)];
    const atShell = line.findIndex(({ pid }) => pid === this.#shell);
    if (atShell !== -1) return this.#isOfModel(line[atShell - 1]);
    // Children of aish beside the shell: servers, git, a sandbox. They have other ends.
    if (line.some(({ pid }) => pid === this.#owner) || !this.#isAtShell(row)) return false;
    const origin = line.findLast((above) => this.#isAtShell(above)) ?? row;
    if (!this.#isOfModel(origin)) return false;
    const leader = rows.get(origin.group);
    return leader === undefined || leader.pid === this.#shell || this.#isOfModel(leader);
  }

  /** Whether a process has the shell's session, its terminal, or its environment. */
  #isAtShell({ pid, session, terminal }: ProcessRow): boolean {
    const hasPlace = session === this.#shell || (terminal !== 0 && terminal === this.#terminal);
    return hasPlace || environmentOf(pid).includes(`AISH=${this.#owner}`);
  }

  #isOfModel(row: ProcessRow | undefined): boolean {
    return row !== undefined && this.#spans.some(({ from, to }) => row.begun >= from && row.begun <= to);
  }

  #now(): number {
    return machineTicks() + this.#offset;
  }
}

function keyOf({ pid, begun }: ProcessRow): string {
  return `${pid} ${begun}`;
}

function machineTicks(): number {
  // The kernel tells hundredths: a product of theirs may come out just below the whole number.
  return Math.round(Number((tryRead('/proc/uptime') ?? '0').split(' ')[0]) * TICKS);
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
