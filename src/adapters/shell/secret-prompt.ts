import type { ShellOptions } from './shell-options.ts';

/** Notices when a program begins to read a line without echo, and when that is over. */
export class SecretPrompt {
  readonly #options: Pick<ShellOptions, 'onPasswordWanted' | 'onPasswordOver'>;
  #isTold = false;

  constructor(options: Pick<ShellOptions, 'onPasswordWanted' | 'onPasswordOver'>) {
    this.#options = options;
  }

  /** Whether a program asks now, and which: by its name, or by the line it was started with where the system tells none. */
  look(isAsking: boolean, program: () => string | null, line = ''): void {
    if (isAsking && !this.#isTold) this.#options.onPasswordWanted?.(program() ?? line.trim().split(/\s/, 1)[0] ?? '');
    // The line was read, and nothing has been shown since: the notice is where it was put.
    if (!isAsking) this.end();
    this.#isTold = isAsking;
  }

  /** Something is about to be shown, or the command has ended. */
  end(): void {
    if (this.#isTold) this.#options.onPasswordOver?.();
    this.#isTold = false;
  }

  /** A command begins. */
  forget(): void {
    this.#isTold = false;
  }
}
