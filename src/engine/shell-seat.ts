import type { Shell } from '../adapters/shell/shell.ts';
import type { CommandRecord, Driver } from '../protocol/command.ts';

/** Opens the person's shell in a directory. */
export type OpenShell = (cwd: string) => Promise<Shell>;

/** The session's one shared shell: started with the first command, started again where it was when it ended. */
export class ShellSeat {
  #shell: Shell | null = null;
  #opening: Promise<Shell> | null = null;
  #cwd: string;
  readonly #open: OpenShell;

  constructor(open: OpenShell, cwd: string) {
    this.#open = open;
    this.#cwd = cwd;
  }

  /** The shell's present directory; before its start, where it will begin. */
  get cwd(): string {
    return this.#live()?.cwd ?? this.#cwd;
  }

  /** The live shell, or null before the first command. */
  get shell(): Shell | null {
    return this.#live();
  }

  /** Starts the shell if none is there. */
  async start(): Promise<Shell> {
    const live = this.#live();
    if (live !== null) return live;
    this.#opening ??= this.#open(this.#cwd).finally(() => {
      this.#opening = null;
    });
    this.#shell = await this.#opening;
    return this.#shell;
  }

  /** Runs a line; commands of both drivers wait for each other. */
  async run(line: string, driver: Driver, signal: AbortSignal): Promise<CommandRecord> {
    const shell = await this.start();
    const record = await shell.run(line, { driver, signal });
    this.#cwd = record.cwd;
    return record;
  }

  interrupt(): void {
    this.#live()?.interrupt();
  }

  async close(): Promise<void> {
    const shell = (await this.#opening?.catch(() => null)) ?? this.#shell;
    this.#shell = null;
    await shell?.close();
  }

  #live(): Shell | null {
    if (this.#shell === null || this.#shell.state !== 'ended') return this.#shell;
    this.#cwd = this.#shell.cwd;
    this.#shell = null;
    return null;
  }
}
