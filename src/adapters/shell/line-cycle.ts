import type { Driver } from '../../protocol/command.ts';
import type { CycleDeps } from './cycle-deps.ts';
import { QuietWatch } from './health.ts';
import { INTERRUPTED, Interrupts } from './interrupts.ts';
import * as outer from './outer-marks.ts';
import { beforeLine, EditorOutput, KeyEcho, MarkScanner, ProposedOutput, UnendedLine, withoutLine } from './output.ts';
import { type Command, type Phase, type ShellState, toState } from './shell-options.ts';
import { SecretPrompt } from './typed-keys.ts';

/** The way of lines through the shell, one after the other: from the queue into the shell, through its run, and back to the prompt. */
export class LineCycle {
  readonly #deps: CycleDeps;
  readonly #scanner: MarkScanner;
  readonly #outer: outer.OuterTerminal;
  readonly #watch = new QuietWatch((quietMs) => this.#look(quietMs));
  /** Lines that wait for those before them. */
  readonly #queue = new Set<Command>();
  readonly #secret: SecretPrompt;
  readonly #keyEcho: KeyEcho;
  readonly #waitingForRest: (() => void)[] = [];
  readonly interrupts: Interrupts;
  #phase: Phase = 'boot';
  #isSourced: boolean;
  #hasStarted = false;
  #cwd: string;
  #current: Command | null = null;
  /** The driver of the command that ended last. */
  #last: Driver | null = null;
  /** The filter between a command of the model and the terminal. */
  #proposed: ProposedOutput | null = null;
  /** The output of the shell's line editor, for a shell that has one. */
  readonly #editor: EditorOutput | null;
  readonly #unended = new UnendedLine();
  /** The terminal's echo of aish's own line, until the command starts. */
  #echo: Uint8Array[] = [];
  /** Lines that went into the shell. The newest is known by this number, there and here. */
  #number = 0;
  /** The status of a command that is over, while keys typed during it have not been handed on. */
  #status: number | null = null;
  /** The prompt that waits for our answer, the newest one. */
  #waiting: string | null = null;
  /** The newest prompt that was answered, or is about to be. */
  #answered: string | null = null;
  /** The shell itself shows a prompt that we could not take away. */
  #showsPrompt = false;
  /** The repair line that aish sent to the shell, until the prompt it brings has come. */
  #repairing: string | null = null;
  #endedUnder: Driver | null = null;

  constructor(deps: CycleDeps) {
    const { options, integration, pty, health, background } = deps;
    this.#deps = deps;
    this.#scanner = MarkScanner.ofShell(deps.nonce);
    this.#outer = outer.toOuterTerminal(options.env);
    this.#editor = integration.editor === null ? null : new EditorOutput(integration.editor);
    this.#cwd = options.cwd;
    // A shell with its editor reads our functions behind the user's files.
    this.#isSourced = integration.editor !== null;
    this.#secret = new SecretPrompt(options);
    this.#keyEcho = new KeyEcho((bytes) => background.show(bytes, { isBoot: this.#phase === 'boot' }));
    this.interrupts = new Interrupts({ pty, health, dropsHooks: integration.dropsHooks, view: this });
    this.#watch.start();
  }

  get phase(): Phase {
    return this.#phase;
  }

