import { readFileSync, statSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import type { Integration } from './integration/integration.ts';
import * as messages from './messages.ts';
import { toShellKind } from './program.ts';
import type { Pty } from './pty.ts';
import type { Phase, ShellOptions } from './shell-options.ts';

type RepairLines = Pick<Integration, 'repair' | 'complete'>;
type Measured = 'isStopped' | 'isAsleep' | 'isWaiting' | 'replacedBy' | 'isReading' | 'isAtPrompt';

/** Why a shell without reports gets the keys: it lost its integration, or `exec` replaced it with a program. */
export type Unresponsive = { readonly why: 'lost' } | { readonly why: 'replaced'; readonly by: string };

/** Repairs before a shell counts as broken. */
const MOST_REPAIRS = 3;

/**
 * Handles a shell without reports. If an interrupted line removed aish's hooks, a short line puts them back and shows the prompt again. A
 * stopped shell is continued. A shell without aish's functions is killed, and its owner starts another. A shell that takes lines but
 * reports nothing, and a program that replaced it, get the keys: the user runs them.
 */
export class Health {
  readonly #pty: Pty;
  readonly #lines: RepairLines;
  readonly #onTrouble: ((line: string) => void) | undefined;
  /** Notices about slow hooks, and how many of them a Ctrl-C followed. */
  #notices = 0;
  #interrupted = 0;
  #repairs = 0;
  /** The line that aish typed last, and whether it may be typed once more. */
  #typed: string | null = null;
  #mayRepeat = false;
  #unresponsive: Unresponsive | null = null;
  readonly #home: string | undefined;
  /** Ends startup files that wait for input, once their place is known. */
  #skip: (() => void) | null = null;
  #startupPlace: string | null = null;
  #hasEnded = false;

  constructor(pty: Pty, lines: RepairLines, { onTrouble, env }: Pick<ShellOptions, 'onTrouble' | 'env'>) {
    this.#pty = pty;
    this.#lines = lines;
    this.#onTrouble = onTrouble;
    this.#home = env.HOME;
  }

  /** The place in a startup file that ended the shell or was interrupted; null if there is none, or if it is unknown. */
  get startupPlace(): string | null {
    return this.#startupPlace;
  }

  /** Whether aish itself ended the shell, because of a fault. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Takes a mark about a fault: a function removed, or the place in a startup file of an exit (`F`), or where it waits (`G`). */
  note(kind: string, first: string, second: string): void {
    if (kind === 'B') this.#onTrouble?.(messages.formatRemovedFunction(first));
    else if (second !== '') {
      const line = /^\d+$/.test(first) ? Number(first) : findLineOf(second, first);
      this.#startupPlace = formatStartupPlace(second, line, this.#home);
    }
    if (kind === 'G') this.#skipStartup();
  }

  #skipStartup(): void {
    if (this.#skip === null) return;
    this.#onTrouble?.(messages.formatStartupAsks(this.#startupPlace));
    this.#skip();
    this.#skip = null;
  }

  /** The shell waits for a line, so every fault is over. */
  forget(): void {
    this.#notices = 0;
    this.#interrupted = 0;
    this.#repairs = 0;
    this.#typed = null;
    this.#unresponsive = null;
  }

  /** Why the shell reports nothing; null while it reports. */
  get unresponsive(): Unresponsive | null {
    return this.#unresponsive;
  }

  /** A Ctrl-C drops hooks, and what the shell has not read yet: the user's keys are no reason to take the shell for broken. */
  noteInterrupt(): void {
    this.#mayRepeat = true;
    this.#repairs = 0;
  }

  /** Ctrl-C while prompt hooks hang. If they hang again, the second Ctrl-C kills the shell. */
  interruptHooks(): void {
    if (this.#notices > 1) this.#pty.kill('SIGKILL');
    this.#pty.interrupt();
    this.#interrupted = this.#notices;
  }

  /** Types a line of aish's, and once more if the shell never reads it. */
  type(line: string): string {
    this.#pty.writeLine(line);
    this.#typed = line;
    this.#mayRepeat = true;
    return line;
  }

  /** Handles a fault. Returns the line by which the shell repairs itself, or null. */
  look(signs: Omit<Signs, Measured>, interrupt: () => void): string | null {
    const pty = this.#pty;
    const { isOwnerAsleep: isAsleep, isOwnerWaiting: isWaiting, isOwnerStopped: isStopped, replacement } = pty;
    const replacedBy = replacement?.kind ?? null;
    const isReading = isWaiting && pty.isOwnerReading;
    const isAtPrompt = isReading && pty.isOwnerAtPrompt;
    const found = diagnose({ ...signs, isStopped, isAsleep, isWaiting, replacedBy, isReading, isAtPrompt });
    if (found === 'replaced') this.#leaveTo({ why: 'replaced', by: replacement?.name ?? '' });
    if (this.#unresponsive !== null && found !== 'stopped') return null;
    switch (found) {
      case null:
      case 'replaced':
        return null;
      case 'lost':
        this.#leaveTo({ why: 'lost' });
        return null;
      case 'hooks-lost':
        this.#repairs += 1;
        if (this.#repairs <= MOST_REPAIRS) return this.type(this.#lines.repair);
        this.#end(messages.UNRESPONSIVE);
        return null;
      case 'startup-cut-short':
        return this.type(this.#lines.complete);
      case 'unheard':
        if (this.#typed !== null && this.#mayRepeat) pty.writeLine(this.#typed);
        this.#mayRepeat = false;
        return null;
      case 'startup-asks':
        // The first time the shell is asked for the place, and a shell that says nothing is interrupted the next time.
        if (this.#skip === null) {
          this.#skip = interrupt;
          pty.kill('SIGURG');
        } else this.#skipStartup();
        return null;
      case 'restarted':
        this.#endReplaced(replacement?.name ?? 'another program', { replacedBy, phase: signs.phase });
        return null;
      case 'stopped':
        this.#onTrouble?.(messages.STOPPED);
        pty.kill('SIGCONT');
        return null;
      case 'unresponsive':
        this.#end(messages.UNRESPONSIVE);
        return null;
      case 'slow-hooks':
        this.#noteSlowHooks();
        return null;
    }
  }

  /** The keys go there already, so one notice is enough. */
  #leaveTo(unresponsive: Unresponsive): void {
    if (this.#unresponsive?.why === unresponsive.why) return;
    this.#unresponsive = unresponsive;
    this.#onTrouble?.(unresponsive.why === 'lost' ? messages.LOST : messages.formatReplaced(unresponsive.by));
  }

  #endReplaced(by: string, { replacedBy, phase }: Pick<Signs, 'replacedBy' | 'phase'>): void {
    const isOther = replacedBy === 'other' && toShellKind(by) !== null;
    this.#end(messages.formatRestarted(by, phase !== 'boot' ? 'later' : isOther ? 'starting a shell' : 'starting'));
  }

  #end(why: string): void {
    this.#hasEnded = true;
    this.#onTrouble?.(why);
    this.#pty.kill('SIGKILL');
  }

  #noteSlowHooks(): void {
    if (this.#notices > this.#interrupted) return;
    this.#notices += 1;
    this.#onTrouble?.(this.#notices === 1 ? messages.SLOW_HOOKS : messages.HOOKS_HANG);
  }
}

/** Larger startup files are not searched. */
const LARGEST = 1024 * 1024;

/** The place in a startup file, as `~/.bashrc:4`; without a line where only the file is known. */
function formatStartupPlace(file: string, line: number | null, home: string | undefined): string {
  const name = home !== undefined && file.startsWith(`${home}/`) ? `~${file.slice(home.length)}` : file;
  return line === null ? name : `line ${line} of ${name}`;
}

/** The line of a file where a command stands, if exactly one line contains it. */
function findLineOf(file: string, command: string): number | null {
  const text = attempt(() => (statSync(file).size <= LARGEST ? readFileSync(file, 'utf8') : ''), '');
  const found = text
    .split('\n')
    .flatMap((line, at) => (line.includes(command) && !line.trimStart().startsWith('#') ? [at + 1] : []));
  const [first, ...more] = found;
  return first !== undefined && more.length === 0 ? first : null;
}

type ShellFault =
  /** A signal stopped it, and only aish continues it. */
  | 'stopped'
  /** At a prompt without aish's hooks; aish's functions still exist. */
  | 'hooks-lost'
  /** As before, after an interrupt of its startup files: aish's setup after them did not run. */
  | 'startup-cut-short'
  /** It waits for a line although aish typed one: a Ctrl-C or another reader of the terminal took that. */
  | 'unheard'
  /** A startup file waits for input, but the user cannot type yet. */
  | 'startup-asks'
  /** `exec` replaced it with a program, which gets the keys. */
  | 'replaced'
  /** As before, but nobody can type to it, or it is the same shell: aish starts it again with its integration. */
  | 'restarted'
  /** It reads its next line while a command should run, so it reports no ends. */
  | 'lost'
  /** It read aish's line and did nothing, so aish's functions are gone. */
  | 'unresponsive'
  /** Hooks of the user's prompt run for long. */
  | 'slow-hooks';

/** Signs of a quiet shell. */
export interface Signs {
  readonly phase: Phase;
  /** Time since its last report. */
  readonly quietMs: number;
  /** Time since a Ctrl-C or the end of a command, if no prompt followed; else null. */
  readonly overdueMs: number | null;
  readonly isRepairing: boolean;
  readonly isStopped: boolean;
  /** It is in the foreground and sleeps. */
  readonly isAsleep: boolean;
  /** As before, and not for a child. */
  readonly isWaiting: boolean;
  /** Its startup files run. */
  readonly isStarting: boolean;
  /** The program that replaced it: the same kind of shell, or another. */
  readonly replacedBy: 'same' | 'other' | null;
  /** A program uses the alternate screen, where no notice can appear. */
  readonly isAlternate: boolean;
  /** It reads from the terminal; false where the system does not tell. */
  readonly isReading: boolean;
  /** It waits in the system call in which it waits for a line. */
  readonly isAtPrompt: boolean;
  /** The command that runs is the model's, which types nothing. */
  readonly isOfModel: boolean;
  /** A Ctrl-C may have stopped the hooks that would have reported the end of the command. */
  readonly mayLackHooks: boolean;
}

/** Time for an interrupted shell to show that it has aish's hooks. */
const REPAIR_AFTER_MS = 400;
/** Time between a line of aish's and its effect. */
const UNHEARD_AFTER_MS = 1000;
/** Time between aish's line and the start of the command; a hook may run in between. */
const UNRESPONSIVE_AFTER_MS = 3000;
/** Time that a startup file may wait for input. */
const ASKS_AFTER_MS = 2000;
const SLOW_AFTER_MS = 2000;
/** The time that a shell may wait for a line before the end of the command is reported. */
const LOST_AFTER_MS = 1000;

/** The fault of the shell; null while there is nothing to worry about. It looks at the shell once a second at least. */
export function diagnose(signs: Signs): ShellFault | null {
  const { phase, quietMs, overdueMs, isWaiting } = signs;
  if (phase === 'ready' || phase === 'ended') return null;
  if (signs.isStopped) return 'stopped';
  if (signs.replacedBy !== null) {
    if (!signs.isAsleep || signs.isAlternate || quietMs < REPAIR_AFTER_MS) return null;
    return signs.replacedBy === 'same' || phase !== 'running' ? 'restarted' : 'replaced';
  }
  const isSpokenTo = phase === 'injecting' || signs.isRepairing;
  if (isSpokenTo && quietMs >= UNRESPONSIVE_AFTER_MS && isWaiting) return 'unresponsive';
  if (isSpokenTo && quietMs >= UNHEARD_AFTER_MS && isWaiting && (signs.isRepairing || signs.isReading))
    return 'unheard';
  const isLate = overdueMs !== null && Math.min(overdueMs, quietMs) >= REPAIR_AFTER_MS && isWaiting;
  if (phase === 'running' && overdueMs === null && signs.isAtPrompt && quietMs >= LOST_AFTER_MS)
    return signs.mayLackHooks ? 'hooks-lost' : signs.isOfModel ? 'unresponsive' : 'lost';
  if (isLate && !signs.isRepairing) return phase === 'boot' ? 'startup-cut-short' : 'hooks-lost';
  if (signs.isStarting && overdueMs === null && isWaiting && quietMs >= ASKS_AFTER_MS) return 'startup-asks';
  return phase === 'settling' && overdueMs !== null && overdueMs >= SLOW_AFTER_MS ? 'slow-hooks' : null;
}

/** The first look comes soon after output stops, the following ones ever more rarely. */
const FIRST_MS = 40;
const LONGEST_MS = 1000;

/** Calls back while nothing happens: soon after the last sign of life, then at growing intervals. Costs one timer. */
export class QuietWatch {
  readonly #look: (quietMs: number) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastSign = 0;
  #wait = FIRST_MS;

  constructor(look: (quietMs: number) => void) {
    this.#look = look;
  }

  start(): void {
    this.sign();
    this.#wait = FIRST_MS;
    if (this.#timer === null) this.#later();
  }

  /** Something happened: looking starts over. Cheap enough for every piece of output. */
  sign(): void {
    this.#lastSign = performance.now();
    if (this.#wait > FIRST_MS && this.#timer !== null) {
      clearTimeout(this.#timer);
      this.#wait = FIRST_MS;
      this.#later();
    }
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  #later(): void {
    this.#timer = setTimeout(() => this.#tick(), this.#wait);
  }

  #tick(): void {
    const quiet = performance.now() - this.#lastSign;
    if (quiet >= FIRST_MS * 0.9) {
      this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
      this.#look(quiet);
    }
    if (this.#timer !== null) this.#later();
  }
}
