import type { CommandRecord } from '../../protocol/command.ts';
import type { HaltReport } from '../../protocol/op.ts';
import type { TerminalSize, WordKind } from '../../protocol/query.ts';
import { withTimeout } from '../system/patience.ts';
import { Background, readExports, type ShellReport } from './background.ts';
import { Health, type Unresponsive } from './health.ts';
import { bash } from './integration/bash.ts';
import { fish } from './integration/fish.ts';
import type { Integration } from './integration/integration.ts';
import { zsh } from './integration/zsh.ts';
import { LineCycle } from './line-cycle.ts';
import { Lookup } from './lookup.ts';
import { badLine, shellEnded } from './messages.ts';
import { HALT_PATIENCE, haltShell, ModelProcesses } from './model-processes.ts';
import { OutputPump } from './output-pump.ts';
import { findShell, toShellKind } from './program.ts';
import { Pty } from './pty.ts';
import { RuntimeFiles } from './runtime-files.ts';
import { Command, type RunOptions, type ShellOptions, type ShellState } from './shell-options.ts';
import { HiddenLine, isCtrlC, TypedKeys } from './typed-keys.ts';

export type { RunOptions, ShellOptions, ShellState } from './shell-options.ts';

/** The time for showing the last output once the shell is gone. */
const LAST_OUTPUT_MS = 200;

/** The maximum wait, in milliseconds, for a shell to finish its prompt hooks before it is hung up. */
const HOOK_MS = 500;

/**
 * The user's own bash, zsh or fish, persistent, without a line editor of its own on the screen, on a pseudo-terminal. Lines of the user and of the model run in it
 * one after the other; while one runs, keys and output pass through untouched.
 */
export class Shell {
  readonly #options: ShellOptions;
  readonly #hasEditor: boolean;
  readonly #files: RuntimeFiles;
  readonly #pty: Pty;
  readonly #pump: OutputPump;
  readonly #lookup: Lookup;
  readonly #background: Background;
  readonly #keys: TypedKeys;
  readonly #health: Health;
  readonly #cycle: LineCycle;
  readonly #processes: ModelProcesses;
  readonly #ended = Promise.withResolvers<void>();
  /** Exported variables as of the last prompt, for a shell that takes this one's place; null before the end. */
  exports: string | null = null;
  #exitCode: number | null = null;
  readonly #hidden = new HiddenLine();
  #onSecret: ((typed: string) => void) | null = null;

  /** Starts the shell and returns at once; startup files run behind, lines wait for them. */
  static open(options: ShellOptions): Shell {
    return new Shell(options);
  }

