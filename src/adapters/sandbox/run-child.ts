import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from '../../core/sandbox/sandbox-plan.ts';
import { attempt } from '../../core/text/attempt.ts';
import { AishError } from '../../protocol/error.ts';
import { isProcessAlive, signal } from '../system/processes.ts';
import { describeStartFault } from '../system/start-fault.ts';
import type { SandboxRequest, SandboxResult } from './sandbox.ts';

interface ChildCall {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Whether it gets a pipe as its input. */
  readonly hasInput?: boolean;
  /** Open files that the child gets as its descriptors from 3 on. */
  readonly descriptors?: readonly number[];
}

/** A child that was started, without input or with a pipe. */
export type SandboxChild = ReturnType<typeof startChild>;

/** The exit status of a killed command: 128 and the number of the signal. */
export const KILLED = 128 + 9;

/** Starts a child in a group of its own. */
export function startChild({ command, cwd, env, hasInput = false, descriptors = [] }: ChildCall) {
  try {
    return Bun.spawn([...command], {
      cwd,
      env: { ...env },
      detached: true,
      stdio: [hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe', ...descriptors],
    });
  } catch (cause) {
    const { why, hint } = describeStartFault(cause);
    const message = `cannot start ${command[0]}: ${why}`;
    throw new AishError('sandbox.failed', message, hint === null ? { cause } : { hint, cause });
  }
}

/**
 * Ends a child and what it has begun. While bubblewrap sets up, its own child does not end with it yet but is in its group; later it is
 * in a session of its own and ends with it. In between it is neither, so it is ended by name, too.
 */
export function endChild(child: SandboxChild): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const begun = childrenOf(child.pid);
  for (const pid of [-child.pid, child.pid, ...begun]) signal(pid, 'SIGKILL');
}

/** The processes that a process has started; none if it has ended, or if the system does not tell. */
function childrenOf(pid: number): readonly number[] {
  const tasks = attempt(() => readdirSync(`/proc/${pid}/task`), []);
  const lists = tasks.map((task) => attempt(() => readFileSync(`/proc/${pid}/task/${task}/children`, 'latin1'), ''));
  return lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}

/** Passes on what a child prints, and ends it at its limits or when it is called off. */
export async function followChild(
  child: SandboxChild,
  request: Pick<SandboxRequest, 'plan' | 'signal' | 'onOutput'>,
  options: { readonly isCounted: boolean },
): Promise<SandboxResult> {
  const work = Promise.all([pass(child.stdout, request), pass(child.stderr, request), child.exited]);
  const exit = work.then(() => child.exitCode ?? KILLED);
  return followWork(exit, request, { ...options, pid: child.pid, end: () => endChild(child) });
}

/** The process that does some work, and how it is ended. */
interface Worker {
  readonly pid: number;
  readonly isCounted: boolean;
  /** Ends it; the work settles then. */
  readonly end: () => void;
}

/** Waits for the exit status of some work, and ends it at its time, when it has too many processes or when it is called off. */
export async function followWork(
  work: Promise<number>,
  { signal, plan }: Pick<SandboxRequest, 'plan' | 'signal'>,
  worker: Worker,
): Promise<SandboxResult> {
  let ended: SandboxResult['ended'] = null;
  const end = (why: NonNullable<SandboxResult['ended']>): void => {
    ended ??= why;
    worker.end();
  };
  const stop = (): void => end('stopped');
  const timer = setTimeout(() => end('time'), plan.limits.wallSeconds * 1000);
  signal.addEventListener('abort', stop);
  const watch = worker.isCounted ? watchProcesses(worker.pid, plan.limits.processes, () => end('processes')) : null;
  const memory = watchMemory(worker.pid, plan.limits.memory, () => end('memory'));
  if (signal.aborted) stop();
  try {
    return { exit: await work, ended };
  } finally {
    clearTimeout(timer);
    watch?.[Symbol.dispose]();
    memory[Symbol.dispose]();
    signal.removeEventListener('abort', stop);
  }
}

