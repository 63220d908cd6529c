import {
  type Capabilities,
  type Environment,
  questionsFor,
  ReplyReader,
  UNKNOWN_TERMINAL,
} from '../../../core/terminal/capabilities.ts';
import { type Clock, REAL_CLOCK } from './time.ts';

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
const NOTHING = new Uint8Array(0);

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
