import { type Capabilities, questionsFor, ReplyReader, UNKNOWN_TERMINAL } from './capability-replies.ts';
import { type Clock, REAL_CLOCK } from './clock.ts';
import { isDumbTerminal } from './theme.ts';

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
  #capabilities = UNKNOWN_TERMINAL;
  #isTold = false;
  #cancelHold: (() => void) | null = null;
  #cancelLimit: (() => void) | null = null;
  #done: (() => void)[] = [];

  constructor(options: TerminalQuestionsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? REAL_CLOCK;
  }

  /** The capabilities known by now. */
  get capabilities(): Capabilities {
    return this.#capabilities;
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
    const reader = this.#reader;
    if (reader === null || reader.isDone || this.#isTold) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.later(LEAVE_MS, resolve);
      this.#done.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #release(reader: ReplyReader): void {
    this.#cancelHold = null;
    this.#options.deliver(Buffer.from(reader.release(), 'latin1'));
  }

  #tell(): void {
    this.#cancelLimit?.();
    this.#cancelLimit = null;
    this.#isTold = true;
    this.#capabilities = this.#reader?.capabilities ?? UNKNOWN_TERMINAL;
    for (const resolve of this.#done.splice(0)) resolve();
    this.#options.answered(this.#capabilities);
  }
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether links (OSC 8) are links here; where nobody knows, an address is spelled out. */
export function knowsLinks(environment: Environment, { name }: Pick<Capabilities, 'name'>): boolean {
  // A multiplexer answers for itself, and may keep the links to itself too.
  if (environment.TMUX !== undefined || environment.STY !== undefined) return false;
  if (name !== null && /^(kitty|foot|WezTerm|ghostty|iTerm2|Konsole|contour|mintty|mlterm|VTE)\b/i.test(name))
    return true;
  if (Number(environment.VTE_VERSION ?? 0) >= 5000 || environment.WT_SESSION !== undefined) return true;
  if (/^(xterm-kitty|xterm-ghostty|foot|alacritty|wezterm|contour)/.test(environment.TERM ?? '')) return true;
  return ['iTerm.app', 'WezTerm', 'vscode', 'ghostty', 'rio'].includes(environment.TERM_PROGRAM ?? '');
}

/** Whether the terminal accepts queries at all: one that understands no sequences would show them. */
export function mayAsk(environment: Environment): boolean {
  return !isDumbTerminal(environment) && environment.TERM !== 'linux';
}
