import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LOOK_MS = 100;

/**
 * Counts the processes of a sandbox now and then, and calls when they are more than they may be. A control group would refuse
 * them at once, but to enter one takes longer than most commands run.
 */
export function watchProcesses(pid: number, most: number, tooMany: () => void): Disposable {
  const before = countAll();
  const timer = setInterval(() => {
    // What the whole machine has is told in one read; only where it has grown that much are those of the sandbox counted.
    if (countAll() - before > most && countWithin(pid) > most) tooMany();
  }, LOOK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

function countAll(): number {
  return Number(/\/(\d+) /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 0);
}

/** Processes in the name space of the first child. */
function countWithin(pid: number): number {
  try {
    const [first = ''] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
    const space = nameSpaceOf(first);
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name) && nameSpaceOf(name) === space).length;
  } catch {
    return 0; // It has ended meanwhile.
  }
}

function nameSpaceOf(pid: string): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/pid`);
  } catch {
    return null;
  }
}
