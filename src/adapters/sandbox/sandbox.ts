import type { Layer, SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';

/**
 * A folder that stands in for the project: its `upper` is a copy of the project, or takes the changes of an overlay that lies over `lower`,
 * with `work` beside it.
 */
export interface SandboxView {
  readonly type: 'overlay' | 'copy';
  readonly folder: string;
  /** Files in it that the command cannot change. */
  readonly fixed?: readonly string[];
}

/** A command that is to run apart from the shared shell. */
export interface SandboxCommand {
  /** Exactly the text that was classified; bash gets it as it is. */
  readonly text: string;
  readonly plan: SandboxPlan;
  /** The environment, scrubbed. */
  readonly env: Readonly<Record<string, string>>;
}

/** A command with its listener. */
export interface SandboxRequest extends SandboxCommand {
  /** The command reads and writes this folder in place of the project, with the files that govern git as well. */
  readonly view?: SandboxView;
  readonly signal: AbortSignal;
  /** Receives the output, both streams in order; the caller may keep the bytes. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** How a sandboxed command ended. */
export interface SandboxResult {
  /** As in a shell: 128 plus the signal for a killed command. */
  readonly exit: number;
  /** Why it was ended from outside; null when it came to its own end. */
  readonly ended: 'time' | 'processes' | 'memory' | 'stopped' | null;
}

/** Paths that a sandbox hides. */
export interface SandboxHides {
  /** Unreadable files. */
  readonly files: readonly string[];
  /** Unreadable folders. */
  readonly folders: readonly string[];
  /** Empty folders, and the paths that they show. */
  readonly layers: readonly Layer[];
}

/** A way to run a command so that it can do no more than its plan allows. */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'sandbox-exec' | 'none';
  /** Null if the sandbox works, else the reason. Found out once, by a trial; with a plan, what commands of that plan need is started for it. */
  available(plan?: SandboxPlan): Promise<string | null>;
  /** The empty folders of this plan, and the paths that they show. */
  layers(plan: SandboxPlan): readonly Layer[];
  /** The real paths that a command of this plan cannot read. */
  hides(plan: SandboxPlan): SandboxHides;
  /** Starts what commands of this plan need, if it does not run yet. */
  prepare(plan: SandboxPlan): Promise<void>;
  /** Whether that has been done, and the next command finds its sandbox made. */
  isPrepared(plan: SandboxPlan): boolean;
  /** Starts the shell of a command that may run from now on, where that can be done; the command waits for `run`. */
  begin(command: SandboxCommand): void;
  /** Runs a command to its end; nothing it started outlives it. */
  run(request: SandboxRequest): Promise<SandboxResult>;
  close(): void;
}

/** Dependencies of a sandbox. */
export interface SandboxDeps {
  /** Folders of programs, as in `PATH`. */
  readonly path: string;
  /** A private folder of aish, made on first use. */
  readonly folder: () => string;
}