  private constructor(options: ShellOptions) {
    const program = findShell({ program: options.program, env: options.env });
    const integration = { bash, zsh, fish }[toShellKind(program) ?? 'bash'];
    const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
    this.#options = options;
    this.#hasEditor = integration.editor !== null;
    this.#files = new RuntimeFiles(options.runtimeDir, integration.blank);
    const { names, exports, report } = this.#files;
    this.#lookup = new Lookup({ file: names, exports, path: options.env.PATH ?? '' });
    this.#pty = startShell(program, options, {
      integration,
      files: this.#files,
      nonce,
      onData: (bytes) => this.#cycle.receive(bytes),
      onExit: (code) => void this.#end(code),
    });
    this.#keys = new TypedKeys(this.#pty, (bytes) => options.onTypedAhead?.(bytes));
    this.#health = new Health(this.#pty, integration, options);
    this.#background = new Background(options, report);
    this.#processes = new ModelProcesses(this.#pty.pid, process.pid);
    const { calls } = this.#pty;
    const setFlow = (flowing: boolean): void => this.#pty.setFlow(flowing);
    this.#pump = new OutputPump({ terminal: options.terminal, calls, setFlow });
    this.#cycle = new LineCycle({
      options,
      integration,
      nonce,
      files: this.#files,
      pty: this.#pty,
      pump: this.#pump,
      keys: this.#keys,
      lookup: this.#lookup,
      background: this.#background,
      processes: this.#processes,
      health: this.#health,
    });
    this.#pty.settleModes();
  }

  get state(): ShellState {
    return this.#cycle.state;
  }

  /** The number of its process. */
  get pid(): number {
    return this.#pty.pid;
  }

  /** Settles when no command runs, and no line of aish before or after one. */
  atRest(): Promise<void> {
    return this.#cycle.atRest();
  }

  /** Settles when no startup file runs and no hook of the prompt, or the shell is over. A command that runs is not waited for. */
  settled(): Promise<void> {
    return this.#cycle.settled();
  }

  /** The shell's directory as the system tells it, without links; null where it does not tell. */
  get directory(): string | null {
    return this.#pty.cwd;
  }

  /** The shell's directory, as it calls it. */
  get cwd(): string {
    return this.#cycle.cwd;
  }

  /** False of a shell whose startup files are not over, or have ended it. */
  get hasStarted(): boolean {
    return this.#cycle.hasStarted;
  }

  /** The place in a startup file that ended the shell; null if that is unknown. */
  get startupPlace(): string | null {
    return this.#health.startupPlace;
  }

  /** Whether aish itself ended the shell, because of a fault. */
  get hasEndedByFault(): boolean {
    return this.#health.hasEnded;
  }

  /** Whether the user ended the shell, by a line such as `make && exit`, and no signal or startup file or command of the model did. */
  get wasLeft(): boolean {
    return (
      this.#cycle.endedUnder === 'user' && this.#cycle.hasStarted && this.#exitCode !== null && this.endSignal === null
    );
  }

  /** Whether the shell ended by itself while it waited for a line, as bash does after `TMOUT` seconds. */
  get hasLeft(): boolean {
    return (
      this.#cycle.endedUnder === null && this.#cycle.hasStarted && this.#exitCode !== null && this.endSignal === null
    );
  }

  /** With what status the shell ended; null while it lives or when a signal ended it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  /** Whether a program waits for a password now: only the user may type. */
  get isAskingSecretly(): boolean {
    return this.#cycle.current !== null && this.#pty.isAskingSecretly;
  }

  /** Name of the program that has the terminal; null where the system does not tell. */
  get foregroundName(): string | null {
    return this.#pty.foregroundName;
  }

  /** The shell's report when it last waited for a line: its own prompt and its jobs. */
  get report(): ShellReport {
    return this.#background.report;
  }

  /** The signal that ended the shell, or null. */
  get endSignal(): string | null {
    return this.#pty.endSignal;
  }

  /** The reason that the shell is silent, or was when it ended; null if it reports as it should. */
  get unresponsive(): Unresponsive | null {
    return this.#health.unresponsive;
  }

  /** Process group that has the terminal while a command runs, and whether keys make signals there; null when none runs. */
  get foreground(): { readonly group: number; readonly name: string; readonly isPlain: boolean } | null {
    const group = this.#cycle.phase === 'running' ? this.#pty.foreground : null;
    if (group === null) return null;
    return { group, name: this.#pty.foregroundName ?? 'the command', isPlain: this.#pty.isPlain };
  }

  /** Whether a line of aish would leave the output of the foreground command intact. */
  get isAtLineStart(): boolean {
    return this.#cycle.current?.output.isAtLineStart ?? true;
  }

  /** The newest line of the foreground command's output, such as a prompt: it is shown anew below a line of aish. */
  get openLine(): Uint8Array {
    return this.#cycle.current?.output.openLine ?? new Uint8Array(0);
  }

  /** Bytes of output that the terminal has not taken yet. */
  get queuedBytes(): number {
    return this.#pump.queued;
  }

  /**
   * Runs a line after those before it. Settles when it is done, stopped, called off, or the shell is gone; never rejects for what the
   * command does.
   */
  run(line: string, options: RunOptions): Promise<CommandRecord> {
    if (line.includes('\0')) throw badLine();
    if (this.#cycle.phase === 'ended') throw shellEnded();
    const command = new Command(line, options, (aborted) => this.#cycle.abort(aborted));
    this.#cycle.push(command);
    return command.settled;
  }

  /** Keys for the program in the foreground. They are recorded nowhere; when none runs they count as typed ahead. */
  write(bytes: Uint8Array): void {
    const { phase, current, interrupts } = this.#cycle;
    if (bytes.length === 0) return;
    if (this.#keys.areOver) {
      this.#keys.pass(bytes);
      return;
    }
    this.#cycle.sign();
    const isHidden = current !== null && this.isAskingSecretly;
    if (isHidden) current.answered = true;
    for (const secret of this.#hidden.take(bytes, { isHidden })) this.#onSecret?.(secret);
    if (isCtrlC(bytes) && (phase === 'boot' || phase === 'settling')) {
      this.interrupt();
      return;
    }
    if (phase === 'injecting') this.#keys.hold(bytes);
    else if (phase === 'running' || phase === 'boot') this.#pty.write(bytes);
    else this.#keys.pass(bytes);
    if (isCtrlC(bytes) && current !== null) interrupts.pressed(current);
  }

  /** Ctrl-C for what runs now, startup files and hooks of the user's prompt among it; nothing when nothing runs. */
  interrupt(): void {
    this.#cycle.interrupt();
  }

  /** Sends a signal to all of what runs in the foreground, the shell itself excepted; false when nothing does. */
  signalForeground(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): boolean {
    return this.#cycle.phase === 'running' && this.#pty.signalForeground(name);
  }

  /**
   * Ends all processes that commands of the model have started, in the background too, and brings the prompt back. Processes of the user go
   * on.
   */
  halt(patience = HALT_PATIENCE): Promise<HaltReport> {
    return haltShell(this.#pty, this.#cycle, this.#processes, patience);
  }

  /** Calls the listener with each line that is typed while a program has turned the echo off; null ends that. */
  hearSecrets(listener: ((typed: string) => void) | null): void {
    this.#onSecret = listener;
  }

  /** Sends the output of all commands to a listener, as it is shown; null ends that. The bytes are valid during the call only. */
  watch(listener: ((bytes: Uint8Array) => void) | null): void {
    this.#pump.watch = listener;
  }

  resize(size: TerminalSize): void {
    this.#pty.resize(size);
  }

  /** The known names of the shell: for completion, and for callers that wait for more of them. */
  get lookups(): Lookup {
    return this.#lookup;
  }

  /** The shell's meaning of a line's first word, as far as it is known; null when it knows no such thing. */
  lookup(word: string): WordKind | null {
    return this.#lookup.find(word, { cwd: this.cwd, home: this.#options.env.HOME });
  }

  /** Takes the secret of our marks out of a text that may leave this machine. */
  readonly redact = (text: string): string => this.#cycle.redact(text);

  /** The user gave up the line that was typed: a shell with handlers for that runs them. */
  cancelLine(): void {
    if (this.#isAwaited) this.#files.cancel();
  }

  /** A shell with a line editor waits for our word; it would not hear of a hang-up before that. */
  get #isAwaited(): boolean {
    return this.#hasEditor && this.state === 'ready';
  }

  /** Hangs the shell up and waits until it and its files are gone. */
  async close(): Promise<void> {
    // A bash that is hung up in a hook of its prompt does not save its history.
    if (this.state !== 'boot') await withTimeout(this.#atRest(), HOOK_MS);
    if (this.#isAwaited) this.#files.release();
    await this.#pty.close();
    await this.#ended.promise;
  }

  /** Settles when no hook of the prompt runs. The names are the last thing that our hook writes. */
  async #atRest(): Promise<void> {
    await this.settled();
    if (this.state === 'ready') await this.#lookup.known();
  }

  readonly [Symbol.asyncDispose] = (): Promise<void> => this.close();

  async #end(code: number | null): Promise<void> {
    this.#exitCode = code;
    this.#cycle.stop(code);
    this.exports = readExports(this.#files.exports);
    this.#files.close();
    await withTimeout(this.#pump.idle(), LAST_OUTPUT_MS);
    this.#pump.close();
    this.#cycle.end();
    this.#ended.resolve();
  }
}

/** The dependencies of a shell start. */
interface StartDeps {
  readonly integration: Integration;
  readonly files: RuntimeFiles;
  readonly nonce: string;
  readonly onData: (bytes: Uint8Array) => void;
  readonly onExit: (code: number | null) => void;
}

/** Starts the user's shell on a terminal of its own; without a shell its files go again. */
function startShell(program: string, options: ShellOptions, deps: StartDeps): Pty {
  try {
    return start(program, options, deps);
  } catch (error) {
    deps.files.close();
    throw error;
  }
}

function start(program: string, options: ShellOptions, { integration, files, nonce, onData, onExit }: StartDeps): Pty {
  const { env, cwd, size, login = false, withoutStartup = false, renderPrompt = false, restore = null } = options;
  const preparation = integration.prepare({ folder: files.folder, nonce, login, env, renderPrompt, withoutStartup });
  if (restore !== null) files.writeRestore(restore);
  files.writeStartFiles(preparation);
  return new Pty({
    command: [program, ...preparation.args],
    cwd,
    env: { ...env, ...preparation.env, SHELL: program, AISH: String(process.pid) },
    size,
    onData,
    onExit,
  });
}
