import type { TerminalSize } from '../../protocol/client.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { withoutLine } from './echo.ts';
import { bash } from './integration/bash.ts';
import type { Integration } from './integration/integration.ts';
import { zsh } from './integration/zsh.ts';
import { Lookup, type WordKind } from './lookup.ts';
import { MarkScanner, type Piece } from './marks.ts';
import { formatCommandEnd, OUTPUT_BEGINS } from './outer-marks.ts';
import { OutputPump } from './output-pump.ts';
import { findShell, toShellKind } from './program.ts';
import { Pty } from './pty.ts';
import { QuietWatch } from './quiet-watch.ts';
import { OutputRecord } from './record.ts';
import { RuntimeFiles } from './runtime-files.ts';
import type { RunOptions, ShellOptions, ShellState } from './shell-options.ts';

export type { RunOptions, ShellOptions, ShellState } from './shell-options.ts';

/**
 * Between two commands the shell goes through: it says D (done), waits until we have taken back what was typed ahead, and says B (waits
 * for input). A command is injected then, and the shell says C just before it runs.
 */
type Phase = 'boot' | 'ready' | 'injecting' | 'running' | 'settling' | 'ended';

interface Command {
  readonly line: string;
  readonly options: RunOptions;
  readonly settle: (record: CommandRecord) => void;
  readonly onAbort: () => void;
  readonly output: OutputRecord;
  startedAt: number;
}

const INTERRUPTED = 130;
/** So long a shell that was interrupted may take to show that it still has our hooks. */
const REPAIR_AFTER_MS = 400;
const JUST_STARTED_MS = 40;

/**
 * The person's own bash or zsh, persistent, without its line editor, on a pseudo-terminal. Lines of the person and of the model run in it
 * one after the other; while one runs, keys and output pass through untouched.
 */
export class Shell {
  readonly #options: ShellOptions;
  readonly #integration: Integration;
  readonly #files: RuntimeFiles;
  readonly #scanner: MarkScanner;
  readonly #nonce: string;
  readonly #pty: Pty;
  readonly #pump: OutputPump;
  readonly #lookup: Lookup;
  readonly #watch = new QuietWatch((quietMs) => this.#look(quietMs));
  readonly #ended = Promise.withResolvers<void>();
  #phase: Phase = 'boot';
  #cwd: string;
  #queue: Command[] = [];
  #current: Command | null = null;
  /** What the terminal echoes of our own line, until the command starts. */
  #echo: Uint8Array[] = [];
  /** Keys and a Ctrl-C that came between the injection and the command's start. */
  #early: Uint8Array[] = [];
  #interruptEarly = false;
  #interruptedAt: number | null = null;
  /** A repair is typed but the prompt it brings has not come. */
  #repairing = false;
  #secretAsked = false;
  #exitCode: number | null = null;

  /** Starts the shell and returns at once; startup files run behind, lines wait for them. */
  static open(options: ShellOptions): Shell {
    return new Shell(options);
  }

