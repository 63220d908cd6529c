import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SandboxLimits } from '../../core/sandbox/sandbox-plan.ts';
import { isProcessAlive } from '../system/process-alive.ts';

const ROOT = '/sys/fs/cgroup';
const BLOCK = 512;
const PREFIX = 'aish-';
const LEFT = /^aish-(\d+)/;

/**
 * Enters the control group if there is one, sets the limits and becomes the rest of its words. The letter for the number of
 * processes differs among shells. What cannot be limited is not run.
 */
const SCRIPT = `[ -z "$1" ] || echo 0 >"$1/cgroup.procs" || exit 125
ulimit -c 0 && ulimit -f "$2" && ulimit -v "$3" && ulimit -t "$4" || exit 125
ulimit -u "$5" 2>/dev/null || ulimit -p "$5" 2>/dev/null || exit 125
shift 5
exec "$@" 2>&1`;

/** The words that start a command under limits; they go before its own. */
export function limitWords(limits: SandboxLimits, group: string | null): readonly string[] {
  const { fileSize, memory, cpuSeconds, processes } = limits;
  const values = [fileSize / BLOCK, memory / 1024, cpuSeconds, processes].map((value) => String(Math.floor(value)));
  return ['/bin/sh', '-c', SCRIPT, 'sh', group ?? '', ...values];
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

  /** Lets it go. While a process is still ending in it that fails; then whoever makes the next one sweeps it. */
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
  for (const name of tryList(parent)) {
    const [, pid] = LEFT.exec(name) ?? [];
    if (pid !== undefined && !isProcessAlive(Number(pid))) tryRemove(join(parent, name));
  }
}

function tryList(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** Where a group may be made: in ours with the older control groups, beside ours with the newer ones. */
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
