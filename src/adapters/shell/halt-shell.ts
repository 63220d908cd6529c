import type { HaltReport, LeftProcess } from '../../protocol/halt.ts';
import type { LineCycle } from './line-cycle.ts';
import type { ModelProcesses } from './model-processes.ts';
import { signal } from './process-status.ts';
import type { Pty } from './pty.ts';

/** After so long politeness ends. */
const POLITE_MS = 500;
/** By then the shell should be back at its prompt. */
const SHELL_MS = 1200;
/** Longer nobody waits. */
const MOST_MS = 1900;
const LOOK_MS = 15;

/**
 * Ends what the model's commands have started: first by SIGTERM, then by SIGKILL, also what is started meanwhile. A list of commands would go on
 * with the next one when its present one is killed: so the shell gets a SIGINT of its own first, by which it gives the rest of the line up.
 */
export async function haltShell(
  pty: Pty,
  cycle: Pick<LineCycle, 'current' | 'phase' | 'interrupt'>,
  processes: Pick<ModelProcesses, 'find'>,
): Promise<HaltReport> {
  const halted = cycle.current?.options.driver === 'model' ? cycle.current : null;
  const isBusy = (): boolean => halted !== null && cycle.current === halted && cycle.phase !== 'ended';
  const seen = new Set<number>();
  const begun = performance.now();
  let isShellEnded = false;
  if (isBusy()) giveUp(pty, cycle);
  let left = processes.find();
  while (left.length > 0 || isBusy()) {
    const age = performance.now() - begun;
    if (age > MOST_MS) break;
    const isPolite = age < POLITE_MS;
    // Where no process can be told from another, the group in the foreground is all there is.
    if (isBusy()) pty.signalForeground(isPolite ? 'SIGTERM' : 'SIGKILL');
    for (const { pid } of left) end(pid, { isNew: !seen.has(pid), isPolite });
    for (const { pid } of left) seen.add(pid);
    if (!isShellEnded && age > SHELL_MS && isBusy()) {
      isShellEnded = true;
      pty.kill('SIGKILL');
    }
    await Bun.sleep(LOOK_MS);
    left = processes.find();
  }
  return { ...toReport(seen, left), ...(isShellEnded ? { shellEnded: true } : {}) };
}

function giveUp(pty: Pty, cycle: Pick<LineCycle, 'phase' | 'interrupt'>): void {
  const { foreground } = pty;
  if (cycle.phase === 'running' && foreground !== null && foreground !== pty.pid) signal(pty.pid, 'SIGINT');
  cycle.interrupt();
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
