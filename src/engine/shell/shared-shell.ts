import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { projectAround } from '../../adapters/config/paths.ts';
import type { Shell } from '../../adapters/shell/shell.ts';
import type { CommandRecord, Driver } from '../../protocol/command.ts';
import { omitUndefined } from '../../protocol/json.ts';
import type { HaltReport } from '../../protocol/op.ts';
import type { SecretSearch } from '../secrets/secret-store.ts';
import { lazy } from './lazy.ts';
import { ENDED_BY_AISH, formatBrokenStart, formatExit, formatNewShell } from './messages.ts';
import type { SessionOutputs } from './session-outputs.ts';

interface OpenShellOptions {
  /** Skip the user's startup files. */
  readonly withoutStartup: boolean;
}

/** Opens the user's shell in a directory, with the exports of an earlier shell. */
export type OpenShell = (cwd: string, restore?: string | null, options?: OpenShellOptions) => Promise<Shell>;

interface SharedRunOptions {
  /** Keep no record, not even in the shell's history. */
  readonly isPrivate?: boolean;
  /** The line that the shell runs instead, which no history holds. */
  readonly expanded?: string | null;
  /** Exported variables that the command and what it starts do not get. */
  readonly withheld?: readonly string[];
}

/** The shared shell of a session: starts with the first command, and again in its last directory when it ends. */
export class SharedShell {
  #shell: Shell | null = null;
  #opening: Promise<Shell> | null = null;
  #cwd: string;
  /** The exports of the last shell, and how it ended. */
  #left: {
    readonly exports: string | null;
    readonly exit: string;
    readonly place: string | null;
    readonly isByUser: boolean;
  } | null = null;
  /** Startup files ended a shell of this session, so later shells skip them. */
  #isBrokenAtStart = false;
  #hasNotified = false;
  /** Receives the output of commands of any shell. */
  #watch: ((bytes: Uint8Array) => void) | null = null;
  /** Receives hidden input. */
  #onSecret: ((typed: string) => void) | null = null;
  readonly #open: OpenShell;
  readonly #outputs: SessionOutputs;

  constructor(open: OpenShell, cwd: string, outputs: SessionOutputs) {
    this.#open = open;
    this.#cwd = cwd;
    this.#outputs = outputs;
  }

  /** The shell's directory; before its start, the directory to start in. */
  get cwd(): string {
    return this.#live()?.cwd ?? this.#cwd;
  }

  /** As `cwd`, but as the system reports it: a trap may have changed it since the last prompt. */
  placeNow(): string {
    const { cwd } = this;
    const real = this.#live()?.directory ?? null;
    return real === null || isSamePlace(real, cwd) ? cwd : real;
  }

  /** The live shell; null before the first command. */
  get shell(): Shell | null {
    return this.#live();
  }

  /** How the last shell ended and what the next shell keeps; null if none ended. */
  get endNotice(): string | null {
    this.#live();
    if (this.#left === null) return null;
    const { exports, exit, place } = this.#left;
    if (this.#isBrokenAtStart && !this.#hasNotified) {
      this.#hasNotified = true;
      return formatBrokenStart(exit, place);
    }
    return formatNewShell(exit, this.#cwd, exports !== null);
  }

  /** The user ended the shell, as `exit` does. */
  get wasLeft(): boolean {
    this.#live();
    return this.#left?.isByUser ?? false;
  }

  /** Starts the shell if none runs. */
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
    this.#left = null;
    return this.#shell;
  }

  /**
   * Settles when the shell runs no startup file and no prompt hook, or has ended. Before that its directory, exports and aliases are
   * unknown, so no approval prompt appears.
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
    // A leading space keeps the line out of histories.
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

  /** Gives the shell to another owner, which closes it. */
  release(): Shell | null {
    const shell = this.#live();
    if (shell !== null) this.#cwd = shell.cwd;
    shell?.watch(null);
    shell?.hearSecrets(null);
    this.#shell = null;
    return shell;
  }

  /** Takes over a released shell. */
  adopt(shell: Shell): void {
    this.#shell = shell;
    shell.watch(this.#watch);
    shell.hearSecrets(this.#onSecret);
  }

  /** Passes the output of commands on; null ends that. The bytes are valid only during the call. */
  watch(listener: ((bytes: Uint8Array) => void) | null): void {
    this.#watch = listener;
    this.#live()?.watch(listener);
  }

  /** Passes on each line typed while the echo is off. */
  hearSecrets(listener: (typed: string) => void): void {
    this.#onSecret = listener;
    this.#live()?.hearSecrets(listener);
  }

  interrupt(): void {
    this.#live()?.interrupt();
  }

  /** Ends all processes of the model's commands in the shell. */
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
    const { cwd, exports, endSignal, exitCode, hasStarted, startupPlace, unresponsive, wasLeft, hasEndedByFault } =
      this.#shell;
    this.#isBrokenAtStart ||= !hasStarted;
    this.#cwd = nearestFolder(cwd);
    const program = unresponsive?.why === 'replaced' ? unresponsive.by : 'the shell';
    const ended = hasEndedByFault ? ENDED_BY_AISH : formatExit(program, endSignal, exitCode);
    const exit = this.#cwd === cwd ? ended : `${ended}, and ${cwd} no longer exists`;
    this.#left = { exports, exit, place: startupPlace, isByUser: wasLeft };
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

/**
 * Sources of a session's secrets: the shell's directory and exports, and the files that the command `ran` names. `ran` is empty
 * for an older log, whose secrets must all be known at once.
 */
export async function toSecretSearch(
  sharedShell: Pick<SharedShell, 'shell' | 'cwd'>,
  home: string,
  ran?: string,
  parsed = new ParsedExports(),
): Promise<SecretSearch> {
  const place = { ...toSecretContext(sharedShell, home), ...omitUndefined({ ran }) };
  const printed = readExports(sharedShell);
  return printed === '' ? place : { ...place, exports: await parsed.of(printed) };
}

/** Exports as variables; most prompts print what the one before them printed. */
export class ParsedExports {
  #printed = '';
  #exports: Readonly<Record<string, string>> = {};

  /** The variables in a text of exports. The same text gives the same object again. */
  async of(printed: string): Promise<Readonly<Record<string, string>>> {
    if (printed === this.#printed) return this.#exports;
    const { parseExports } = await lazy.exports();
    this.#printed = printed;
    this.#exports = parseExports(printed);
    return this.#exports;
  }
}

/** The same without the exports. */
export function toSecretContext({ cwd }: Pick<SharedShell, 'cwd'>, home: string) {
  return { cwd, project: projectAround(cwd, home), home };
}

/** The exports of the shell at its last prompt, as it printed them; empty without a prompt. */
export function readExports({ shell }: Pick<SharedShell, 'shell'>): string {
  return shell?.lookups.exports ?? '';
}
