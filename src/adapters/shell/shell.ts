import type { TerminalSize } from '../../protocol/client.ts';
import type { CommandRecord } from '../../protocol/command.ts';
import { AishError } from '../../protocol/error.ts';
import { Background } from './background.ts';
import { Command, CommandQueue } from './command-queue.ts';
import { beforeLine, withoutLine } from './echo.ts';
import { Health } from './health.ts';
import type { Integration } from './integration/integration.ts';
import { KeyEcho } from './key-echo.ts';
import { Lookup, type WordKind } from './lookup.ts';
import { MarkScanner, type Piece } from './marks.ts';
import { formatCommandEnd, formatOutputBegin, type OuterTerminal, toOuterTerminal } from './outer-marks.ts';
import { OutputPump } from './output-pump.ts';
import { type Phase, toState } from './phase.ts';
import { findShell } from './program.ts';
import type { Pty } from './pty.ts';
import { QuietWatch } from './quiet-watch.ts';
import { RuntimeFiles } from './runtime-files.ts';
import { SecretPrompt } from './secret-prompt.ts';
import type { RunOptions, ShellOptions, ShellState } from './shell-options.ts';
import { readExports, type ShellReport } from './shell-report.ts';
import { integrationOf, startShell } from './start-shell.ts';
import { isCtrlC, TypedKeys } from './typed-keys.ts';

export type { RunOptions, ShellOptions, ShellState } from './shell-options.ts';

