/** What the terminal says of its window; unknown until it has said something, or a key was pressed. */
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
/** So long a report may still be on its way when no more are wanted. */
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

  /** Wants no more reports: somebody else gets the keys, or nobody. */
  unwatch(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#endedAt = this.#deps.now();
    this.#state = 'unknown';
    this.#deps.write(OFF);
  }

  /** Takes the reports out of what came from the terminal; the rest is keys, and who presses one is there. */
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
