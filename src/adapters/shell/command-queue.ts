import type { CommandRecord } from '../../protocol/command.ts';
import { OutputRecord } from './record.ts';
import type { RunOptions } from './shell-options.ts';

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