const INTERRUPTED = 130;
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
  readonly #outer: OuterTerminal;
  readonly #pty: Pty;
  readonly #pump: OutputPump;
  readonly #lookup: Lookup;
  readonly #watch = new QuietWatch((quietMs) => this.#look(quietMs));
  readonly #ended = Promise.withResolvers<void>();
  readonly #waitingForRest: (() => void)[] = [];
  #phase: Phase = 'boot';
  #cwd: string;
  readonly #queue = new CommandQueue();
  readonly #background: Background;
  readonly #health: Health;
  #current: Command | null = null;
  /** What the terminal echoes of our own line, until the command starts. */
  #echo: Uint8Array[] = [];
  readonly #keys: TypedKeys;
  readonly #keyEcho = new KeyEcho((bytes) => this.#background.show(bytes, { isBoot: this.#phase === 'boot' }));
  /** The status of a command that is over, while keys typed during it have not been handed on. */
  #status: number | null = null;
  /** A Ctrl-C that came between the injection and the command's start. */
  #interruptEarly = false;
  /** Since when the shell should be on its way to the prompt. */
  #interruptedAt: number | null = null;
  /** Exported variables as of the last prompt, for a shell that takes this one's place; null before the end. */
  exports: string | null = null;
  /** A repair is typed but the prompt it brings has not come. */
  #repairing = false;
  readonly #secret: SecretPrompt;
  #exitCode: number | null = null;

  /** Starts the shell and returns at once; startup files run behind, lines wait for them. */
  static open(options: ShellOptions): Shell {
    return new Shell(options);
  }

  private constructor(options: ShellOptions) {
    const program = findShell({ program: options.program, env: options.env });
    this.#options = options;
    this.#cwd = options.cwd;
    this.#outer = toOuterTerminal(options.env);
    this.#secret = new SecretPrompt(options);
    this.#integration = integrationOf(program);
    this.#nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
    this.#scanner = new MarkScanner(this.#nonce);
    this.#files = new RuntimeFiles(options.runtimeDir);
    this.#lookup = new Lookup({ file: this.#files.names, exports: this.#files.exports, path: options.env.PATH ?? '' });
    this.#pty = startShell(program, options, {
      integration: this.#integration,
      files: this.#files,
      nonce: this.#nonce,
      onData: (bytes) => this.#receive(bytes),
      onExit: (code) => void this.#end(code),
    });
    this.#keys = new TypedKeys(this.#pty, (bytes) => options.onTypedAhead?.(bytes));
    this.#background = new Background(options, this.#files.report);
    this.#health = new Health(this.#pty, this.#integration.repair, options.onTrouble);
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

  /** Settles when no command runs, and nothing of ours before or after one. */
  async atRest(): Promise<void> {
    if (this.state === 'running') await new Promise<void>((resolve) => this.#waitingForRest.push(resolve));
  }

  /** The shell's directory as the system tells it, without links; null where it does not tell. */
  get directory(): string | null {
    return this.#pty.cwd;
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

  /** What the shell told when it last waited for a line: its own prompt and its jobs. */
  get report(): ShellReport {
    return this.#background.report;
  }

  /** The signal that ended the shell, or null. */
  get endSignal(): string | null {
    return this.#pty.endSignal;
  }

  /** Process group that has the terminal while a command runs, and whether keys make signals there; null when none runs. */
  get foreground(): { readonly group: number; readonly name: string; readonly isPlain: boolean } | null {
    const group = this.#phase === 'running' ? this.#pty.foreground : null;
    if (group === null) return null;
    return { group, name: this.#pty.foregroundName ?? 'the command', isPlain: this.#pty.isPlain };
  }

  /** Whether a line of ours would break nothing of what the command in the foreground shows. */
  get isAtLineStart(): boolean {
    return this.#current?.output.isAtLineStart ?? true;
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
    const command = new Command(line, options, (aborted) => this.#abort(aborted));
    this.#queue.push(command);
    if (options.signal?.aborted === true) this.#abort(command);
    this.#next();
    return command.settled;
  }

  /** Keys for the program in the foreground. They are recorded nowhere; when none runs they count as typed ahead. */
  write(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#phase === 'ended') return;
    this.#watch.sign();
    if (this.#current !== null && this.isAskingSecretly) this.#current.answered = true;
    if (this.#phase === 'injecting') this.#keys.hold(bytes);
    else if (this.#phase === 'running' || this.#phase === 'boot') this.#pty.write(bytes);
    else if (this.#phase === 'settling' && isCtrlC(bytes)) this.interrupt();
    else this.#keys.pass(bytes);
    if (isCtrlC(bytes) && this.#current !== null) this.#insist(this.#current);
  }

  /** Ctrl-C for what runs now, hooks of the person's prompt among it; nothing when nothing runs. */
  interrupt(): void {
    if (this.#phase === 'injecting') this.#interruptEarly = true;
    if (this.#phase !== 'running' && this.#phase !== 'boot' && this.#phase !== 'settling') return;
    this.#interruptedAt = performance.now();
    this.#watch.start();
    if (this.#phase === 'settling') this.#health.interruptHooks();
    else this.#pty.interrupt();
    if (this.#current !== null) this.#insist(this.#current);
  }

  /** Sends a signal to all of what runs in the foreground, the shell itself excepted; false when nothing does. */
  signalForeground(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): boolean {
    return this.#phase === 'running' && this.#pty.signalForeground(name);
  }

  /** A Ctrl-C in the moment a command starts may stop no more than our own function before it: it is sent once more. */
  #insist(command: Command): void {
    if (command.age > JUST_STARTED_MS) return;
    setTimeout(() => {
      const stillRuns = this.#current === command && this.#phase === 'running';
      if (stillRuns && this.#pty.foreground !== this.#pty.pid) this.#pty.interrupt();
    }, 2 * JUST_STARTED_MS);
  }

  resize(size: TerminalSize): void {
    this.#pty.resize(size);
  }

  /** What is known of the shell's names: for completion, and for who waits for more of it. */
  get lookups(): Lookup {
    return this.#lookup;
  }

  /** What the shell would take a line's first word for, as far as it is known; null when it knows no such thing. */
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

  #receive(bytes: Uint8Array): void {
    this.#watch.sign();
    for (const piece of this.#scanner.feed(bytes)) this.#take(piece);
    // Not before the end of what came: a command that is over already reads no keys.
    if (this.#phase === 'running') this.#keys.release();
  }

  #take(piece: Piece): void {
    if (piece.type === 'output') {
      this.#show(piece.bytes);
      return;
    }
    const [first = '', second = ''] = piece.fields;
    if (piece.kind === 'S') this.#onSourced(first);
    else if (piece.kind === 'C') this.#onStart();
    else if (piece.kind === 'D') this.#onDone(Number(first), second);
    else if (piece.kind === 'W') this.#onWaiting(first);
  }

  #show(bytes: Uint8Array): void {
    if (this.#phase === 'injecting') this.#echo.push(bytes.slice());
    else if (this.#phase !== 'running') this.#showOutside(bytes);
    else {
      this.#current?.output.add(bytes);
      this.#secret.end();
      this.#pump.write(bytes);
    }
  }

  #showOutside(bytes: Uint8Array): void {
    const shown = this.#repairing ? withoutLine(bytes, this.#integration.repair) : bytes;
    if (this.#phase === 'settling' && this.#keys.arePending) this.#keyEcho.keep(shown);
    else this.#keyEcho.take(shown);
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
    this.#current = command;
    this.#echo = [];
    this.#files.writeCommand(command.line, { keep: command.isRemembered });
    command.begin();
    this.#setPhase('injecting');
    this.#watch.start();
    this.#pty.writeLine(this.#integration.injection);
  }

  #onStart(): void {
    if (this.#phase !== 'injecting') return;
    this.#showEchoOutside();
    this.#setPhase('running');
    this.#secret.forget();
    this.#interruptedAt = null;
    this.#pump.write(formatOutputBegin(this.#outer));
    if (this.#interruptEarly) this.interrupt();
    this.#interruptEarly = false;
  }

  /** What came before the echo of our line is a background job's; the rest is noise of hooks that see every line. */
  #showEchoOutside(): void {
    const before = beforeLine(Buffer.concat(this.#echo.splice(0)), this.#integration.injection);
    if (before.length > 0) this.#showOutside(before);
  }

  #onDone(status: number, where: string): void {
    // A repair that turned out needless brings a prompt of its own before the line that is already typed.
    const wasRepair = this.#repairing && this.#phase === 'injecting';
    this.#repairing = false;
    if (wasRepair) return;
    this.#cwd = where === '' ? (this.#pty.cwd ?? this.#cwd) : where;
    // Whoever hears of the end takes the keys from then on: those before must have been handed on.
    if (this.#keys.arePending) this.#status = status;
    else if (this.#phase === 'injecting' || this.#phase === 'running') this.#finish(status);
    if (this.#phase !== 'boot') this.#setPhase('settling');
    this.#interruptedAt = performance.now();
  }

  /** All hooks are done, and the shell reads no line before we have answered. */
  #onWaiting(sequence: string): void {
    if (this.#phase === 'injecting' || this.#phase === 'running') this.#files.acknowledge(sequence);
    else this.#keys.handOver((typed) => this.#onReady(sequence, typed));
  }

  #onReady(sequence: string, typed: Uint8Array): void {
    if (this.#phase === 'ended') return;
    this.#keyEcho.settle(typed);
    this.#pty.settleModes();
    this.#files.acknowledge(sequence);
    this.#interruptedAt = null;
    this.#interruptEarly = false;
    this.#watch.stop();
    this.#lookup.refresh(sequence);
    this.#background.refresh();
    this.#health.forget();
    if (this.#current !== null) this.#finish(this.#status);
    this.#setPhase('ready');
    this.#next();
  }

  #finish(exit: number | null): void {
    const command = this.#current;
    this.#current = null;
    this.#status = null;
    if (command === null) return;
    this.#files.forgetCommand();
    const { isAlternate } = command.output;
    this.#pump.write(formatCommandEnd(exit, this.#cwd, { isAlternate, ...this.#outer }));
    const record = this.#toRecord(command, exit);
    void this.#pump.idle().then(() => command.settle(record));
  }

  #toRecord(command: Command, exit: number | null): CommandRecord {
    return command.toRecord({ exit, cwd: this.#cwd, conceal: this.conceal });
  }

  #abort(command: Command): void {
    if (command === this.#current) this.interrupt();
    if (!this.#queue.remove(command)) return;
    command.begin();
    command.settle(this.#toRecord(command, INTERRUPTED));
  }

  /** Nothing has happened for a while: is a password wanted, or have our hooks gone astray? */
  #look(quietMs: number): void {
    if (this.#phase === 'ended' || this.#phase === 'ready') {
      this.#watch.stop();
      return;
    }
    this.#secret.look(this.#pty.isAskingSecretly, () => this.#pty.foregroundName, this.#current?.line);
    const overdueMs = this.#interruptedAt === null ? null : performance.now() - this.#interruptedAt;
    const signs = { phase: this.#phase, quietMs, overdueMs, isRepairing: this.#repairing };
    if (this.#health.look(signs) === 'repairing') this.#repairing = true;
  }

  async #end(code: number | null): Promise<void> {
    const held = this.#scanner.flush();
    if (held.length > 0) this.#show(held);
    this.#keyEcho.settle(new Uint8Array(0));
    this.#exitCode = code;
    this.#watch.stop();
    this.#finish(this.#status ?? code);
    this.exports = readExports(this.#files.exports);
    for (const command of this.#queue.takeAll()) command.settle(this.#toRecord(command, null));
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
    if (this.state !== 'running') for (const resolve of this.#waitingForRest.splice(0)) resolve();
  }
}
