import type { Command } from './command-queue.ts';
import type { Health } from './health.ts';
import type { Phase } from './phase.ts';
import type { Pty } from './pty.ts';

const JUST_STARTED_MS = 40;
/** What a shell says of a command that Ctrl-C stopped. */
export const INTERRUPTED = 130;

/** What runs, as far as a Ctrl-C goes by it. */
export interface InterruptView {
  readonly phase: Phase;
  readonly current: Command | null;
  /** Whether the shell knows our functions and has read on: the person's startup files run from then on. */
  readonly isSourced: boolean;
}

/** Ctrl-C, at whatever moment it comes: before a command has begun, as it begins, while it runs, and while hooks of the prompt run. */
export class Interrupts {
  readonly #pty: Pty;
  readonly #health: Health;
  readonly #view: InterruptView;
  /** One came between the injection and the command's start. */
  #isEarly = false;
  /** When that one was sent after all. */
  #sentLateAt: number | null = null;
  #dueSince: number | null = null;

  constructor(parts: { pty: Pty; health: Health; view: InterruptView }) {
    this.#pty = parts.pty;
    this.#health = parts.health;
    this.#view = parts.view;
  }

  /** For how long the shell should have been on its way to the prompt; null when it need not. */
  get overdueMs(): number | null {
    return this.#dueSince === null ? null : performance.now() - this.#dueSince;
  }

  /** Interrupts what runs now; false when nothing does that could be. A shell that reads what is ours would lose that. */
  send(): boolean {
    const { phase, current, isSourced } = this.#view;
    if (phase === 'injecting') this.#isEarly = true;
    const isBooting = phase === 'boot' && isSourced;
    if (phase !== 'running' && phase !== 'settling' && !isBooting) return false;
    this.expectPrompt();
    if (phase === 'settling') this.#health.interruptHooks();
    else this.#pty.interrupt();
    if (current !== null) this.insist(current);
    return true;
  }

  /** A Ctrl-C in the moment a command starts may stop no more than our own function before it: it is sent once more. */
  insist(command: Command): void {
    if (command.age > JUST_STARTED_MS) return;
    setTimeout(() => {
      const stillRuns = this.#view.current === command && this.#view.phase === 'running';
      if (stillRuns && this.#pty.foreground !== this.#pty.pid) this.#pty.interrupt();
    }, 2 * JUST_STARTED_MS);
  }

  /** The command has begun: the answer is whether one waits for that. */
  takeEarly(): boolean {
    const wasEarly = this.#isEarly;
    this.#isEarly = false;
    this.#sentLateAt = wasEarly ? performance.now() : null;
    this.#dueSince = null;
    return wasEarly;
  }

  /** What a command ended with: one that was stopped before it did anything leaves the status of the one before it. */
  toExit(status: number | null): number | null {
    const sentAt = this.#sentLateAt;
    this.#sentLateAt = null;
    const isFresh = sentAt !== null && performance.now() - sentAt < 2 * JUST_STARTED_MS;
    return isFresh && status === 0 ? INTERRUPTED : status;
  }

  /** The shell's prompt is to come soon. */
  expectPrompt(): void {
    this.#dueSince = performance.now();
  }

  /** The prompt is there. */
  forget(): void {
    this.#isEarly = false;
    this.#dueSince = null;
  }
}
