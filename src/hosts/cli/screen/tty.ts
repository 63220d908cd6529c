import { closeSync, constants, openSync, writeSync } from 'node:fs';
import { type Clock, REAL_CLOCK } from '../../../adapters/system/patience.ts';
import { type SystemCalls, systemCalls } from '../../../adapters/system/system-calls.ts';
import {
  type Capabilities,
  type Environment,
  isDumbTerminal,
  questionsFor,
  ReplyReader,
  UNKNOWN_TERMINAL,
} from '../../../core/terminal/capabilities.ts';
import { attempt } from '../../../core/text/attempt.ts';
import { errorCode } from '../../../protocol/error.ts';
import type { TerminalSize } from '../../../protocol/query.ts';

/*
 * The user's terminal.
 *
 * It is opened by name, not taken from standard input and output: those may be pipes, and a second open file description
 * can be made non-blocking without making anybody else's so. Input is read through a file stream, which starts in a fifth of
 * a millisecond where `process.stdin` needs seven and four megabytes. Modes are restored on every way out that can be
 * caught; nothing may be assumed about how the program ends.
 */

const TERMINAL = '/dev/tty';
const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };
/** Ends what an editor or a stream may have begun: paste marks, focus reports, a hidden cursor, a synchronized update, a look. */
const LEAVE = '\x1b[?2026l\x1b[?2004l\x1b[?1004l\x1b[?25h\x1b[0m';
const PATIENCE_MS = 20;
const NOTHING = new Uint8Array(0);

interface TtyListener {
  input(bytes: Uint8Array): void;
  resized(): void;
  /** The terminal is gone, or a signal ended the program. */
  ended(signal: 'SIGHUP' | 'SIGTERM'): void;
}

/** The terminal of this process, or null when it has none. */
export function openTty(listener: TtyListener): Tty | null {
  return attempt(
    () => new Tty(openSync(TERMINAL, constants.O_RDWR | constants.O_NONBLOCK | constants.O_NOCTTY), listener),
    null,
  );
}

