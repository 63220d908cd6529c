import type { CommandRecord } from '../../protocol/command.ts';
import type { Health } from './health.ts';
import type { Pty } from './pty.ts';
import type { Command, Phase } from './shell-options.ts';

const JUST_STARTED_MS = 40;
/** The time after a Ctrl-C in which a command may get the terminal, on a busy machine too; later it would meet another command. */
const INSIST_MS = 2000;
/** The most time that a shell takes for its prompt, if it goes there. */
const FOLLOW_MS = 400;
/** The exit status that a shell gives a command stopped by Ctrl-C. */
export const INTERRUPTED = 130;

/** The running work, as far as a Ctrl-C depends on it. */
export interface InterruptView {
  readonly phase: Phase;
  readonly current: Command | null;
  /** Whether the shell knows our functions and has read on: the user's startup files run from then on. */
  readonly isSourced: boolean;
}

/** The dependencies that deliver a Ctrl-C. */
export interface InterruptDeps {
  readonly pty: Pick<Pty, 'interrupt' | 'foreground' | 'pid' | 'isOwnerWaiting'>;
  readonly health: Pick<Health, 'interruptHooks' | 'noteInterrupt'>;
  readonly dropsHooks: boolean;
  readonly view: InterruptView;
}

/** Ctrl-C, at whatever moment it comes: before a command has begun, as it begins, while it runs, and while hooks of the prompt run. */
export class Interrupts {
  readonly #pty: InterruptDeps['pty'];
  readonly #health: InterruptDeps['health'];
  readonly #dropsHooks: boolean;
  readonly #view: InterruptView;
  /** One came between the injection and the command's start. */
  #isEarly = false;
  /** When the command began that runs, by its mark: its way into the shell takes long on a busy machine. */
  #startedAt = 0;
  /** When one was sent to a command that had just begun. */
  #sentSoonAt: number | null = null;
  /** A key was one, so a prompt may come. */
  #isFollowed = false;
  /** One waits for hooks of the prompt that take their time. */
  #forHooks: ReturnType<typeof setTimeout> | null = null;
  #dueSince: number | null = null;
  #hasStoppedHooks = false;

  constructor({ pty, health, dropsHooks, view }: InterruptDeps) {
    this.#dropsHooks = dropsHooks;
    this.#pty = pty;
    this.#health = health;
    this.#view = view;
  }

  /** For how long the shell should have been on its way to the prompt; null when it need not. */
  get overdueMs(): number | null {
    return this.#dueSince === null ? null : performance.now() - this.#dueSince;
  }

  /** Whether the shell may show its own prompt: a Ctrl-C has stopped its startup files, or hooks of its prompt. */
  get mayBringPrompt(): boolean {
    return this.#view.phase === 'boot' ? this.#dueSince !== null : this.#hasStoppedHooks;
  }

  /** Whether a Ctrl-C may have stopped the hooks that would have reported the end of the command. */
  get mayHaveDroppedHooks(): boolean {
    return this.#dropsHooks && this.#isFollowed;
  }

  /** Whether a Ctrl-C may have cost aish the shell's report: the kernel drops the bytes on their way. */
  get mayHaveCost(): boolean {
    return this.#dueSince !== null || this.#isFollowed;
  }

  /** Interrupts the running work; false when nothing runs that could be interrupted. A shell that reads aish's text would lose it. */
  send(): boolean {
    const { phase, current, isSourced } = this.#view;
    if (phase === 'injecting') this.#isEarly = true;
    const isBooting = phase === 'boot' && isSourced;
    if (phase !== 'running' && phase !== 'settling' && !isBooting) return false;
    this.expectPrompt();
    this.#health.noteInterrupt();
    if (phase === 'settling') this.#interruptHooks();
    else this.#pty.interrupt();
    if (current !== null) this.#escalate(current);
    return true;
  }

  /** A key was one, and is on its way to the command or waits for it to begin. */
  pressed(command: Command): void {
    this.#health.noteInterrupt();
    this.#escalate(command);
    this.#follow(command);
  }

  /** Most are over by then; a Ctrl-C that comes as late as that would meet the next line. */
  #interruptHooks(): void {
    this.#forHooks ??= setTimeout(() => {
      this.#forHooks = null;
      if (this.#view.phase !== 'settling') return;
      this.#hasStoppedHooks = true;
      this.#health.interruptHooks();
    }, JUST_STARTED_MS);
  }

  /** A Ctrl-C in the moment a command starts may stop no more than our own function before it: it is sent once more. */
  #escalate(command: Command): void {
    const now = performance.now();
    if (this.#view.phase === 'running' && now - this.#startedAt > JUST_STARTED_MS) return;
    this.#sentSoonAt = now;
    this.#sendAgain(command, now + INSIST_MS);
  }

  #sendAgain(command: Command, until: number): void {
    setTimeout(() => {
      const { current, phase } = this.#view;
      const now = performance.now();
      if (current !== command || now > until) return;
      // The command was over before aish learned that it had begun: the key is for the hooks behind it.
      if (phase === 'settling') return this.#interruptHooks();
      if (phase !== 'injecting' && phase !== 'running') return;
      // The command is over, and the shell waits for a line: what gets the terminal next is something else.
      if (now - until + INSIST_MS >= FOLLOW_MS && phase === 'running' && this.#pty.isOwnerWaiting) return;
      if (phase === 'injecting' || this.#pty.foreground === this.#pty.pid) this.#sendAgain(command, until);
      else {
        this.#sentSoonAt = now;
        this.#health.noteInterrupt();
        this.#pty.interrupt();
      }
    }, 2 * JUST_STARTED_MS);
  }

  /** It may come as the command ends, and stop no more than the hooks that would tell us of that. */
  #follow(command: Command): void {
    this.#isFollowed = true;
    if (this.#dropsHooks) this.#lookForPrompt(command, performance.now());
  }

  /** A shell on a busy machine may be on its way there at the first look. */
  #lookForPrompt(command: Command, pressedAt: number): void {
    setTimeout(() => {
      const stillRuns = this.#view.current === command && this.#view.phase === 'running';
      if (!stillRuns || this.#dueSince !== null) return;
      if (this.#pty.isOwnerWaiting) this.expectPrompt(pressedAt);
      else if (performance.now() - pressedAt < INSIST_MS) this.#lookForPrompt(command, pressedAt);
    }, FOLLOW_MS);
  }

  /** The command has begun: the answer is whether one waits for that. */
  takeEarly(): boolean {
    const wasEarly = this.#isEarly;
    this.#isEarly = false;
    this.#dueSince = null;
    this.#startedAt = performance.now();
    return wasEarly;
  }

  /** The exit status of a command: a command stopped before it did anything leaves the status of the one before it. */
  toExit({ exit, output }: CommandRecord): number | null {
    const sentAt = this.#sentSoonAt;
    this.#sentSoonAt = null;
    const wasStopped = sentAt !== null && performance.now() - sentAt < 2 * JUST_STARTED_MS && /^[\n^C]*$/.test(output);
    return exit === 0 && wasStopped ? INTERRUPTED : exit;
  }

  /** The shell's prompt is to come soon. */
  expectPrompt(since = performance.now()): void {
    this.#dueSince = since;
  }

  /** The prompt is there. */
  forget(): void {
    if (this.#forHooks !== null) clearTimeout(this.#forHooks);
    this.#forHooks = null;
    this.#hasStoppedHooks = false;
    this.#isFollowed = false;
    this.#isEarly = false;
    this.#dueSince = null;
  }
}
