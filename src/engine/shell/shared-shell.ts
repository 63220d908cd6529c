import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Shell } from '../../adapters/shell/shell.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import type { HaltReport } from '../../protocol/op.ts';
import type { SessionOutputs } from './session-outputs.ts';

/** How a shell is opened in the place of one that ended. */
interface OpenShellOptions {
  /** The user's own startup files are left out. */
  readonly withoutStartup: boolean;
}

/** Opens the user's shell in a directory, with what a shell before it exported. */
export type OpenShell = (cwd: string, restore?: string | null, options?: OpenShellOptions) => Promise<Shell>;

/** What is special about a run. */
interface SharedRunOptions {
  /** Nothing of it is kept, not even in the shell's own history. */
  readonly isPrivate?: boolean;
  /** What the shell runs in place of the line; its own history holds neither. */
  readonly expanded?: string | null;
  /** Exported variables that the command and what it starts do not get. */
  readonly withheld?: readonly string[];
}

const STARTUP_FILE = 'a startup file (such as ~/.bashrc or ~/.zshrc)';
const MEND = 'mend the file and start aish again';

/** The session's one shared shell: started with the first command, started again where it was when it ended. */
export class SharedShell {
  #shell: Shell | null = null;
  #opening: Promise<Shell> | null = null;
  #hasRun = false;
  #cwd: string;
  /** What the shell exported that ended last, and how it ended. */
  #left: { readonly exports: string | null; readonly how: string; readonly isByUser: boolean } | null = null;
  /** Startup files ended a shell of this session: those after it go without. */
  #isBrokenAtStart = false;
  #isTold = false;
  /** Told of what commands show, whichever shell it is. */
  #watch: ((bytes: Uint8Array) => void) | null = null;
  /** Told of what is typed where the echo is off. */
  #onSecret: ((typed: string) => void) | null = null;
  readonly #open: OpenShell;
  readonly #outputs: SessionOutputs;

  constructor(open: OpenShell, cwd: string, outputs: SessionOutputs) {
    this.#open = open;
    this.#cwd = cwd;
    this.#outputs = outputs;
  }

  /** The shell's present directory; before its start, where it will begin. */
  get cwd(): string {
    return this.#live()?.cwd ?? this.#cwd;
  }

  /** As `cwd`, but what the system says, should the shell have gone elsewhere since its last prompt: by a trap, for one. */
  placeNow(): string {
    const { cwd } = this;
    const real = this.#live()?.directory ?? null;
    return real === null || isSamePlace(real, cwd) ? cwd : real;
  }

  /** The live shell, or null before the first command. */
  get shell(): Shell | null {
    return this.#live();
  }

  /** A shell has been here before. */
  get hasRun(): boolean {
    return this.#hasRun;
  }

  /** How the last shell ended and what the one in its place has of it; null when none ended. */
  get lastWords(): string | null {
    this.#live();
    if (this.#left === null) return null;
    const { exports, how } = this.#left;
    if (this.#isBrokenAtStart && !this.#isTold) {
      this.#isTold = true;
      return `${how} in ${STARTUP_FILE}, so it starts without your startup files; ${MEND}`;
    }
    const kept = exports === null ? 'the environment is that of the start' : 'exported variables are kept';
    return `${how}; a new shell starts in ${this.#cwd}: ${kept}, functions, aliases and options are not`;
  }

  /** The user ended the shell, as `exit` does. */
  get wasLeft(): boolean {
    this.#live();
    return this.#left?.isByUser ?? false;
  }

  /** Starts the shell if none is there. */
  async start(): Promise<Shell> {
    const live = this.#live();
    if (live !== null) return live;
    const options = { withoutStartup: this.#isBrokenAtStart };
    this.#opening ??= this.#open(this.#cwd, this.#left?.exports ?? null, options).finally(() => {
      this.#opening = null;
    });
    this.#shell = await this.#opening;
    this.#shell.watch(this.#watch);
    this.#shell.hearSecrets(this.#onSecret);
    this.#hasRun = true;
    this.#left = null;
    return this.#shell;
  }

