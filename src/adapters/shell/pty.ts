import { closeSync, constants, openSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import type { TerminalSize } from '../../protocol/query.ts';
import {
  commandLineOf,
  directoryOf,
  foregroundOf,
  hasChildInGroup,
  nameOf,
  readingPlaceOf,
  stateOf,
  terminalNumberOf,
} from '../system/process-table.ts';
import { signal } from '../system/processes.ts';
import { describeStartFault } from '../system/start-fault.ts';
import { type SystemCalls, systemCalls } from '../system/system-calls.ts';
import { noTerminal, notStarted } from './messages.ts';
import { toShellKind } from './program.ts';
import { PtyMaster, takeBackTypedAhead } from './pty-master.ts';

interface PtyOptions {
  readonly command: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly size: TerminalSize;
  readonly onData: (bytes: Uint8Array) => void;
  /** Exit status, or null when a signal ended the program. Comes after its last output. */
  readonly onExit: (code: number | null) => void;
}

const MAC = process.platform === 'darwin';
/** The few mode bits we look at; on every platform ECHO is 8 and OPOST is 1. */
const ECHO = 0x8;
const ICANON = MAC ? 0x100 : 0x2;
const ISIG = MAC ? 0x80 : 0x1;
const ICRNL = 0x100;
const OPOST = 0x1;
/** How long the last output may take to come through after the program's end. */
const LAST_OUTPUT_MS = 50;

/**
 * A program on a pseudo-terminal of its own. We hold the program's side (the slave) open as well: through it output is paused, typed-ahead
 * input is taken back, and terminal modes are put right. Because of that the master never sees its end; the process's exit is what counts.
 */
export class Pty {
  readonly pid: number;
  readonly #process: Bun.Subprocess;
  readonly #terminal: Bun.Terminal;
  readonly #calls: SystemCalls | null;
  readonly #drained = Promise.withResolvers<void>();
  readonly #gone: Promise<void>;
  readonly #master: PtyMaster;
  readonly #command: readonly string[];
  #promptPlace: string | null = null;
  #slave: number | null;
  #sane: Uint8Array | null = null;
  /** Keys went out since aish last took typed-ahead keys back. */
  #mayHoldKeys = false;

  constructor(options: PtyOptions) {
    this.#calls = systemCalls();
    this.#command = options.command;
    this.#process = spawn(options, { onEnd: () => this.#drained.resolve(), onDrain: () => this.#master.drained() });
    const { terminal } = this.#process;
    if (terminal === undefined) throw noTerminal();
    this.#terminal = terminal;
    this.pid = this.#process.pid;
    const number = terminalNumberOf(this.pid);
    this.#slave = number === null ? null : tryOpen(`/dev/pts/${number}`);
    this.#master = new PtyMaster(terminal, { number, calls: this.#calls });
    this.#gone = this.#watch(options.onExit);
  }

  /** The system calls of the kernel here; null on a platform without a known libc. */
  get calls(): SystemCalls | null {
    return this.#calls;
  }

  /** Opens the slave by name, where the system shows no descriptors of other processes. */
  adoptSlave(path: string): void {
    this.#slave ??= tryOpen(path);
  }

  /** Writes a line of aish for the shell. */
  writeLine(line: string): void {
    this.#master.write(Buffer.from(line));
  }

  /** Keys of the user. */
  write(keys: Uint8Array): void {
    this.#mayHoldKeys = true;
    this.#master.write(keys);
  }

  resize(size: TerminalSize): void {
    if (!this.#terminal.closed) this.#terminal.resize(size.columns, size.rows);
  }

  /** Stops (false) or lets go on (true) what programs write; the user's own Ctrl-S is another switch. */
  setFlow(flowing: boolean): void {
    if (this.#slave !== null) this.#calls?.setOutputFlow(this.#slave, flowing);
  }

  /** Whether keys may lie in the terminal that no program has read. */
  get mayHoldKeys(): boolean {
    return this.#mayHoldKeys;
  }

  /** The keys that no program has read; the started program must wait for aish meanwhile. */
  takeBack(): Uint8Array | Promise<Uint8Array> {
    const held = this.#mayHoldKeys;
    this.#mayHoldKeys = false;
    if (!held || this.#slave === null || this.#calls === null) return new Uint8Array(0);
    return takeBackTypedAhead({ slave: this.#slave, calls: this.#calls, master: this.#master });
  }

  /** Keeps the terminal's modes while they are usable, and puts the last usable ones back when a program left others behind. */
  settleModes(): void {
    if (this.#slave === null || this.#calls === null || this.#terminal.closed) return;
    const { localFlags, inputFlags, outputFlags } = this.#terminal;
    const usable = has(localFlags, ECHO | ICANON | ISIG) && has(inputFlags, ICRNL) && has(outputFlags, OPOST);
    if (usable) this.#sane = this.#calls.getModes(this.#slave);
    else if (this.#sane !== null) this.#calls.setModes(this.#slave, this.#sane);
  }

  /** Echo off while lines are still edited: what a program sets that asks for a password. */
  get isAskingSecretly(): boolean {
    if (this.#terminal.closed) return false;
    const flags = this.#terminal.localFlags;
    return has(flags, ICANON) && !has(flags, ECHO);
  }

  /** Lines are not edited: a program reads single keys, as those do that a user uses with a whole screen. */
  get isReadingKeys(): boolean {
    return !this.#terminal.closed && !has(this.#terminal.localFlags, ICANON);
  }

  /** Sends what Ctrl-C sends: to all of the foreground group, also where the program reads keys itself. */
  interrupt(): void {
    if (this.#terminal.closed) return;
    const group = this.foreground;
    if (has(this.#terminal.localFlags, ISIG) || group === null) this.writeLine('\x03');
    else signal(-group, 'SIGINT') || this.writeLine('\x03');
  }

  /** The process group that has the terminal; null where the system does not tell. */
  get foreground(): number | null {
    return foregroundOf(this.pid);
  }

  /** The physical directory of the program we started, or null. */
  get cwd(): string | null {
    return directoryOf(this.pid);
  }

  /** Whether the program we started has the terminal itself and sleeps. */
  get isOwnerAsleep(): boolean {
    return this.foreground === this.pid && stateOf(this.pid) === 'S';
  }

  /** Whether the program we started has the terminal itself and waits, and not for a child. */
  get isOwnerWaiting(): boolean {
    return this.isOwnerAsleep && !hasChildInGroup(this.pid);
  }

  /** The shell is at its prompt: where in its program it waits for a line there is kept, if it waits already. */
  learnPrompt(): void {
    this.#promptPlace ??= readingPlaceOf(this.pid);
  }

  /** Whether the program we started reads from its terminal; false where that is not known. */
  get isOwnerReading(): boolean {
    return readingPlaceOf(this.pid) !== null;
  }

  /** Whether the program we started waits where it waits for a line at its prompt; false where that is not known. */
  get isOwnerAtPrompt(): boolean {
    return this.#promptPlace !== null && readingPlaceOf(this.pid) === this.#promptPlace;
  }

  /** The program that `exec` put in the place of the shell, and whether it is the same kind of shell, reading lines; null for none. */
  get replacement(): { readonly kind: 'same' | 'other'; readonly name: string } | null {
    const [program, ...rest] = commandLineOf(this.pid) ?? [];
    const [own = '', ...started] = this.#command;
    if (program === undefined || rest.join('\0') === started.join('\0')) return null;
    const isSame =
      toShellKind(program) === toShellKind(own) && rest.every((word) => /^[-+]/.test(word) && word !== '-c');
    return { kind: isSame ? 'same' : 'other', name: nameOf(this.pid) ?? program };
  }

  /** Whether a signal stopped the program we started. */
  get isOwnerStopped(): boolean {
    return stateOf(this.pid) === 'T';
  }

  /** Whether lines are edited by the kernel and keys make signals: no program reads Ctrl-C as a key. */
  get isPlain(): boolean {
    return !this.#terminal.closed && has(this.#terminal.localFlags, ICANON | ISIG);
  }

  /** The signal that ended the program, or null. */
  get endSignal(): string | null {
    const { signalCode } = this.#process;
    return signalCode === null ? null : String(signalCode);
  }

  kill(name: 'SIGCONT' | 'SIGKILL' | 'SIGURG'): void {
    this.#process.kill(name);
  }

  /** Signals all of the group that has the terminal; false when that is the program we started itself. */
  signalForeground(name: 'SIGINT' | 'SIGTERM' | 'SIGKILL'): boolean {
    const group = this.foreground;
    return group !== null && group !== this.pid && signal(-group, name);
  }

  /** Name of the program that has the terminal, or null. */
  get foregroundName(): string | null {
    const group = this.foreground;
    return group === null ? null : nameOf(group);
  }

  /** Hangs up, as closing a terminal window does, and waits until the program is gone; by force if need be. */
  async close(): Promise<void> {
    const group = this.foreground;
    this.setFlow(true);
    this.#closeOurs();
    this.#terminal.close();
    this.#process.kill('SIGCONT');
    const force = setTimeout(() => {
      if (group !== null && group !== this.pid) signal(-group, 'SIGKILL');
      this.#process.kill('SIGKILL');
    }, 1000);
    await this.#gone;
    clearTimeout(force);
  }

  async #watch(onExit: (code: number | null) => void): Promise<void> {
    await this.#process.exited;
    this.#closeOurs();
    const late = setTimeout(this.#drained.resolve, LAST_OUTPUT_MS);
    if (!this.#terminal.closed) await this.#drained.promise;
    clearTimeout(late);
    if (!this.#terminal.closed) this.#terminal.close();
    onExit(this.#process.signalCode === null ? this.#process.exitCode : null);
  }

  #closeOurs(): void {
    this.#master.close();
    if (this.#slave !== null) closeSync(this.#slave);
    this.#slave = null;
  }
}

function spawn(options: PtyOptions, { onEnd, onDrain }: { onEnd: () => void; onDrain: () => void }): Bun.Subprocess {
  const { columns, rows } = options.size;
  try {
    return Bun.spawn([...options.command], {
      cwd: options.cwd,
      env: { ...options.env },
      // A terminal made beforehand would not become the controlling one: no job control, no Ctrl-C.
      terminal: { cols: columns, rows, data: (_terminal, bytes) => options.onData(bytes), drain: onDrain, exit: onEnd },
    });
  } catch (cause) {
    const { why, hint } = describeStartFault(cause);
    throw notStarted(options.command[0] ?? '', options.cwd, why, hint, cause);
  }
}

/** Close-on-exec comes with every descriptor opened here, so no child inherits it; reading never blocks. */
function tryOpen(path: string): number | null {
  return attempt(() => openSync(path, constants.O_RDWR | constants.O_NOCTTY | constants.O_NONBLOCK), null);
}

function has(flags: number, bits: number): boolean {
  return (flags & bits) === bits;
}
