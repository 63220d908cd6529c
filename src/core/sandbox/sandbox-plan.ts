import type { CommandClass } from '../gate/verdict.ts';

/** What a sandboxed command may use up. */
export interface SandboxLimits {
  readonly processes: number;
  /** Bytes of address space of each process. */
  readonly memory: number;
  /** Bytes of the largest file it may write. */
  readonly fileSize: number;
  /** Bytes of all its temporary files. */
  readonly temporary: number;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
}

/** Where a sandboxed command runs, as absolute paths. */
export interface SandboxPlace {
  readonly cwd: string;
  readonly project: string;
  readonly home: string;
  /** Folders of our own: settings, sessions, sockets. They are empty in there. */
  readonly own: readonly string[];
}

/** What a sandbox is to allow: all it can reach is to be read, and nothing beyond this is to be written. */
export interface SandboxPlan extends SandboxPlace {
  /** The project can be written to, but for what governs. */
  readonly writesProject: boolean;
  /** Files that are not hidden, as real paths: what runs tells no more of them than whether they changed. */
  readonly shows?: readonly string[];
  readonly limits: SandboxLimits;
}

const MIB = 1024 * 1024;

const LOOKING: SandboxLimits = {
  processes: 256,
  memory: 4096 * MIB,
  fileSize: 64 * MIB,
  temporary: 128 * MIB,
  cpuSeconds: 60,
  wallSeconds: 120,
};

const WORKING: SandboxLimits = {
  processes: 1024,
  memory: 16_384 * MIB,
  fileSize: 1024 * MIB,
  temporary: 1024 * MIB,
  cpuSeconds: 600,
  wallSeconds: 900,
};

/** Says what a command of a class may do in a sandbox: what only looks can write to nothing but its own temporary files. */
export function planSandbox(commandClass: CommandClass, place: SandboxPlace): SandboxPlan {
  const looks = commandClass === 'read-only';
  return { ...place, writesProject: !looks, limits: looks ? LOOKING : WORKING };
}
