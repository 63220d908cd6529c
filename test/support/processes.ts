import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { until } from './until.ts';

/** Whether the process table can be read here. */
export const HAS_PROCESS_TABLE = process.platform === 'linux';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
}

/** Every process that a process started, and those they started, with the children first. */
export function descendants(pid: number): number[] {
  const rows = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? readRow(Number(name)) : []));
  const below = (parent: number): number[] =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [...below(row.pid), row.pid]);
  return below(pid);
}

/** The command line of a process, for finding one among others. */
export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/**
 * Settles with those of the processes that are still there after the time, as pid and command line; a dead one nobody has collected has
 * gone.
 */
export async function survivors(pids: readonly number[], limitMs = 30_000): Promise<string[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const left = pids.filter((pid) => readRow(pid).some(({ state }) => state !== 'Z'));
    if (left.length === 0 || performance.now() > deadline) return left.map((pid) => `${pid} ${commandLine(pid)}`);
    // A process of somebody else can only be looked at, not awaited.
    await Bun.sleep(20);
  }
}

/**
 * Settles when the program in the foreground of a terminal, started in this folder, sleeps and stays asleep: it waits for a key then. A key
 * that comes between its last output and its read can be lost (less acts on a Ctrl-Z of that moment only with the next key).
 */
export async function readsKeys(folder: string): Promise<void> {
  if (!HAS_PROCESS_TABLE) return;
  let before = '';
  await until(
    { what: `a program in ${folder} that waits for a key`, lookMs: 60 },
    () => foregroundPrograms(folder),
    (programs) => {
      const now = programs.map(({ pid, sleeps }) => `${pid} ${sleeps}`).join();
      const isSame = now === before;
      before = now;
      return isSame && programs.length > 0 && programs.every(({ isAsleep }) => isAsleep);
    },
  );
}

/** Programs that are no aish and have the foreground of their terminal, each with how often it has gone to sleep. */
function foregroundPrograms(folder: string) {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'));
      const [state, , group, , , foreground] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      if (group !== foreground || /^(?:aish|bun)/.test(name) || readlinkSync(`/proc/${pid}/cwd`) !== folder) return [];
      const sleeps = /^voluntary_ctxt_switches:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
      return [{ pid, sleeps, isAsleep: state === 'S' }];
    } catch {
      return [];
    }
  });
}

function readRow(pid: number): Row[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ pid, parent: Number(parent), state }];
  } catch {
    return [];
  }
}
