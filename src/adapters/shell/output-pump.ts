import { writeSync } from 'node:fs';
import { errorCode } from '../../protocol/error.ts';
import type { SystemCalls } from '../system/system-calls.ts';

/** The destination of output when the terminal is slow, and the functions that stop its source. */
interface PumpOptions {
  /** A descriptor that does not block; null if there is no terminal. */
  readonly terminal: number | null;
  readonly calls: SystemCalls | null;
  /** Stops (false) or lets go on (true) the programs that write. */
  readonly setFlow: (flowing: boolean) => void;
}

const STOP_ABOVE = 256 * 1024;
const GO_ON_BELOW = 64 * 1024;
/** Long enough for a terminal that reads to take the next piece, short enough for the keyboard not to notice. */
const PATIENCE_MS = 8;
/** Text that belongs before an output waits so long for it. */
const LEAD_MS = 2;
const NOTHING = new Uint8Array(0);

/**
 * Writes output to a terminal that may read slowly or not at all. The rest is queued, and past a bound the writing programs are stopped in
 * the kernel: memory stays flat, and because nothing here blocks, Ctrl-C still gets through.
 */
export class OutputPump {
  readonly #options: PumpOptions;
  #queue: Uint8Array[] = [];
  #queued = 0;
  #stopped = false;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #gone = false;
  #lead: Uint8Array = NOTHING;
  #leadTimer: ReturnType<typeof setTimeout> | null = null;
  #idle: (() => void)[] = [];
  /** Another receiver of the output, apart from the terminal. The bytes are valid during the call only. */
  watch: ((bytes: Uint8Array) => void) | null = null;

  constructor(options: PumpOptions) {
    this.#options = options;
    this.#gone = options.terminal === null;
  }

  /** Bytes that wait for the terminal. */
  get queued(): number {
    return this.#queued;
  }

  /** Writes this with the next output, or soon: most output follows at once, and the terminal is woken once for both. */
  lead(bytes: Uint8Array): void {
    this.#flushLead();
    if (bytes.length === 0) return;
    this.#lead = bytes;
    this.#leadTimer = setTimeout(() => this.#flushLead(), LEAD_MS);
  }

  /** Writes what the terminal takes now and keeps a copy of the rest. */
  write(bytes: Uint8Array): void {
    if (this.#lead.length > 0 && bytes.length > 0) this.#write(Buffer.concat([this.#takeLead(), bytes]));
    else this.#write(bytes);
  }

  #write(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#show(bytes);
    this.watch?.(bytes);
  }

  #show(bytes: Uint8Array): void {
    if (this.#gone) return;
    const taken = this.#queued === 0 ? this.#writeNow(bytes) : 0;
    if (taken === bytes.length || this.#gone) return;
    this.#queue.push(bytes.slice(taken));
    this.#queued += bytes.length - taken;
    if (this.#queued > STOP_ABOVE && !this.#stopped) {
      // The kernel loses the line end that is being written as it stops the writer. Unread so long, it has filled its terminal and sleeps.
      Bun.sleepSync(PATIENCE_MS);
      this.#setStopped(true);
    }
    this.#later();
  }

  #flushLead(): void {
    this.#write(this.#takeLead());
  }

  #takeLead(): Uint8Array {
    if (this.#leadTimer !== null) clearTimeout(this.#leadTimer);
    this.#leadTimer = null;
    const lead = this.#lead;
    this.#lead = NOTHING;
    return lead;
  }

  /** Settles when everything written so far is on its way to the terminal. */
  idle(): Promise<void> {
    if (this.#queued === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  /** Forgets the queued output and writes no more. */
  close(): void {
    this.#takeLead();
    this.#giveUp();
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#drain();
    }, 0);
  }

  #drain(): void {
    while (this.#queue.length > 0 && !this.#gone) {
      const [first = new Uint8Array(0)] = this.#queue;
      const taken = this.#writeNow(first);
      this.#queued -= taken;
      if (taken < first.length) {
        this.#queue[0] = first.subarray(taken);
        break;
      }
      this.#queue.shift();
    }
    if (this.#gone) return;
    if (this.#queued < GO_ON_BELOW) this.#setStopped(false);
    if (this.#queued > 0) this.#later();
    else this.#reportIdle();
  }

  /** How many bytes the terminal took within our patience. */
  #writeNow(bytes: Uint8Array): number {
    let taken = 0;
    let patience = PATIENCE_MS;
    while (taken < bytes.length) {
      const count = this.#tryWrite(bytes, taken);
      if (count > 0) taken += count;
      else if (patience <= 0 || this.#gone) return taken;
      else patience = this.#waitUntilWritable(patience);
    }
    return taken;
  }

  #tryWrite(bytes: Uint8Array, from: number): number {
    const { terminal } = this.#options;
    if (terminal === null) return 0;
    try {
      return writeSync(terminal, bytes, from, bytes.length - from);
    } catch (error) {
      if (!['EAGAIN', 'EINTR'].includes(errorCode(error))) this.#giveUp();
      return 0;
    }
  }

  /** Waits in the kernel for the terminal and returns the patience that is left: none where a key waits for us. */
  #waitUntilWritable(patience: number): number {
    const { terminal, calls } = this.#options;
    if (terminal === null || calls === null) return 0;
    const before = performance.now();
    if (!calls.waitToWrite(terminal, Math.ceil(patience))) return 0;
    return patience - Math.max(performance.now() - before, 0.05);
  }

  #setStopped(stopped: boolean): void {
    if (stopped === this.#stopped) return;
    this.#stopped = stopped;
    this.#options.setFlow(!stopped);
  }

  /** The terminal is closed: the programs go on, unseen. */
  #giveUp(): void {
    this.#gone = true;
    this.#queue = [];
    this.#queued = 0;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#setStopped(false);
    this.#reportIdle();
  }

  #reportIdle(): void {
    const waiting = this.#idle;
    this.#idle = [];
    for (const resolve of waiting) resolve();
  }
}
