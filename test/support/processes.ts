import { readdirSync, readFileSync } from 'node:fs';

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

/** Settles with those of the processes that are still there after the time, as pid and command line; a dead one nobody has collected has gone. */
export async function survivors(pids: readonly number[], limitMs = 10_000): Promise<string[]> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const left = pids.filter((pid) => readRow(pid).some(({ state }) => state !== 'Z'));
    if (left.length === 0 || performance.now() > deadline) return left.map((pid) => `${pid} ${commandLine(pid)}`);
    // A process of somebody else can only be looked at, not awaited.
    await Bun.sleep(20);
  }
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
