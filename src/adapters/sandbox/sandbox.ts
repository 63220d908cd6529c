import type { Layer, SandboxPlan } from '../../core/sandbox/sandbox-plan.ts';

/**
 * What stands in the project's place, in a folder: `upper` of it is a copy of the project, or takes what is written to an overlay that lies
 * over `lower`, with `work` beside it.
 */
export interface SandboxView {
  readonly type: 'overlay' | 'copy';
  readonly folder: string;
}

/** A command that is to run apart from the shared shell. */
export interface SandboxCommand {
  /** Exactly the text that was classified; bash gets it as it is. */
  readonly text: string;
  readonly plan: SandboxPlan;
  /** The environment, scrubbed. */
  readonly env: Readonly<Record<string, string>>;
  /** The command reads and writes this folder in place of the project, with the files that govern git as well. */
  readonly view?: SandboxView;
}

/** A command with its listener. */
export interface SandboxRequest extends SandboxCommand {
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
  /** Null if the sandbox works, else the reason. Found out once, by a trial. */
  available(): Promise<string | null>;
  /** The real paths that a command of this plan cannot read. */
  hides(plan: SandboxPlan): SandboxHides;
  /** Sets the sandbox up for a command that is about to run, and holds it there. One that is not run within seconds is dropped. */
  prepare(command: SandboxCommand): Promise<void>;
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
