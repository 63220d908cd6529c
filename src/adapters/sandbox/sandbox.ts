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
  /** The command sees and writes this in the place of the project; what governs can be written there as well. */
  readonly view?: SandboxView;
}

/** A command with who waits for it. */
export interface SandboxRequest extends SandboxCommand {
  readonly signal: AbortSignal;
  /** Gets what the command prints, both streams in their order; the bytes are the caller's to keep. */
  readonly onOutput: (bytes: Uint8Array) => void;
}

/** How a sandboxed command ended. */
export interface SandboxResult {
  /** As a shell tells it: 128 and the signal for a command that one ended. */
  readonly exit: number;
  /** Why it was ended from outside; null when it came to its own end. */
  readonly ended: 'time' | 'processes' | 'memory' | 'stopped' | null;
}

/** What nobody finds in a sandbox as it is outside. */
export interface SandboxHides {
  /** Files that nobody can read. */
  readonly files: readonly string[];
  /** Folders that nobody can look into. */
  readonly folders: readonly string[];
  /** Folders that are empty, and what is shown in them. */
  readonly layers: readonly Layer[];
}

/** A way to run a command so that it can do no more than its plan allows. */
export interface Sandbox {
  readonly kind: 'bubblewrap' | 'sandbox-exec' | 'none';
  /** Null where it works, else why it does not. Found out once, by trying. */
  available(): Promise<string | null>;
  /** What a command of this plan could not read, as real paths. */
  hides(plan: SandboxPlan): SandboxHides;
  /** Sets the sandbox up for a command that is about to run, and holds it there. One that is not run within seconds is dropped. */
  prepare(command: SandboxCommand): Promise<void>;
  /** Runs a command to its end; nothing it started outlives it. */
  run(request: SandboxRequest): Promise<SandboxResult>;
  close(): void;
}

/** What a sandbox works with. */
export interface SandboxDeps {
  /** Folders of programs, as in `PATH`. */
  readonly path: string;
  /** A private folder of ours, made when it is asked for. */
  readonly folder: () => string;
}
