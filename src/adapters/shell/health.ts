import { diagnose, type Signs } from './ailment.ts';
import type { Integration } from './integration/integration.ts';
import type { Pty } from './pty.ts';

type RepairLines = Pick<Integration, 'repair' | 'complete'>;

/**
 * Looks after a shell of which nothing is heard. A line that removed our hooks and was then interrupted leaves it at a prompt we know
 * nothing of: our own short line puts the hooks back and brings the prompt again. One that a signal stopped goes on. One that does not
 * know our functions any more is ended, and whoever holds it starts another.
 */
export class Health {
  readonly #pty: Pty;
  readonly #lines: RepairLines;
  readonly #onTrouble: ((line: string) => void) | undefined;
  /** How often it was told that hooks of the prompt hang, and whether they were interrupted after that. */
  #told = 0;
  #interrupted = 0;

  constructor(pty: Pty, lines: RepairLines, onTrouble: ((line: string) => void) | undefined) {
    this.#pty = pty;
    this.#lines = lines;
    this.#onTrouble = onTrouble;
  }

  /** The shell waits for a line: whatever was wrong is over. */
  forget(): void {
    this.#told = 0;
    this.#interrupted = 0;
  }

  /** Ctrl-C while hooks of the prompt hang: those that come back after one cost the shell, so that there is a way out. */
  interruptHooks(): void {
    if (this.#told > 1) this.#pty.kill('SIGKILL');
    this.#pty.interrupt();
    this.#interrupted = this.#told;
  }

  /** Does what is needed. The answer is the line by which the shell now repairs itself, or null. */
  look(signs: Omit<Signs, 'isStopped' | 'isWaiting'>): string | null {
    const pty = this.#pty;
    switch (diagnose({ ...signs, isStopped: pty.isOwnerStopped, isWaiting: pty.isOwnerWaiting })) {
      case null:
        return null;
      case 'hooks-lost':
        return this.#type(this.#lines.repair);
      case 'startup-cut-short':
        return this.#type(this.#lines.complete);
      case 'stopped':
        this.#onTrouble?.('the shell was stopped by a signal; it goes on');
        pty.kill('SIGCONT');
        return null;
      case 'deaf':
        this.#onTrouble?.('the shell does not answer any more and is ended');
        pty.kill('SIGKILL');
        return null;
      case 'slow-hooks':
        this.#tellSlow();
        return null;
    }
  }

  #type(line: string): string {
    this.#pty.writeLine(line);
    return line;
  }

  #tellSlow(): void {
    if (this.#told > this.#interrupted) return;
    this.#told += 1;
    if (this.#told === 1) this.#onTrouble?.('hooks of the shell prompt are still at work; Ctrl-C stops them');
    else this.#onTrouble?.('the hooks of the prompt hang again; Ctrl-C ends this shell');
  }
}
