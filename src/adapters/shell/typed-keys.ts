import type { Pty } from './pty.ts';

/**
 * Keys around the beginning and the end of a command, in the order in which they were typed. Those that come before a command has begun
 * wait for it. Those that come after its end, while earlier ones may still lie in the terminal, wait until these are taken back.
 */
export class TypedKeys {
  readonly #pty: Pty;
  readonly #deliver: (bytes: Uint8Array) => void;
  #held: Uint8Array[] = [];

  constructor(pty: Pty, deliver: (bytes: Uint8Array) => void) {
    this.#pty = pty;
    this.#deliver = deliver;
  }

  /** Whether keys are on their way that no program has read. */
  get arePending(): boolean {
    return this.#held.length > 0 || this.#pty.mayHoldKeys;
  }

  hold(bytes: Uint8Array): void {
    this.#held.push(bytes.slice());
  }

  /** For a command that has ended: to whoever is next, behind those before them. */
  pass(bytes: Uint8Array): void {
    if (this.arePending) this.hold(bytes);
    else this.#deliver(bytes);
  }

  /** The command has begun. */
  release(): void {
    for (const bytes of this.#held.splice(0)) this.#pty.write(bytes);
  }

  /** The shell waits for us: everything typed until now is handed on after `before` was called with it, at once where nothing has to be waited for. */
  handOver(before: (typed: Uint8Array) => void): void {
    const taken = this.#pty.takeBack();
    if (taken instanceof Promise) void taken.then((bytes) => this.#finish(bytes, before));
    else this.#finish(taken, before);
  }

  #finish(taken: Uint8Array, before: (typed: Uint8Array) => void): void {
    const typed = Buffer.concat([taken, ...this.#held.splice(0)]);
    before(typed);
    if (typed.length > 0) this.#deliver(typed);
  }
}

/** Whether what was typed is Ctrl-C and nothing else. */
export function isCtrlC(bytes: Uint8Array): boolean {
  return bytes.length === 1 && bytes[0] === 0x03;
}
