import { readdirSync, readFileSync } from 'node:fs';

/** Memory of processes in MiB: resident, and with shared pages counted by their share. */
export interface Memory {
  readonly rss: number;
  readonly pss: number;
}

/**
 * Drops a program from the kernel's cache, so that it is read again as after a restart. Pages that were written a moment
 * ago lie there in large pieces and are mapped whole: a freshly built program starts sooner and seems to hold 4 to 6 MiB more.
 */
export function rereadFromDisk(program: string): void {
  Bun.spawnSync(['sync', program]);
  Bun.spawnSync(['dd', `if=${program}`, 'iflag=nocache', 'count=0', 'status=none']);
}

/** Memory of a process and all that descend from it. */
export function treeMemory(pid: number): Memory {
  return treeOf(pid)
    .map(processMemory)
    .reduce((sum, one) => ({ rss: sum.rss + one.rss, pss: sum.pss + one.pss }), { rss: 0, pss: 0 });
}

/** The most a process has held so far, in MiB; undefined once it is gone. */
export function peakMemory(pid: number): number | undefined {
  const text = read(`/proc/${pid}/status`);
  const peak = /VmHWM:\s+(\d+) kB/.exec(text)?.[1];
  return peak === undefined ? undefined : Number(peak) / 1024;
}

/** Runs a program to its end and returns the most it held, looking every millisecond. */
export async function peakOfRun(
  command: readonly string[],
  env: Readonly<Record<string, string>>,
  cwd: string,
): Promise<number> {
  const child = Bun.spawn([...command], { cwd, env: { ...env }, stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' });
  let peak = 0;
  while (child.exitCode === null) {
    peak = Math.max(peak, peakMemory(child.pid) ?? 0);
    await Bun.sleep(1);
  }
  return peak;
}

function processMemory(pid: number): Memory {
  const text = read(`/proc/${pid}/smaps_rollup`);
  const value = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) / 1024;
  return { rss: value('Rss'), pss: value('Pss') };
}

function treeOf(root: number): number[] {
  const parents = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    const parent = /\) \S (\d+)/.exec(read(`/proc/${name}/stat`))?.[1];
    if (parent !== undefined) parents.set(Number(name), Number(parent));
  }
  const tree = [root];
  for (const pid of tree) for (const [child, parent] of parents) if (parent === pid) tree.push(child);
  return tree;
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // The process has ended.
  }
}
