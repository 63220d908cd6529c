import type { FidelityCommand } from './command.ts';
import type { Seen } from './observe.ts';

/** The values of the prompts, which show that a shell waits. */
export const READY = '<ready-7f3a>';
export const MORE = '<more-7f3a>';

/** The folder and the start options of a shell. */
export interface DirectOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A shell as a user without aish has it, on a terminal of its own, without its line editor: what is typed is what it reads. */
export class DirectShell {
  readonly #process: Bun.Subprocess;
  readonly #terminal: Bun.Terminal;
  #received: Buffer = Buffer.alloc(0);
  #ended = false;
  readonly #waiting = new Set<() => void>();

  constructor(options: DirectOptions) {
    this.#process = Bun.spawn([options.program, ...options.args], {
      cwd: options.cwd,
      env: { ...options.env },
      terminal: { cols: 80, rows: 24, data: (_terminal, bytes) => this.#receive(bytes), exit: () => this.#end() },
    });
    if (this.#process.terminal === undefined) throw new Error('this platform gave no pseudo-terminal');
    this.#terminal = this.#process.terminal;
  }

  /** Settles when the shell waits for its first line. */
  async ready(): Promise<void> {
    await this.#until(() => this.#isWaiting());
    this.#received = Buffer.alloc(0);
  }

  /** Types the lines one after the other, each when the shell asks for it. */
  async run(text: string, keys?: FidelityCommand['keys']): Promise<Seen> {
    const parts: Buffer[] = [];
    for (const line of text.split('\n')) {
      this.#received = Buffer.alloc(0);
      this.#terminal.write(`${line}\n`);
      if (keys !== undefined) void this.#pressLater(line, keys);
      await this.#until(() => this.#ended || this.#isWaiting());
      parts.push(withoutEcho(withoutPrompt(this.#received), line));
      if (this.#ended) return { exit: this.#process.exitCode, ended: true, output: Buffer.concat(parts) };
    }
    return { exit: null, ended: false, output: Buffer.concat(parts) };
  }

  async close(): Promise<void> {
    if (!this.#terminal.closed) this.#terminal.close();
    this.#process.kill('SIGKILL');
    await this.#process.exited;
  }

  async #pressLater(line: string, keys: NonNullable<FidelityCommand['keys']>): Promise<void> {
    await this.#until(() => this.#ended || withoutEcho(this.#received, line).includes(keys.after));
    if (!this.#ended) this.#terminal.write(keys.send);
  }

  #isWaiting(): boolean {
    return this.#received.includes(READY) || this.#received.includes(MORE);
  }

  #look(): void {
    for (const look of [...this.#waiting]) look();
  }

  #receive(bytes: Uint8Array): void {
    this.#received = Buffer.concat([this.#received, bytes]);
    this.#look();
  }

  #end(): void {
    void this.#process.exited.then(() => {
      this.#ended = true;
      this.#look();
    });
  }

  #until(holds: () => boolean): Promise<void> {
    if (holds()) return Promise.resolve();
    return new Promise((resolve) => {
      const look = (): void => {
        if (!holds()) return;
        this.#waiting.delete(look);
        resolve();
      };
      this.#waiting.add(look);
    });
  }
}

/** The output before the prompt. A note about a job may follow it. */
function withoutPrompt(bytes: Buffer): Buffer {
  const ends = [bytes.indexOf(READY), bytes.indexOf(MORE)].filter((at) => at >= 0);
  return ends.length === 0 ? bytes : bytes.subarray(0, Math.min(...ends));
}

/** The terminal shows what is typed unless a command has switched that off. */
function withoutEcho(bytes: Buffer, line: string): Buffer {
  const echo = Buffer.from(`${line}\r\n`);
  return bytes.subarray(0, echo.length).equals(echo) ? bytes.subarray(echo.length) : bytes;
}