  private constructor(options: ShellOptions) {
    const program = findShell({ program: options.program, env: options.env });
    this.#options = options;
    this.#cwd = options.cwd;
    this.#integration = toShellKind(program) === 'zsh' ? zsh : bash;
    this.#nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
    this.#scanner = new MarkScanner(this.#nonce);
    this.#files = new RuntimeFiles(options.runtimeDir);
    this.#lookup = new Lookup({ file: this.#files.names, path: options.env.PATH ?? '' });
    try {
      this.#pty = this.#start(program);
    } catch (error) {
      this.#files.close();
      throw error;
    }
    this.#pump = new OutputPump({
      terminal: options.terminal,
      calls: this.#pty.calls,
      setFlow: (flowing) => this.#pty.setFlow(flowing),
    });
    this.#pty.settleModes();
    this.#watch.start();
  }

  get state(): ShellState {
    return toState(this.#phase);
  }

  /** The shell's directory, as it calls it. */
  get cwd(): string {
    return this.#cwd;
  }

  /** With what status the shell ended; null while it lives or when a signal ended it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** Whether a program waits for a password now: nobody but the person may type. */
  get isAskingSecretly(): boolean {
    return this.#current !== null && this.#pty.isAskingSecretly;
  }

  /** Name of the program that has the terminal; null where the system does not tell. */
  get foregroundName(): string | null {
    return this.#pty.foregroundName;
  }

  /** Bytes of output that the terminal has not taken yet. */
  get queuedBytes(): number {
    return this.#pump.queued;
  }

  /** Runs a line after those before it. Settles when it is done, stopped, called off, or the shell is gone; never rejects for what the command does. */
  run(line: string, options: RunOptions): Promise<CommandRecord> {
    if (line.includes('\0')) throw new AishError('shell.bad-line', 'a command cannot hold a NUL character');
    if (this.#phase === 'ended') {
      throw new AishError('shell.ended', 'the shell has ended, so the command was not run', { hint: 'open it again' });
    }
    return new Promise((resolve) => {
      const command: Command = {
        line,
        options,
        settle: resolve,
        onAbort: () => this.#abort(command),
        output: new OutputRecord(options.onOutput),
        startedAt: performance.now(),
      };
      options.signal?.addEventListener('abort', command.onAbort, { once: true });
      this.#queue.push(command);
      if (options.signal?.aborted === true) this.#abort(command);
      this.#next();
    });
  }

  /** Keys for the program in the foreground. They are recorded nowhere; when none runs they count as typed ahead. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#phase === 'ended') return;
    this.#watch.sign();
    if (this.#phase === 'injecting') this.#early.push(bytes.slice());
    else if (this.#phase === 'running' || this.#phase === 'boot') this.#pty.write(bytes);
    else this.#options.onTypedAhead?.(bytes);
    if (bytes.length === 1 && bytes[0] === 0x03 && this.#current !== null) this.#insist(this.#current);
  }

  /** Ctrl-C for what runs now; nothing when nothing runs. */
  interrupt(): void {
    if (this.#phase === 'injecting') this.#interruptEarly = true;
    if (this.#phase !== 'running' && this.#phase !== 'boot') return;
    this.#interruptedAt = performance.now();
    this.#watch.start();
    this.#pty.interrupt();
    if (this.#current !== null) this.#insist(this.#current);
  }

  /** A Ctrl-C in the moment a command starts may stop no more than our own function before it: it is sent once more. */
  #insist(command: Command): void {
    if (performance.now() - command.startedAt > JUST_STARTED_MS) return;
    setTimeout(() => {
      const stillRuns = this.#current === command && this.#phase === 'running';
      if (stillRuns && this.#pty.foreground !== this.#pty.pid) this.#pty.interrupt();
    }, 2 * JUST_STARTED_MS);
  }

  resize(size: TerminalSize): void {
    this.#pty.resize(size);
  }

  /** What the shell would take a line's first word for; null when it knows no such thing. */
  lookup(word: string): WordKind | null {
    return this.#lookup.find(word, { cwd: this.#cwd, home: this.#options.env.HOME });
  }

  /** Takes the secret of our marks out of a text: `set` and `set -x` show our variables, and a record may leave this machine. */
  readonly conceal = (text: string): string => text.replaceAll(this.#nonce, '…');

  /** Hangs the shell up and waits until it and its files are gone. */
  async close(): Promise<void> {
    await this.#pty.close();
    await this.#ended.promise;
  }

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  #start(program: string): Pty {
    const { env, login = false } = this.#options;
    const preparation = this.#integration.prepare({
      folder: this.#files.folder,
      nonce: this.#nonce,
      login,
      env,
      renderPrompt: true,
    });
    this.#files.writeStartFiles(preparation);
    return new Pty({
      command: [program, ...preparation.args],
      cwd: this.#options.cwd,
      env: { ...env, ...preparation.env, SHELL: program, AISH: String(process.pid) },
      size: this.#options.size,
      onData: (bytes) => this.#receive(bytes),
      onExit: (code) => void this.#end(code),
    });
  }

  #receive(bytes: Uint8Array): void {
    this.#watch.sign();
    for (const piece of this.#scanner.feed(bytes)) this.#take(piece);
  }

  #take(piece: Piece): void {
    if (piece.type === 'output') {
      this.#show(piece.bytes);
      return;
    }
    const [first = '', second = '', third = ''] = piece.fields;
    if (piece.kind === 'S') this.#onSourced(first);
    else if (piece.kind === 'C') this.#onStart();
    else if (piece.kind === 'D') this.#onDone(first, Number(second), third);
    else if (piece.kind === 'B') this.#onReady();
  }

  #show(bytes: Uint8Array): void {
    if (this.#phase === 'injecting') this.#echo.push(bytes.slice());
    else if (this.#phase !== 'running') this.#showOutside(bytes);
    else {
      this.#current?.output.add(bytes);
      this.#pump.write(bytes);
    }
  }

  #showOutside(bytes: Uint8Array): void {
    const shown = this.#repairing ? withoutLine(bytes, this.#integration.repair) : bytes;
    if (shown.length > 0) this.#options.onOutside?.(shown);
  }

  /** The shell has read the nonce; its file goes before anything of the person's runs. */
  #onSourced(tty: string): void {
    this.#files.removeSecret();
    if (tty !== '') this.#pty.adoptSlave(tty);
    this.#files.acknowledge('0');
  }

  #next(): void {
    if (this.#phase !== 'ready') return;
    const command = this.#queue.shift();
    if (command === undefined) return;
    const { line, options } = command;
    const keep = options.remember !== false && line.trim() !== '' && (options.driver === 'person' || !/^\s/.test(line));
    this.#current = command;
    this.#echo = [];
    this.#files.writeCommand(line, { keep });
    command.startedAt = performance.now();
    this.#setPhase('injecting');
    this.#pty.writeLine(this.#integration.injection);
  }

  #onStart(): void {
    if (this.#phase !== 'injecting') return;
    this.#showEchoOutside();
    this.#setPhase('running');
    this.#secretAsked = false;
    this.#interruptedAt = null;
    this.#pump.write(OUTPUT_BEGINS);
    for (const bytes of this.#early.splice(0)) this.#pty.write(bytes);
    if (this.#interruptEarly) this.interrupt();
    this.#interruptEarly = false;
    this.#watch.start();
  }

  /** What came before the echo of our line is a background job's; the rest is noise of hooks that see every line. */
  #showEchoOutside(): void {
    const bytes = Buffer.concat(this.#echo);
    this.#echo = [];
    const start = bytes.indexOf(this.#integration.injection.trim().slice(0, 16));
    const before = start < 0 ? 0 : Math.max(0, start - 1);
    if (before > 0) this.#showOutside(bytes.subarray(0, before));
  }

  #onDone(sequence: string, status: number, where: string): void {
    this.#cwd = where === '' ? (this.#pty.cwd ?? this.#cwd) : where;
    const typedAhead = Buffer.concat([...this.#early.splice(0), this.#pty.takeBack()]);
    this.#pty.settleModes();
    this.#files.acknowledge(sequence);
    const repaired = this.#repairing;
    this.#repairing = false;
    if (typedAhead.length > 0) this.#options.onTypedAhead?.(typedAhead);
    // A repair that turned out needless brings a prompt of its own before the line that is already typed.
    if (repaired && this.#phase === 'injecting') return;
    if (this.#phase === 'injecting' || this.#phase === 'running') this.#finish(status);
    if (this.#phase !== 'boot') this.#setPhase('settling');
    this.#interruptedAt = performance.now();
  }

  #onReady(): void {
    if (this.#phase === 'injecting' || this.#phase === 'running' || this.#phase === 'ended') return;
    this.#interruptedAt = null;
    this.#interruptEarly = false;
    this.#watch.stop();
    this.#lookup.refresh();
    this.#setPhase('ready');
    this.#next();
  }

  #finish(exit: number | null): void {
    const command = this.#current;
    this.#current = null;
    if (command === null) return;
    this.#files.forgetCommand();
    this.#pump.write(formatCommandEnd(exit, this.#cwd, command.output));
    const record = this.#toRecord(command, exit);
    command.options.signal?.removeEventListener('abort', command.onAbort);
    void this.#pump.idle().then(() => command.settle(record));
  }

  #toRecord(command: Command, exit: number | null): CommandRecord {
    const { output, bytes } = command.output.finish();
    return {
      line: command.line,
      driver: command.options.driver,
      exit,
      cwd: this.#cwd,
      output: this.conceal(output),
      bytes,
      durationMs: performance.now() - command.startedAt,
    };
  }

  #abort(command: Command): void {
    if (command === this.#current) this.interrupt();
    if (!this.#queue.includes(command)) return;
    this.#queue = this.#queue.filter((other) => other !== command);
    command.startedAt = performance.now();
    command.settle(this.#toRecord(command, INTERRUPTED));
  }

  /** Nothing has happened for a while: is a password wanted, or have our hooks gone astray? */
  #look(quietMs: number): void {
    if (this.#phase === 'ended' || this.#phase === 'ready') {
      this.#watch.stop();
      return;
    }
    const asking = this.#pty.isAskingSecretly;
    if (asking && !this.#secretAsked) {
      this.#options.onPasswordWanted?.(this.#pty.foregroundName ?? firstWord(this.#current?.line ?? ''));
    }
    this.#secretAsked = asking;
    if (quietMs >= REPAIR_AFTER_MS) this.#repairIfLost();
  }

  /**
   * A line that removed our hooks and was then interrupted leaves the shell at a prompt of which we hear nothing. It has the terminal and
   * sleeps: our own short line puts the hooks back and brings the prompt again.
   */
  #repairIfLost(): void {
    const since = this.#interruptedAt;
    if (since === null || this.#repairing || this.#phase === 'boot' || performance.now() - since < REPAIR_AFTER_MS)
      return;
    if (!this.#pty.isOwnerWaiting) return;
    this.#repairing = true;
    this.#pty.writeLine(this.#integration.repair);
  }

  async #end(code: number | null): Promise<void> {
    const held = this.#scanner.flush();
    if (held.length > 0) this.#show(held);
    this.#exitCode = code;
    this.#watch.stop();
    this.#finish(code);
    for (const command of this.#queue.splice(0)) command.settle(this.#toRecord(command, null));
    this.#files.close();
    await Promise.race([this.#pump.idle(), Bun.sleep(200)]);
    this.#pump.close();
    this.#setPhase('ended');
    this.#ended.resolve();
  }

  #setPhase(phase: Phase): void {
    const before = this.state;
    this.#phase = phase;
    if (this.state !== before) this.#options.onState?.(this.state);
  }
}

function toState(phase: Phase): ShellState {
  return phase === 'injecting' || phase === 'settling' ? 'running' : phase;
}

function firstWord(line: string): string {
  return line.trim().split(/\s/, 1)[0] ?? '';
}
