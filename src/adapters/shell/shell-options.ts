import type { TerminalSize } from '../../protocol/client.ts';
import type { Driver } from '../../protocol/command.ts';

/** `boot` while startup files run, `running` until the shell waits again. */
export type ShellState = 'boot' | 'ready' | 'running' | 'ended';

/** The person's shell, and where its output and what happens go. */
export interface ShellOptions {
  /** bash or zsh, by path or name. */
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
  /** Output that belongs to no command: of startup files, and of jobs in the background while the shell waits. */
  readonly onOutside?: (text: Uint8Array) => void;
  /** What was typed while a command ran and no program read. */
  readonly onTypedAhead?: (bytes: Uint8Array) => void;
  readonly onState?: (state: ShellState) => void;
  /** A program turned the echo off to read a line. */
  readonly onPasswordWanted?: (program: string) => void;
}

/** Who runs a line, and how it is called off. */
export interface RunOptions {
  readonly driver: Driver;
  /** Interrupts the command as Ctrl-C would. */
  readonly signal?: AbortSignal | undefined;
  /** What the command prints, as it comes, full-screen drawings left out. The bytes are valid during the call only. */
  readonly onOutput?: ((bytes: Uint8Array) => void) | undefined;
  /** False keeps the line out of the shell's own history. */
  readonly remember?: boolean | undefined;
}
