import { type Clock, REAL_CLOCK } from '../../../adapters/system/patience.ts';
import { formatDuration } from '../../../core/text/duration.ts';
import { sanitizeLine } from '../../../core/text/sanitize.ts';
import type { Setup } from '../setup/setup.ts';

/** The way to notify a user who looks elsewhere. */
export type NotifyMode = 'auto' | 'bell' | 'off';

type Env = Readonly<Record<string, string | undefined>>;

interface NotifierDeps extends Clock {
  write(text: string): void;
  readonly env: Env;
  readonly mode: NotifyMode;
  /** Shorter work gives no notice. */
  readonly afterMs: number;
  readonly focus: Pick<Focus, 'state'>;
}

const BELL = '\x07';
/** A terminal that can report its focus has answered the query by then. */
const SAYS_WITHIN_MS = 150;
const LONGEST_TEXT = 120;

/** The notifier as the configuration wants it. */
export function createNotifier({ env, loaded }: Setup, deps: Pick<NotifierDeps, 'write' | 'focus'>): Notifier {
  const { notify, notify_after_s } = loaded.config.ui;
  return new Notifier({ ...REAL_CLOCK, ...deps, env, mode: notify, afterMs: notify_after_s * 1000 });
}

/** Tells a user whose terminal has not the focus that long work has ended, or that a question waits. */
export class Notifier {
  readonly #deps: NotifierDeps;
  #keyAt = Number.NEGATIVE_INFINITY;

  constructor(deps: NotifierDeps) {
    this.#deps = deps;
  }

  /** A key was pressed: a user is there. */
  keyPressed(): void {
    this.#keyAt = this.#deps.now();
  }

  ended(what: string, tookMs: number): void {
    if (tookMs >= this.#deps.afterMs) this.#tell(`${what} (${formatDuration(tookMs)})`);
  }

  /** Nothing goes on without an answer. */
  asked(question: string): void {
    this.#tell(question);
  }

  #tell(text: string): void {
    const { mode, later } = this.#deps;
    if (mode === 'off') return;
    const toldAt = this.#deps.now();
    later(SAYS_WITHIN_MS, () => {
      if (this.#isAway(toldAt)) this.#deps.write(formatNotification(text, mode, this.#deps.env));
    });
  }

  /**
   * If the terminal does not report its focus, a user who has pressed no key for that long may be away. Most terminals that show a notice
   * hold it back while they have the focus.
   */
  #isAway(toldAt: number): boolean {
    const { focus, afterMs } = this.#deps;
    if (this.#keyAt > toldAt || focus.state === 'in') return false;
    return focus.state === 'out' || toldAt - this.#keyAt >= afterMs;
  }
}

/** A notification as this terminal takes it: OSC 9, OSC 777, or the bell where it shows neither. */
export function formatNotification(text: string, mode: Exclude<NotifyMode, 'off'>, env: Env): string {
  if (mode === 'bell') return BELL;
  const title = 'aish';
  const body = [...sanitizeLine(text).replaceAll(';', ',')].slice(0, LONGEST_TEXT).join('');
  const plain = `\x1b]9;${title}: ${body}\x07`;
  // The terminal around tmux is not known in there, and tmux passes a wrapped string on only where it is allowed to; the bell always.
  if (env.TMUX !== undefined) return `\x1bPtmux;${plain.replaceAll('\x1b', '\x1b\x1b')}\x1b\\${BELL}`;
  if (env.STY !== undefined) return BELL;
  if (takesPlain(env)) return plain;
  return takesTitled(env) ? `\x1b]777;notify;${title};${body}\x07` : BELL;
}

function takesPlain({ TERM = '', TERM_PROGRAM = '', KITTY_WINDOW_ID }: Env): boolean {
  return (
    /^(?:iTerm\.app|WezTerm|ghostty|WarpTerminal|rio)$/.test(TERM_PROGRAM) ||
    TERM === 'xterm-kitty' ||
    !!KITTY_WINDOW_ID
  );
}

function takesTitled({ TERM = '', VTE_VERSION, TERM_PROGRAM = '' }: Env): boolean {
  return /^(?:foot|rxvt|contour)/.test(TERM) || !!VTE_VERSION || TERM_PROGRAM === 'contour';
}

/** The terminal's report about its window; unknown until the terminal has sent one, or a key was pressed. */
export type FocusState = 'in' | 'out' | 'unknown';

interface FocusDeps {
  write(text: string): void;
  /** Whether the terminal bears being asked. */
  readonly isAsked: boolean;
  /** Milliseconds; only differences count. */
  readonly now: () => number;
}

const ON = '\x1b[?1004h';
const OFF = '\x1b[?1004l';
/** A late report may still arrive for this long after reports were switched off. */
const LATE_MS = 100;
const ESCAPE = 0x1b;

/**
 * Knows whether the terminal's window has the focus. Reports are on only while the keys are ours: a program in the foreground would take
 * them for keys.
 */
export class Focus {
  readonly #deps: FocusDeps;
  #isOn = false;
  #endedAt = Number.NEGATIVE_INFINITY;
  #state: FocusState = 'unknown';

  constructor(deps: FocusDeps) {
    this.#deps = deps;
  }

  get state(): FocusState {
    return this.#state;
  }

  /** Asks for reports. Some terminals send the first one at once. */
  watch(): void {
    if (this.#isOn || !this.#deps.isAsked) return;
    this.#isOn = true;
    this.#state = 'unknown';
    this.#deps.write(ON);
  }

  /** Wants no more reports: another reader gets the keys, or none. */
  unwatch(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#endedAt = this.#deps.now();
    this.#state = 'unknown';
    this.#deps.write(OFF);
  }

  /** Takes the reports out of the terminal's input; the rest is keys, and a pressed key shows that a user is there. */
  take(bytes: Uint8Array): Uint8Array {
    if (!bytes.includes(ESCAPE) || !(this.#isOn || this.#deps.now() - this.#endedAt < LATE_MS)) {
      if (this.#isOn && bytes.length > 0) this.#state = 'in';
      return bytes;
    }
    const text = Buffer.from(bytes).toString('latin1');
    const keys = text.replace(/\x1b\[[IO]/g, '');
    const last = text.slice(Math.max(text.lastIndexOf('\x1b[I'), text.lastIndexOf('\x1b[O')));
    if (this.#isOn && keys.length < text.length) this.#state = last.startsWith('\x1b[O') ? 'out' : 'in';
    else if (this.#isOn) this.#state = 'in';
    return keys.length === text.length ? bytes : Buffer.from(keys, 'latin1');
  }
}
