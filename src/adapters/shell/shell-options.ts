/* A shell gets its options once, and then the lines that it runs. */

import type { CommandRecord, Driver } from '../../protocol/command.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import type { BackgroundEvents } from './background.ts';
import { OutputRecord } from './record.ts';

/** `boot` while startup files run, `running` until the shell waits again. */
export type ShellState = 'boot' | 'ready' | 'running' | 'ended';

/** The user's shell, and where its output and what happens go. */
export interface ShellOptions extends BackgroundEvents {
  /** bash, zsh or fish, by path or name. */
  readonly program: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
  /** A folder of aish, for its owner only. */
  readonly runtimeDir: string;
  /** The terminal for output: a descriptor that does not block, or null if there is none. */
  readonly terminal: number | null;
  /** Whether the profile files are read as well. */
  readonly login?: boolean;
  /** Whether the startup files of the user are left out, because they ended a shell before. */
  readonly withoutStartup?: boolean;
  /** Whether the shell renders its own prompt each time, for `report`. */
  readonly renderPrompt?: boolean;
  /** The exports of the shell that this one replaces. */
  readonly restore?: string | null;
  /** Reports a fault of the shell; one line describes the remedy. */
  readonly onTrouble?: (line: string) => void;
  /** Receives keys that were typed while a command ran and that no program read. */
  readonly onTypedAhead?: (bytes: Uint8Array) => void;
  readonly onState?: (state: ShellState) => void;
  /** A program turned the echo off to read a line. */
  readonly onPasswordWanted?: (program: string) => void;
  /** That line was read, or something else is shown: told before what is. */
  readonly onPasswordOver?: () => void;
}

/** The driver of a line, and the signal that cancels it. */
export interface RunOptions {
  readonly driver: Driver;
  /** Interrupts the command as Ctrl-C would. */
  readonly signal?: AbortSignal | undefined;
  /** Receives the output of the command, as it comes, without full-screen drawings. The bytes are valid during the call only. */
  readonly onOutput?: ((bytes: Uint8Array) => void) | undefined;
  /** Takes out of what it printed what may be in no record. */
  readonly redact?: ((text: string) => string) | undefined;
  /** False keeps the line out of the shell's own history. */
  readonly remember?: boolean | undefined;
  /** Names of exported variables that the command and what it starts do not get. */
  readonly withheld?: readonly string[] | undefined;
}

interface CommandEnd {
  readonly exit: number | null;
  readonly cwd: string;
  /** Takes out of the output what may not leave this machine. */
  readonly redact: (text: string) => string;
}

/** One line on its way through the shell. */
export class Command {
  readonly line: string;
  readonly options: RunOptions;
  readonly output: OutputRecord;
  /** Settles when the command is done, stopped, called off, or the shell is gone. */
  readonly settled: Promise<CommandRecord>;
  readonly #settle: (record: CommandRecord) => void;
  readonly #onAbort: () => void;
  /** The user typed while the echo was off. */
  answered = false;
  #startedAt = performance.now();

  constructor(line: string, options: RunOptions, onAbort: (command: Command) => void) {
    const { promise, resolve } = Promise.withResolvers<CommandRecord>();
    this.line = line;
    this.options = options;
    this.output = new OutputRecord(options.onOutput);
    this.settled = promise;
    this.#settle = resolve;
    this.#onAbort = () => onAbort(this);
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Whether the line goes into the shell's own history. */
  get isRemembered(): boolean {
    const { driver, remember } = this.options;
    return remember !== false && this.line.trim() !== '' && (driver === 'user' || !/^\s/.test(this.line));
  }

  /** Milliseconds since the command began. */
  get age(): number {
    return performance.now() - this.#startedAt;
  }

  begin(): void {
    this.#startedAt = performance.now();
  }

  toRecord({ exit, cwd, redact }: CommandEnd): CommandRecord {
    const { driver, redact: redactMore = (text: string) => text } = this.options;
    const { output, bytes } = this.output.finish((text) => redactMore(redact(text)));
    const record = { line: this.line, driver, exit, cwd, output, bytes, durationMs: this.age };
    return this.answered ? { ...record, answered: true } : record;
  }

  settle(record: CommandRecord): void {
    this.options.signal?.removeEventListener('abort', this.#onAbort);
    this.#settle(record);
  }
}

/**
 * At its start the shell sends S when it knows aish's functions and R when it goes on to the user's startup files. After each command it
 * sends D (done), and W when all hooks are done and it waits until aish has taken back typed-ahead keys. Then a command is injected, and
 * the shell sends C just before that runs.
 */
export type Phase = 'boot' | 'ready' | 'injecting' | 'running' | 'settling' | 'ended';

/** The phase as others see it: what we do around a command belongs to it. */
export function toState(phase: Phase): ShellState {
  return phase === 'injecting' || phase === 'settling' ? 'running' : phase;
}
