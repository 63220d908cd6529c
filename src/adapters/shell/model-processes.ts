import type { HaltReport, LeftProcess } from '../../protocol/op.ts';
import { ancestors, environmentOf, type ProcessRow, readRow, readTable, tryRead } from '../system/process-table.ts';
import { signal } from '../system/processes.ts';
import type { LineCycle } from './line-cycle.ts';
import type { Pty } from './pty.ts';

/*
 * Finds the processes of the model, and ends them.
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

/** After so long politeness ends. */
const POLITE_MS = 500;
/** How long a halt waits, in milliseconds from its beginning. */
export interface HaltPatience {
  /** By then the shell should be back at its prompt, or it is ended. */
  readonly shellMs: number;
  /** The longest wait. */
  readonly mostMs: number;
}

export const HALT_PATIENCE: HaltPatience = { shellMs: 1200, mostMs: 1900 };
const LOOK_MS = 15;
/** While a line is on its way into the shell, its start is not to be missed. */
const CLOSE_LOOK_MS = 2;
/** Time between a SIGINT to the shell and the first kill, and between two SIGINTs. */
const INTERRUPT_MS = 120;

type Cycle = Pick<LineCycle, 'current' | 'phase' | 'interrupt' | 'interrupts'>;

/**
 * Ends the processes that the model's commands have started: first by SIGTERM, then by SIGKILL, also those started meanwhile. A list of
 * commands would go on with the next one when its present one is ended: so the shell gets a SIGINT of its own first, by which it gives the
 * rest of the line up.
 */
export async function haltShell(
  pty: Pty,
  cycle: Cycle,
  processes: Pick<ModelProcesses, 'find'>,
  { shellMs, mostMs }: HaltPatience,
): Promise<HaltReport> {
  const halted = cycle.current?.options.driver === 'model' ? cycle.current : null;
  const isBusy = (): boolean => halted !== null && cycle.current === halted && cycle.phase !== 'ended';
  const interrupter = new ShellInterrupter(pty, cycle);
  const seen = new Set<number>();
  const begun = performance.now();
  let isShellEnded = false;
  if (isBusy()) {
    interrupter.interrupt();
    // A second Ctrl-C could come when the shell has just reported its prompt, and at a Ctrl-C the kernel drops the bytes on their way to
    // aish.
    if (cycle.interrupts.overdueMs === null) cycle.interrupt();
  }
  let left = processes.find();
  while (left.length > 0 || isBusy()) {
    const age = performance.now() - begun;
    if (age > mostMs) break;
    if (!isBusy() || interrupter.interrupt()) {
      const isPolite = age < POLITE_MS;
      // If processes cannot be told apart, aish can end only the group in the foreground.
      if (isBusy()) pty.signalForeground(isPolite ? 'SIGTERM' : 'SIGKILL');
      for (const { pid } of left) endProcess(pid, { isNew: !seen.has(pid), isPolite });
      for (const { pid } of left) seen.add(pid);
    }
    if (!isShellEnded && age > shellMs && isBusy()) {
      isShellEnded = true;
      pty.kill('SIGKILL');
    }
    await Bun.sleep(cycle.phase === 'injecting' ? CLOSE_LOOK_MS : LOOK_MS);
    left = processes.find();
  }
  return { ...toReport(seen, left), ...(isShellEnded ? { shellEnded: true } : {}) };
}

/** Makes a shell give up its line by a SIGINT. A program in the foreground gets the Ctrl-C instead of the shell. */
class ShellInterrupter {
  readonly #pty: Pty;
  readonly #cycle: Cycle;
  #interruptedAt: number | null = null;
  #runsSince: number | null = null;

  constructor(pty: Pty, cycle: Cycle) {
    this.#pty = pty;
    this.#cycle = cycle;
  }

  /** Sends a SIGINT if one is due. True if aish can kill the running program, because the shell does not start the next one of the line. */
  interrupt(): boolean {
    if (this.#cycle.phase === 'injecting') return false;
    const now = performance.now();
    this.#runsSince ??= now;
    const { pid, foreground } = this.#pty;
    const isDue = this.#interruptedAt === null || now - this.#interruptedAt > INTERRUPT_MS;
    // A shell that has the terminal itself gets the Ctrl-C, or has just begun something that will.
    if (isDue && foreground !== null && foreground !== pid && this.#cycle.phase === 'running') {
      signal(pid, 'SIGINT');
      this.#interruptedAt = now;
    }
    return this.#interruptedAt !== null || foreground === null || now - this.#runsSince > INTERRUPT_MS;
  }
}

/** One that is stopped takes a signal only when it goes on. */
function endProcess(pid: number, { isNew, isPolite }: { readonly isNew: boolean; readonly isPolite: boolean }): void {
  if (!isPolite) signal(pid, 'SIGKILL');
  else if (isNew) {
    signal(pid, 'SIGTERM');
    signal(pid, 'SIGCONT');
  }
}

function toReport(seen: ReadonlySet<number>, left: readonly LeftProcess[]): HaltReport {
  const ended = [...seen].filter((pid) => !left.some((one) => one.pid === pid)).length;
  return { ended, left };
}
