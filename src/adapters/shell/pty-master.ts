import { closeSync, readdirSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import type { SystemCalls } from '../system/system-calls.ts';

/**
 * Writes to a pseudo-terminal's master. Bun puts what it is given aside and writes it some moments later, so nobody knows when it is
 * through. Where our own descriptors can be looked through (Linux), a copy of Bun's is used: what was written is then in the kernel at
 * once. What does not fit goes to Bun, and so does everything behind it, until Bun says that all is through.
 */
export class PtyMaster {
  readonly #terminal: Bun.Terminal;
  #fd: number | null;
  #through = Promise.withResolvers<void>();
  #isThrough = true;
  #isClosed = false;

  constructor(terminal: Bun.Terminal, options: { number: number | null; calls: SystemCalls | null }) {
    const { number, calls } = options;
    this.#terminal = terminal;
    const found = number === null ? null : findMaster(number);
    this.#fd = found === null ? null : (calls?.duplicate(found) ?? null);
  }

  /** Whether all that was written is in the kernel. */
  get isThrough(): boolean {
    return this.#isThrough;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Settles when all that was written until now is in the kernel. */
  through(): Promise<void> {
    return this.#isThrough ? Promise.resolve() : this.#through.promise;
  }

  write(bytes: Uint8Array): void {
    if (this.#terminal.closed) return;
    const written = this.#isThrough ? this.#writeNow(bytes) : 0;
    if (written === bytes.length) return;
    this.#isThrough = false;
    this.#terminal.write(bytes.slice(written));
  }

  /** Bun has written all it had put aside. */
  drained(): void {
    this.#isThrough = true;
    this.#through.resolve();
    this.#through = Promise.withResolvers();
  }

  /** As long as it is open nobody on the other side is hung up. */
  close(): void {
    if (this.#fd !== null) closeSync(this.#fd);
    this.#fd = null;
    this.#isClosed = true;
    this.drained();
  }

  #writeNow(bytes: Uint8Array): number {
    if (this.#fd === null) return 0;
    try {
      return writeSync(this.#fd, bytes);
    } catch {
      // Full, for now: Bun waits until there is room.
      return 0;
    }
  }
}

/** Our descriptor of the master of that number; null where the system shows none. */
function findMaster(number: number): number | null {
  try {
    const masters = readdirSync('/proc/self/fd').filter((fd) => isMaster(fd, number));
    return masters.length === 0 ? null : Number(masters.at(-1));
  } catch {
    return null;
  }
}

function isMaster(fd: string, number: number): boolean {
  try {
    if (!readlinkSync(`/proc/self/fd/${fd}`).endsWith('/ptmx')) return false;
    const [, index] = /^tty-index:\s*(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8')) ?? [];
    return Number(index ?? -1) === number;
  } catch {
    // The descriptor through which the list was read is closed by now.
    return false;
  }
}
