import type { Driver } from '../../protocol/command.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import type { Job, JobNotice } from './jobs.ts';

/** `boot` while startup files run, `running` until the shell waits again. */
export type ShellState = 'boot' | 'ready' | 'running' | 'ended';

/** The user's shell, and where its output and what happens go. */
export interface ShellOptions {
  /** bash, zsh or fish, by path or name. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
  /** A folder of ours, for its owner only. */
  readonly runtimeDir: string;
  /** Where output is shown: a descriptor that does not block, or null when nobody watches. */
  readonly terminal: number | null;
  /** Whether the profile files are read as well. */
  readonly login?: boolean;
  /** Whether the startup files of the user are left out, because they ended a shell before. */
  readonly withoutStartup?: boolean;
  /** Whether the shell renders its own prompt each time, for `report`. */
  readonly renderPrompt?: boolean;
  /** What a shell exported in whose place this one comes. */
  readonly restore?: string | null;
  /**
   * Output that belongs to no command: of startup files, of hooks, and of jobs in the background while the shell waits. The job is named
   * where it can be no other.
   */
  readonly onOutside?: (text: Uint8Array, job: Job | null) => void;
  /** A job in the background is over, or stopped by itself. */
  readonly onJobNotice?: (notice: JobNotice) => void;
  /** Something is wrong with the shell; one line says what is done about it. */
  readonly onTrouble?: (line: string) => void;
  /** What was typed while a command ran and no program read. */
  readonly onTypedAhead?: (bytes: Uint8Array) => void;
  readonly onState?: (state: ShellState) => void;
  /** A program turned the echo off to read a line. */
  readonly onPasswordWanted?: (program: string) => void;
  /** That line was read, or something else is shown: told before what is. */
  readonly onPasswordOver?: () => void;
}

/** Who runs a line, and how it is called off. */
export interface RunOptions {
  readonly driver: Driver;
  /** Interrupts the command as Ctrl-C would. */
  readonly signal?: AbortSignal | undefined;
  /** What the command prints, as it comes, full-screen drawings left out. The bytes are valid during the call only. */
  readonly onOutput?: ((bytes: Uint8Array) => void) | undefined;
  /** Takes out of what it printed what may be in no record. */
  readonly redact?: ((text: string) => string) | undefined;
  /** False keeps the line out of the shell's own history. */
  readonly remember?: boolean | undefined;
  /** Names of exported variables that the command and what it starts do not get. */
  readonly withheld?: readonly string[] | undefined;
}

/**
 * At its start the shell says S when it knows our functions and R when it goes on to the user's startup files. After each command it says
 * D (done), and W when all hooks are done and it waits until we have taken back what was typed ahead. Then a command is injected, and the
 * shell says C just before that runs.
 */
export type Phase = 'boot' | 'ready' | 'injecting' | 'running' | 'settling' | 'ended';

/** The phase as others see it: what we do around a command belongs to it. */
export function toState(phase: Phase): ShellState {
  return phase === 'injecting' || phase === 'settling' ? 'running' : phase;
}
