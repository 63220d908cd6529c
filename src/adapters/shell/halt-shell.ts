import type { HaltReport, LeftProcess } from '../../protocol/op.ts';
import { signal } from '../system/processes.ts';
import type { LineCycle } from './line-cycle.ts';
import type { ModelProcesses } from './model-processes.ts';
import type { Pty } from './pty.ts';

/** After so long politeness ends. */
const POLITE_MS = 500;
/** By then the shell should be back at its prompt. */
const SHELL_MS = 1200;
/** The longest wait. */
const MOST_MS = 1900;
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
export async function haltShell(pty: Pty, cycle: Cycle, processes: Pick<ModelProcesses, 'find'>): Promise<HaltReport> {
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
    if (age > MOST_MS) break;
    if (!isBusy() || interrupter.interrupt()) {
      const isPolite = age < POLITE_MS;
      // If processes cannot be told apart, aish can end only the group in the foreground.
      if (isBusy()) pty.signalForeground(isPolite ? 'SIGTERM' : 'SIGKILL');
      for (const { pid } of left) end(pid, { isNew: !seen.has(pid), isPolite });
      for (const { pid } of left) seen.add(pid);
    }
    if (!isShellEnded && age > SHELL_MS && isBusy()) {
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
function end(pid: number, { isNew, isPolite }: { readonly isNew: boolean; readonly isPolite: boolean }): void {
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