  /**
   * Settles when the shell that is there runs no startup file and no hook of its prompt, or is over. Before, nobody knows where the shell
   * will
   * stand, what it exports and what its words mean, so nothing is shown for an approval.
   */
  async settled(): Promise<void> {
    const shell = (await this.#opening?.catch(() => null)) ?? this.#live();
    await shell?.settled();
  }

  /** Runs a line and keeps its output; commands of both drivers wait for each other. */
  async run(line: string, driver: Driver, signal: AbortSignal, options: SharedRunOptions = {}): Promise<CommandRecord> {
    const { isPrivate = false, expanded = null, withheld = [] } = options;
    const shell = await this.start();
    const output = isPrivate ? null : this.#outputs.begin();
    const remember = !isPrivate && expanded === null;
    // Hooks of other programs keep what they see, but by custom nothing that a blank begins.
    const typed = isPrivate ? ` ${expanded ?? line}` : (expanded ?? line);
    const ran = await shell.run(typed, {
      driver,
      signal,
      remember,
      withheld,
      onOutput: output?.write,
      redact: this.#outputs.redact,
    });
    this.#cwd = ran.cwd;
    const record = { ...ran, line };
    return output === null ? record : output.finish(record);
  }

  /** Gives the shell away as it is; this one closes it no more. */
  release(): Shell | null {
    const shell = this.#live();
    if (shell !== null) this.#cwd = shell.cwd;
    shell?.watch(null);
    shell?.hearSecrets(null);
    this.#shell = null;
    return shell;
  }

  /** Takes over a shell that another one released. */
  adopt(shell: Shell): void {
    this.#shell = shell;
    this.#hasRun = true;
    shell.watch(this.#watch);
    shell.hearSecrets(this.#onSecret);
  }

  /** Tells somebody of all that commands show; null ends that. The bytes are valid during the call only. */
  watch(listener: ((bytes: Uint8Array) => void) | null): void {
    this.#watch = listener;
    this.#live()?.watch(listener);
  }

  /** Tells somebody of each line that is typed where a program turned the echo off. */
  hearSecrets(listener: (typed: string) => void): void {
    this.#onSecret = listener;
    this.#live()?.hearSecrets(listener);
  }

  interrupt(): void {
    this.#live()?.interrupt();
  }

  /** Ends all that the model's commands have started in the shell. */
  async halt(): Promise<HaltReport> {
    return (await this.#live()?.halt()) ?? { ended: 0, left: [] };
  }

  async close(): Promise<void> {
    const shell = (await this.#opening?.catch(() => null)) ?? this.#shell;
    this.#shell = null;
    await shell?.close();
  }

  #live(): Shell | null {
    if (this.#shell === null || this.#shell.state !== 'ended') return this.#shell;
    const { cwd, exports, endSignal, exitCode, hasStarted, unresponsive, wasLeft } = this.#shell;
    this.#isBrokenAtStart ||= !hasStarted;
    this.#cwd = nearestFolder(cwd);
    const what = unresponsive?.why === 'replaced' ? unresponsive.by : 'the shell';
    const how = `${what} ${endSignal === null ? `ended with status ${exitCode ?? '?'}` : `was killed (${endSignal})`}`;
    this.#left = { exports, how: this.#cwd === cwd ? how : `${how}, and ${cwd} is gone`, isByUser: wasLeft };
    this.#shell = null;
    return null;
  }
}

/** The folder itself, or the first above it that is there. */
function nearestFolder(path: string): string {
  return existsSync(path) || path === dirname(path) ? path : nearestFolder(dirname(path));
}

/** A place has as many names as links lead to it. */
function isSamePlace(one: string, other: string): boolean {
  if (one === other) return true;
  try {
    const [here, there] = [statSync(one), statSync(other)];
    return here.ino === there.ino && here.dev === there.dev;
  } catch {
    return false;
  }
}