async function pass(stream: unknown, { onOutput }: Pick<SandboxRequest, 'onOutput'>): Promise<void> {
  if (!(stream instanceof ReadableStream)) return;
  for await (const bytes of stream) if (bytes instanceof Uint8Array) onOutput(bytes);
}

const LOOK_MS = 100;
/** The rest is for the user. */
const MOST_OF_MACHINE = 0.75;
/** A page as Linux counts here; where pages are larger, a command gets more. */
const PAGE = 4096;

/**
 * Counts the processes of a sandbox now and then, and calls when they are more than they may be. A control group would refuse
 * them at once, but to enter one takes longer than most commands run.
 */
function watchProcesses(pid: number, most: number, tooMany: () => void): Disposable {
  const before = countAll();
  const timer = setInterval(() => {
    // One read tells the number for the whole machine. Only if that has grown so much does aish count those of the sandbox.
    if (countAll() - before > most && processesBelow(pid).length > most) tooMany();
  }, LOOK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/**
 * Adds up the memory that the processes of a sandbox hold, and calls when it is more than they may have, or more than most of the
 * machine's. The limit that the kernel keeps is one for each process. Memory that belongs to no process, such as shared memory, is told for the
 * whole machine alone: its growth counts as theirs.
 */
function watchMemory(pid: number, most: number, tooMuch: () => void): Disposable {
  const limit = Math.min(most, totalmem() * MOST_OF_MACHINE);
  const before = memoryOfNone();
  const timer = setInterval(() => {
    if (memoryBelow(pid) + Math.max(0, memoryOfNone() - before) > limit) tooMuch();
  }, LOOK_MS);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Bytes that a process and those it started hold for themselves: what belongs to files is shared. */
function memoryBelow(pid: number): number {
  let pages = 0;
  for (const one of processesBelow(pid)) {
    const [, resident = 0, shared = 0] = attempt(() => readFileSync(`/proc/${one}/statm`, 'latin1'), '')
      .split(' ')
      .map(Number);
    pages += resident - shared;
  }
  return pages * PAGE;
}

/** A process and those it started. Orphans belong to the first process of a sandbox. */
function processesBelow(pid: number): readonly number[] {
  const found = [pid];
  for (const one of found) found.push(...childrenOf(one));
  return found;
}

/** Bytes of the machine that are shared or the kernel's own, and go only with what they were made for. */
function memoryOfNone(): number {
  try {
    const text = readFileSync('/proc/meminfo', 'latin1');
    return [/^Shmem: +(\d+)/m, /^SUnreclaim: +(\d+)/m].reduce(
      (sum, line) => sum + Number(line.exec(text)?.[1] ?? 0) * 1024,
      0,
    );
  } catch {
    return 0; // No such system.
  }
}

function countAll(): number {
  return Number(/\/(\d+) /.exec(readFileSync('/proc/loadavg', 'utf8'))?.[1] ?? 0);
}

/** Nobody waits longer for a process that the system cannot end, such as one that waits for a disk. */
const MOST_MS = 2000;
const LONGEST_NOTE = 1000;
const CHILD = /"child-pid": *(\d+)/;
/** The state of a process that has ended and that nobody has asked about yet. */
const ENDED = /^\d+ \(.*\) [ZX]/s;

/**
 * The first process within a sandbox. Bubblewrap itself ends as soon as the command has; the others within are killed then, and the first
 * is gone only when all of them are.
 */
export class FirstProcess {
  /** The descriptor on which bubblewrap tells its number. */
  readonly descriptor: number;

  private constructor(descriptor: number) {
    this.descriptor = descriptor;
  }

  /** Awaits one that is yet to be started; the folder is a private one. */
  static expect(folder: string): FirstProcess {
    const path = join(folder, `first-${process.pid}`);
    rmSync(path, { force: true });
    const descriptor = openSync(path, 'wx+', 0o600);
    rmSync(path);
    return new FirstProcess(descriptor);
  }

  /** Settles once it is gone, and at once where there never was one. */
  async gone(): Promise<void> {
    const pid = this.#read();
    if (pid === null) return;
    const begun = performance.now();
    // No child of ours: it can only be looked at, not awaited.
    while (isThere(pid) && performance.now() - begun < MOST_MS) await Bun.sleep(1);
  }

  #read(): string | null {
    const bytes = Buffer.alloc(LONGEST_NOTE);
    const length = readSync(this.descriptor, bytes, 0, LONGEST_NOTE, 0);
    return CHILD.exec(bytes.toString('latin1', 0, length))?.[1] ?? null;
  }
}

function isThere(pid: string): boolean {
  return attempt(() => !ENDED.test(readFileSync(`/proc/${pid}/stat`, 'latin1')), false);
}

const ROOT = '/sys/fs/cgroup';
const BLOCK = 512;
const PREFIX = 'aish-';
const LEFT = /^aish-(\d+)/;

/**
 * Enters the control group if there is one, sets the limits and becomes the rest of its words. The letter for the number of
 * processes differs among shells. A command that cannot be limited does not run.
 */
const SCRIPT = `[ -z "$1" ] || echo 0 >"$1/cgroup.procs" || exit 125
ulimit -c 0 && ulimit -f "$2" && ulimit -v "$3" && ulimit -t "$4" || exit 125
ulimit -u "$5" 2>/dev/null || ulimit -p "$5" 2>/dev/null || exit 125
shift 5
exec "$@" 2>&1`;

/** The words that start a command under limits; they go before its own. */
export function limitWords(limits: SandboxLimits, group: ProcessGroupLimit | null): readonly string[] {
  const { fileSize, memory, cpuSeconds, processes } = limits;
  const values = [fileSize / BLOCK, memory / 1024, cpuSeconds, processes].map((value) => String(Math.floor(value)));
  return ['/bin/sh', '-c', SCRIPT, 'sh', group?.folder ?? '', ...values];
}

/** The words that start a program in a control group; none without a group. */
export function enterWords(group: ProcessGroupLimit | null): readonly string[] {
  return group === null ? [] : ['/bin/sh', '-c', 'echo 0 >"$0/cgroup.procs" && exec "$@"', group.folder];
}

/** A control group that bounds the number of processes in it: the superuser's count is bounded by nothing else. */
export class ProcessGroupLimit {
  readonly folder: string;
  #set = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Makes a group beside ours that nobody else has; null where the system has none or gives none. */
  static open(): ProcessGroupLimit | null {
    for (const parent of parentGroups()) {
      sweep(parent);
      const folder = tryMake(parent);
      if (folder === null) continue;
      try {
        readFileSync(join(folder, 'pids.max'));
        return new ProcessGroupLimit(folder);
      } catch {
        tryRemove(folder);
      }
    }
    return null;
  }

  /** Sets how many processes may be in it. */
  limit(processes: number): void {
    // One whose process has another number for us than for itself looks like one that was left, and may have been swept.
    const isNew = mkdirSync(this.folder, { recursive: true }) !== undefined;
    if (!isNew && this.#set === processes) return;
    writeFileSync(join(this.folder, 'pids.max'), String(processes));
    this.#set = processes;
  }

  /** Lets it go. While a process is still ending in it that fails; then anyone who makes the next one sweeps it. */
  close(): void {
    tryRemove(this.folder);
  }
}

function tryMake(parent: string): string | null {
  try {
    // The number alone would not do: one that was left may have it, and one process may have several.
    return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
  } catch {
    return null; // Not ours to make groups in.
  }
}

function tryRemove(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It holds a process, or has gone.
  }
}

/** Lets go of those that processes left which were killed. */
function sweep(parent: string): void {
  for (const name of attempt(() => readdirSync(parent), [])) {
    const [, pid] = LEFT.exec(name) ?? [];
    if (pid !== undefined && !isProcessAlive(Number(pid))) tryRemove(join(parent, name));
  }
}

/** Folders in which a group may be made: ours with the older control groups, the one above ours with the newer ones. */
function parentGroups(): string[] {
  return readFileSync('/proc/self/cgroup', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, controllers, path] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
      if (path === undefined || controllers === undefined) return [];
      if (controllers === '') return [join(ROOT, dirname(path))];
      return controllers.split(',').includes('pids') ? [join(ROOT, 'pids', path)] : [];
    });
}
