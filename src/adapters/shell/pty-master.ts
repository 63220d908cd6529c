import { closeSync, readdirSync, readFileSync, readlinkSync, readSync, writeSync } from 'node:fs';
import { attempt } from '../../core/text/attempt.ts';
import { withTimeout } from '../system/patience.ts';
import type { SystemCalls } from '../system/system-calls.ts';

/**
 * Writes to a pseudo-terminal's master. Bun queues its input and writes it some moments later, so the end of a write is unknown. If aish
 * can look through its own descriptors (Linux), it uses a copy of Bun's descriptor: the written bytes are then in the kernel at once. The
 * rest goes to Bun, and so does everything behind it, until Bun reports that all is through.
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

  /** As long as it is open no process on the other side is hung up. */
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

/** How often a full terminal is read until what lies before it is through. */
const ROUND_MS = 5;
const LINE_END = 0x0a;
const ENTER = 0x0d;
const NOTHING = 0x00;
const END_OF_FILE = 0x04;

/** Both ends of a terminal: the slave is closed after the master. */
interface TerminalEnds {
  readonly slave: number;
  readonly calls: SystemCalls;
  readonly master: PtyMaster;
}

/**
 * Takes back keys that were typed while a command ran and that no program read. They are in the terminal's queue, half a line of them
 * hidden until Enter; without line editing (raw) all of them can be read. If they stayed there, the shell would execute them. It is called
 * while the shell waits for aish and runs nothing: a shell that looks at the modes or a program that reads would get in between. Reading
 * until the queue is empty also waits for keys that the kernel still carries over, so when all was written before, nothing comes after. If
 * the rest is not written yet, because the queue was full, it returns a promise.
 */
export function takeBackTypedAhead({ slave, calls, master }: TerminalEnds): Uint8Array | Promise<Uint8Array> {
  const before = calls.setRaw(slave);
  if (before === null) return new Uint8Array(0);
  const first = readAvailable(slave);
  if (!master.isThrough) return takeRest([first], { slave, calls, master }, before);
  calls.setModes(slave, before);
  return asTyped(first);
}

async function takeRest(taken: Uint8Array[], ends: TerminalEnds, before: Uint8Array): Promise<Uint8Array> {
  const { slave, calls, master } = ends;
  while (!master.isThrough) {
    await withTimeout(master.through(), ROUND_MS);
    if (master.isClosed) return asTyped(Buffer.concat(taken));
    taken.push(readAvailable(slave));
  }
  calls.setModes(slave, before);
  return asTyped(Buffer.concat(taken));
}

/** The kernel has made a line end of Enter and nothing of Ctrl-D; the editor knows the keys. */
function asTyped(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte) => (byte === LINE_END ? ENTER : byte === NOTHING ? END_OF_FILE : byte));
}

function readAvailable(slave: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (;;) {
    const buffer = new Uint8Array(4096);
    const count = tryRead(slave, buffer);
    if (count <= 0) return parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
    parts.push(buffer.subarray(0, count));
  }
}

function tryRead(slave: number, buffer: Uint8Array): number {
  // Nothing left (the descriptor does not block), or the terminal is gone: both mean the same here.
  return attempt(() => readSync(slave, buffer), 0);
}