  get state(): ShellState {
    return toState(this.#phase);
  }

  /** Whether the shell knows our functions and has read on: the user's startup files run from then on. */
  get isSourced(): boolean {
    return this.#isSourced;
  }

  /** Whether it ever waited for a line: its startup files are over. */
  get hasStarted(): boolean {
    return this.#hasStarted;
  }

  /** The command that is in the shell; null between two. */
  get current(): Command | null {
    return this.#current;
  }

  /** The shell's directory, as it calls it. */
  get cwd(): string {
    return this.#cwd;
  }

  /** Settles when no command runs, no startup file any more, and no line of aish before or after one. */
  async atRest(): Promise<void> {
    if (this.state === 'running' || this.state === 'boot')
      await new Promise<void>((resolve) => this.#waitingForRest.push(resolve));
  }

  /** Settles when no startup file runs and no hook of the prompt, or the shell is over. A command that runs is not waited for. */
  async settled(): Promise<void> {
    if (this.#phase === 'boot' || this.#phase === 'settling')
      await new Promise<void>((resolve) => this.#waitingForRest.push(resolve));
  }

  /** A line that runs after those before it. */
  push(command: Command): void {
    this.#queue.add(command);
    if (command.options.signal?.aborted === true) this.abort(command);
    this.#next();
  }

  /** Calls a line off, or interrupts it where it runs. */
  abort(command: Command): void {
    if (command === this.#current) this.interrupt();
    if (this.#queue.delete(command)) this.#callOff(command);
  }

  interrupt(): void {
    // Lines that wait behind startup files are cancelled with them, as every shell does with text typed ahead.
    if (this.#phase === 'boot') for (const command of this.#queue) this.abort(command);
    if (this.interrupts.send()) this.#watch.start();
  }

  /** Keys were typed, so something may be about to happen. */
  sign(): void {
    this.#notePlace();
    this.#watch.sign();
  }

  /** An unresponsive shell reports no directory, but the next shell must start there. */
  #notePlace(): void {
    if (this.#deps.health.unresponsive !== null) this.#cwd = this.#deps.pty.cwd ?? this.#cwd;
  }

  /** Takes the output of the shell's terminal. */
  receive(bytes: Uint8Array): void {
    this.#watch.sign();
    for (const piece of this.#scanner.feed(bytes)) {
      if (piece.type === 'mark') this.#obey(piece.kind, piece.fields);
      else this.#show(this.#editor?.take(piece.bytes) ?? piece.bytes);
    }
    // Not before the end of what came: a command that is over already reads no keys.
    if (this.#phase === 'running') this.#deps.keys.release();
  }

  /** The driver of the command that was in the shell when it ended; null if there was none. */
  get endedUnder(): Driver | null {
    return this.#endedUnder;
  }

  /** The shell is gone: nothing more comes, and nothing more runs. */
  stop(code: number | null): void {
    // A line editor says that the line is over before the shell ends.
    const last = this.#editor !== null && this.#phase === 'settling' ? this.#last : null;
    this.#endedUnder = this.#current?.options.driver ?? last;
    this.#show(this.#scanner.flush());
    this.#keyEcho.take(this.#unended.drop());
    this.#keyEcho.settle(new Uint8Array(0));
    this.#watch.stop();
    this.#finish(this.#status ?? code);
    this.#deps.keys.end();
  }

  /** The last output is shown. Lines that came until now never run. */
  end(): void {
    this.#setPhase('ended');
    for (const command of this.#queue) this.#settle(command, null);
  }

  /** Takes the secret of our marks out of a text: `set` and `set -x` show our variables, and a record may leave this machine. */
  readonly redact = (text: string): string => text.replaceAll(this.#deps.nonce, '…');

  /** A mark says where the shell stands. */
  #obey(kind: string, [first = '', second = '']: readonly string[]): void {
    if (kind === 'S') this.#onSourced(first);
    else if (kind === 'R') this.#isSourced = true;
    else if (kind === 'C') this.#onStart();
    else if (kind === 'D') this.#onEnd(Number(first), second);
    else if (kind === 'W') this.#onWaiting(first);
    else if (kind === 'P') this.#showsPrompt = true;
    else if (kind === 'Q') this.#deps.background.takePrompt(this.#deps.files.takePrompt(first));
    else if (kind === 'N') this.#showEchoOutside();
    else if (/^[BFG]$/.test(kind)) this.#deps.health.note(kind, first, second);
    else if (kind === 'T')
      this.#deps.pump.lead(outer.formatTitle([first, second].filter(Boolean).join(';'), this.#outer));
    else if (kind === 'X') this.#cwd = [first, second].join(second === '' ? '' : ';');
  }

  #show(bytes: Uint8Array): void {
    if (this.#phase === 'injecting') this.#echo.push(bytes.slice());
    else if (this.#phase !== 'running') this.#showOutside(bytes);
    else if (bytes.length > 0) {
      const own = this.#withoutRepair(bytes);
      this.#secret.end();
      this.#deps.pump.write(this.#proposed === null ? own : this.#proposed.push(own));
      this.#current?.output.add(own);
    }
  }

  #showOutside(bytes: Uint8Array): void {
    const { keys } = this.#deps;
    const own = this.#withoutRepair(bytes);
    // Behind a Ctrl-C the shell's own prompt may come, before there is another.
    const mayBePrompt = this.#showsPrompt || this.interrupts.mayBringPrompt;
    const shown = mayBePrompt ? this.#unended.take(own) : own;
    if (this.#phase === 'settling' && keys.arePending) this.#keyEcho.keep(shown);
    else this.#keyEcho.take(shown);
  }

  /** Shows the output that was held until it was known to be no drawing of the editor. */
  #showHeld(): void {
    this.#show(this.#editor?.flush() ?? new Uint8Array(0));
  }

  #withoutRepair(bytes: Uint8Array): Uint8Array {
    return this.#repairing === null ? bytes : withoutLine(bytes, this.#repairing);
  }

  /** The shell has read the nonce; its file goes before anything of the user's runs. */
  #onSourced(tty: string): void {
    const { files, pty } = this.#deps;
    files.removeSecret();
    if (tty !== '') pty.adoptSlave(tty);
    files.acknowledge('0');
  }

  #next(): void {
    if (this.#phase !== 'ready') return;
    const { files, pty, health, integration } = this.#deps;
    const [command] = this.#queue;
    if (command === undefined) return;
    this.#queue.delete(command);
    this.#current = command;
    this.#echo = [];
    pty.learnPrompt();
    const { withheld = [] } = command.options;
    const entry = integration.toEntry(command.line);
    this.#number += 1;
    files.writeCommand(command.line, { number: this.#number, keep: command.isRemembered, entry, withheld });
    command.begin();
    if (command.options.driver === 'model') this.#deps.processes.begin();
    this.#setPhase('injecting');
    this.#watch.start();
    if (this.#editor !== null) files.release();
    health.type(integration.injection);
  }

  #onStart(): void {
    if (this.#phase !== 'injecting') return;
    this.#deps.files.forgetCommand();
    this.#showEchoOutside();
    this.#editor?.lead();
    if (this.#showsPrompt) this.#unended.drop();
    this.#showsPrompt = false;
    this.#setPhase('running');
    this.#secret.forget();
    this.#deps.pump.lead(outer.formatOutputBegin(this.#outer));
    const isProposed = this.#current?.options.driver === 'model';
    this.#proposed = isProposed ? new ProposedOutput(() => this.#deps.pty.isReadingKeys) : null;
    if (this.interrupts.takeEarly()) this.interrupt();
  }

  /** Output before the echo of aish's line, or before a line editor has the terminal, is a background job's; the rest is noise. */
  #showEchoOutside(): void {
    const echo = Buffer.concat(this.#echo.splice(0));
    const before = this.#editor === null ? beforeLine(echo, this.#deps.integration.injection) : echo;
    if (before.length > 0) this.#showOutside(before);
    this.#editor?.draw();
  }

  /**
   * A line is over, says the shell: while another one is on its way, one before it, of which a Ctrl-C or a repair brought the prompt again.
   */
  #onEnd(status: number, numberAndWhere: string): void {
    this.#repairing = null;
    const [number = ''] = numberAndWhere.split(';', 1);
    if (this.#phase === 'injecting' && Number(number) !== this.#number) return;
    this.#onDone(status, numberAndWhere.slice(number.length + 1));
  }

  #onDone(status: number, where: string): void {
    const { pty, keys } = this.#deps;
    if (this.#phase === 'running') this.#showHeld();
    this.#editor?.trail();
    this.#cwd = where === '' ? (pty.cwd ?? this.#cwd) : where;
    // A client that learns of the end takes the keys from then on: earlier keys must be passed on before.
    if (keys.arePending) this.#status = status;
    else if (this.#phase === 'injecting' || this.#phase === 'running') this.#finish(status);
    if (this.#phase !== 'boot') this.#setPhase('settling');
    this.interrupts.expectPrompt();
  }

  /** All hooks are done, and the shell reads no line before we have answered. */
  #onWaiting(sequence: string): void {
    // A shell that got the query twice may have answered before, too.
    if (sequence === this.#answered) return;
    const { files, keys, integration } = this.#deps;
    // At a Ctrl-C the kernel drops the bytes on their way to aish: the mark of an end that came at once may be among them.
    if (this.#phase === 'running') this.#onDone(INTERRUPTED, '');
    this.#answered = sequence;
    if (this.#phase === 'injecting') {
      files.acknowledge(sequence);
      if (this.#editor !== null) files.release();
      return;
    }
    const isTakingBack = this.#waiting !== null;
    this.#waiting = sequence;
    if (!isTakingBack) keys.takeTyped([integration.repair, integration.complete], (typed) => this.#onReady(typed));
  }

  #onReady(typed: Uint8Array): void {
    if (this.#phase === 'ended') return;
    const { pty, files, lookup, background, health } = this.#deps;
    const sequence = this.#waiting ?? '';
    this.#hasStarted = true;
    this.#showHeld();
    this.#waiting = null;
    this.#keyEcho.take(this.#unended.drop());
    this.#keyEcho.settle(typed);
    // A line editor sets them itself, each time anew.
    if (this.#editor === null) pty.settleModes();
    files.acknowledge(sequence);
    this.#repairing = null;
    this.interrupts.forget();
    this.#watch.stop();
    lookup.refresh(sequence);
    background.refresh();
    health.forget();
    if (this.#current !== null) this.#finish(this.#status);
    this.#setPhase('ready');
    this.#next();
  }

  #finish(status: number | null): void {
    const command = this.#current;
    this.#current = null;
    this.#status = null;
    if (command === null) return;
    this.#last = command.options.driver;
    const { files, pump, processes } = this.#deps;
    if (command.options.driver === 'model') processes.end();
    files.forgetCommand();
    // A command of the model has left the alternate screen by then, if it was given one.
    const isAlternate = this.#proposed === null && command.output.isAlternate;
    this.#secret.end();
    if (this.#proposed !== null) pump.write(this.#proposed.end());
    this.#proposed = null;
    const record = command.toRecord({ exit: status, cwd: this.#cwd, redact: this.redact });
    const exit = this.interrupts.toExit(record);
    pump.write(outer.formatCommandEnd(exit, this.#cwd, { isAlternate, ...this.#outer }));
    void pump.idle().then(() => command.settle({ ...record, exit }));
  }

  #callOff(command: Command): void {
    command.begin();
    this.#settle(command, INTERRUPTED);
  }

  #settle(command: Command, exit: number | null): void {
    command.settle(command.toRecord({ exit, cwd: this.#cwd, redact: this.redact }));
  }

  /** Nothing has happened for a while: is a password wanted, or have our hooks gone astray? */
  #look(quietMs: number): void {
    const isOver = this.#phase === 'ended' || this.#phase === 'ready';
    if (isOver) this.#watch.stop();
    if (isOver) return;
    const { pty, health, files } = this.#deps;
    this.#secret.look(pty.isAskingSecretly, () => pty.foregroundName, this.#current?.line);
    const { overdueMs } = this.interrupts;
    // That may have been the word that it waits for us.
    if (this.interrupts.mayHaveCost) files.askAgain();
    const repair = health.look(
      {
        phase: this.#phase,
        quietMs,
        overdueMs,
        isRepairing: this.#repairing !== null,
        isStarting: this.#phase === 'boot' && this.#isSourced,
        isAlternate: this.#current?.output.isAlternate ?? false,
        isOfModel: this.#current?.options.driver === 'model',
        mayLackHooks: this.interrupts.mayHaveDroppedHooks,
      },
      () => void this.interrupts.send(),
    );
    this.#notePlace();
    if (repair !== null) this.#unended.drop();
    this.#repairing = repair ?? this.#repairing;
  }

  #setPhase(phase: Phase): void {
    const before = this.state;
    this.#phase = phase;
    if (this.state !== before) this.#deps.options.onState?.(this.state);
    if (this.state !== 'running') for (const resolve of this.#waitingForRest.splice(0)) resolve();
  }
}