/** Raw mode, input and output of the terminal. `restore` and `close` may be called any number of times. */
export class Tty {
  /** Non-blocking and ours alone; for anyone who moves large output. */
  readonly fd: number;
  readonly #listener: TtyListener;
  readonly #calls: SystemCalls | null = systemCalls();
  #modes: Uint8Array | null = null;
  #rawByStream: { setRawMode(raw: boolean): unknown } | null = null;
  #raw = false;
  #queue: Uint8Array = NOTHING;
  #lead = '';
  #undo = '';
  #timer: ReturnType<typeof setTimeout> | null = null;
  #reader: InputReader | null = null;
  #closed = false;
  readonly #idle: (() => void)[] = [];
  readonly #handlers = Object.entries({
    exit: () => this.restore(),
    SIGWINCH: () => this.#listener.resized(),
    SIGCONT: () => this.#continue(),
    SIGTERM: () => this.#listener.ended('SIGTERM'),
    SIGHUP: () => this.#listener.ended('SIGHUP'),
    // Keys reach aish as bytes: from elsewhere the signals of keys end no shell.
    SIGINT: () => {},
    SIGQUIT: () => {},
    SIGTSTP: () => {},
  });

  constructor(fd: number, listener: TtyListener) {
    this.fd = fd;
    this.#listener = listener;
    for (const [event, handle] of this.#handlers) process.on(event, handle);
  }

  /** Begins to read; after this every byte typed reaches the listener. */
  start(): void {
    if (this.#reader !== null || this.#closed) return;
    const reader: InputReader = Bun.file(TERMINAL).stream().getReader();
    this.#reader = reader;
    void this.#read(reader);
  }

  /** Columns and rows now. */
  size(): TerminalSize {
    if (this.#calls !== null) return this.#calls.windowSize(this.fd) ?? DEFAULT_SIZE;
    const [columns, rows] = new (ttyModule().WriteStream)(this.fd).getWindowSize();
    return columns > 0 && rows > 0 ? { columns, rows } : DEFAULT_SIZE;
  }

  /** Keys one by one, nothing echoed, output unprocessed. The modes before are kept for `restore`. */
  setRaw(): void {
    if (this.#raw || this.#closed) return;
    this.#raw = true;
    if (this.#calls !== null) {
      const before = this.#calls.setRaw(this.fd);
      this.#modes ??= before;
      return;
    }
    // Without libc output processing stays on: a new line is then sent as CR CR LF, which looks the same.
    this.#rawByStream ??= new (ttyModule().ReadStream)(this.fd);
    this.#rawByStream.setRawMode(true);
  }

  /** A sequence written, besides the usual ones, when aish gives the terminal back: it ends modes that only some terminals have. */
  undoWith(sequence: string): void {
    this.#undo = sequence;
  }

  /** Gives the terminal back as it was found. */
  restore(): void {
    if (!this.#raw) return;
    this.#raw = false;
    this.#lead = '';
    this.#writeNow(Buffer.concat([this.#queue, Buffer.from(isDumbTerminal(process.env) ? '' : this.#undo + LEAVE)]));
    this.#queue = NOTHING;
    if (this.#calls !== null && this.#modes !== null) this.#calls.setModes(this.fd, this.#modes);
    else this.#rawByStream?.setRawMode(false);
  }

  /** Writes this with the next text, or soon: the terminal is woken once for both. */
  lead(text: string): void {
    if (this.#lead === '') setImmediate(() => this.write(''));
    this.#lead += text;
  }

  /** Writes what the terminal takes now and the rest as it reads on; never blocks. */
  write(text: string): void {
    const bytes = Buffer.from(this.#lead + text);
    this.#lead = '';
    if (this.#closed || bytes.length === 0) return;
    if (this.#queue.length > 0) {
      this.#queue = Buffer.concat([this.#queue, bytes]);
      return;
    }
    this.#queue = this.#writeNow(bytes);
    if (this.#queue.length > 0) this.#later();
  }

  /** Settles when everything written is on its way. */
  drained(): Promise<void> {
    if (this.#queue.length === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  close(): void {
    if (this.#closed) return;
    this.restore();
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const [event, handle] of this.#handlers) process.off(event, handle);
    // A cancelled read of a terminal may settle only with the next key; nobody waits for it.
    void this.#reader?.cancel().catch(() => {});
    closeSync(this.fd);
  }

  /** Another shell had the terminal meanwhile and set its own modes. */
  #continue(): void {
    if (!this.#raw) return;
    this.#raw = false;
    this.setRaw();
    this.#listener.resized();
  }

  async #read(reader: InputReader): Promise<void> {
    for (let bytes = await readPiece(reader); bytes !== null; bytes = await readPiece(reader)) {
      if (this.#closed) return;
      this.#listener.input(bytes);
    }
    if (!this.#closed) this.#listener.ended('SIGHUP');
  }

  #later(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#queue = this.#writeNow(this.#queue);
      if (this.#queue.length > 0) this.#later();
      else for (const resolve of this.#idle.splice(0)) resolve();
    }, 0);
  }

  /** Writes for a short while and returns what the terminal did not take. */
  #writeNow(bytes: Uint8Array): Uint8Array {
    for (let at = 0; at < bytes.length; ) {
      const taken = this.#tryWrite(bytes, at);
      if (taken === null) return NOTHING;
      at += taken;
      if (taken === 0 && this.#calls?.waitFor(this.fd, 'write', PATIENCE_MS) !== true) return bytes.subarray(at);
    }
    return NOTHING;
  }

  /** Bytes taken, 0 when the terminal is full, null when it is gone. */
  #tryWrite(bytes: Uint8Array, from: number): number | null {
    try {
      return writeSync(this.fd, bytes, from, bytes.length - from);
    } catch (error) {
      return isWouldBlock(error) ? 0 : null;
    }
  }
}

/** True where a terminal that is read or written without waiting has nothing, or no room, right now. */
export function isWouldBlock(error: unknown): boolean {
  return ['EAGAIN', 'EINTR'].includes(errorCode(error));
}

/** As much of a stream's reader as is needed here. */
interface InputReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
  cancel(): Promise<unknown>;
}

/** The next bytes typed; null when the terminal has hung up, which some systems report as an error. */
async function readPiece(reader: InputReader): Promise<Uint8Array | null> {
  try {
    const { done, value } = await reader.read();
    return done ? null : (value ?? NOTHING);
  } catch {
    return null;
  }
}

/** Loaded only if libc is not available. */
function ttyModule(): typeof import('node:tty') {
  return process.getBuiltinModule('node:tty');
}

interface TerminalQuestionsOptions {
  write(text: string): void;
  /** Hands on what is no answer, when it was held back for a moment. */
  deliver(bytes: Uint8Array): void;
  /** The terminal has answered, all it ever will or as much as came in time. Called once, and once more for answers that come late. */
  answered(capabilities: Capabilities): void;
  readonly clock?: Clock;
}

/** A terminal that has not answered by then is taken for one that knows nothing. */
const TIME_LIMIT_MS = 1000;
/** The beginning of an answer is held for so long; a lone Escape key is late by no more than that. */
const HOLD_MS = 25;
/** The wait of a program that leaves at once, for answers that would otherwise go to the next program as keys. */
const LEAVE_MS = 150;

/**
 * Asks the terminal once what it can do, and takes the answers out of its input before anybody sees them: neither the line editor nor a
 * program ever gets one, however late it comes. Nobody waits for them.
 */
export class TerminalQuestions {
  readonly #options: TerminalQuestionsOptions;
  readonly #clock: Clock;
  #reader: ReplyReader | null = null;
  /** Settles with the first report. */
  readonly #told = Promise.withResolvers<void>();
  #cancelHold: (() => void) | null = null;
  #cancelLimit: (() => void) | null = null;

  constructor(options: TerminalQuestionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? REAL_CLOCK;
  }

  /** Asks, the first time only. The terminal must be in raw mode, so that answers are not echoed. */
  ask(environment: Environment): void {
    if (this.#reader !== null) return;
    this.#reader = new ReplyReader();
    this.#cancelLimit = this.#clock.later(TIME_LIMIT_MS, () => this.#tell());
    this.#options.write(questionsFor(environment));
  }

  /** Takes bytes of the terminal and gives back those that are for others. */
  take(bytes: Uint8Array): Uint8Array {
    const reader = this.#reader;
    if (reader === null || (reader.isDone && !reader.isHolding)) return bytes;
    if (!reader.isHolding && !bytes.includes(0x1b)) return bytes;
    this.#cancelHold?.();
    this.#cancelHold = null;
    const passed = reader.take(Buffer.from(bytes).toString('latin1'));
    if (reader.isHolding) this.#cancelHold = this.#clock.later(HOLD_MS, () => this.#release(reader));
    if (reader.isDone) this.#tell();
    return passed === '' ? NOTHING : Buffer.from(passed, 'latin1');
  }

  /** Settles when no answer is on its way any more, or soon enough: for anyone who gives the terminal to another program for good. */
  settled(): Promise<void> {
    if (this.#reader === null) return Promise.resolve();
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = this.#clock.later(LEAVE_MS, resolve);
    void this.#told.promise.then(cancel);
    return Promise.race([this.#told.promise, promise]);
  }

  #release(reader: ReplyReader): void {
    this.#cancelHold = null;
    this.#options.deliver(Buffer.from(reader.release(), 'latin1'));
  }

  #tell(): void {
    this.#cancelLimit?.();
    this.#cancelLimit = null;
    this.#told.resolve();
    this.#options.answered(this.#reader?.capabilities ?? UNKNOWN_TERMINAL);
  }
}
