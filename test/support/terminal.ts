import { Terminal as Emulator } from '@xterm/headless';

/** The program to start, and the size of its window. */
export interface TerminalOptions {
  readonly command: string;
  readonly args?: readonly string[];
  /** The whole environment: nothing is inherited. TERM is xterm-256color unless given. */
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly columns?: number;
  readonly rows?: number;
  /** The terminal says that it shows snapshots of the kitty protocol. */
  readonly images?: boolean;
}

/** Keys that `press` knows by name; any `ctrl-<letter>` and any single character go as well. */
export type KeyName = keyof typeof KEYS | `ctrl-${string}` | `alt-${string}`;

const KEYS = {
  enter: '\r',
  tab: '\t',
  'shift-tab': '\x1b[Z',
  escape: '\x1b',
  backspace: '\x7f',
  delete: '\x1b[3~',
  space: ' ',
  up: '\x1b[A',
  down: '\x1b[B',
  right: '\x1b[C',
  left: '\x1b[D',
  home: '\x1b[H',
  end: '\x1b[F',
  'page-up': '\x1b[5~',
  'page-down': '\x1b[6~',
  'ctrl-left': '\x1b[1;5D',
  'ctrl-right': '\x1b[1;5C',
  'alt-left': '\x1b[1;3D',
  'alt-right': '\x1b[1;3C',
  'shift-enter': '\x1b[13;2u',
} as const;

/**
 * Longest wait for what must come: no machine is so busy that it takes longer, a wait ends as soon as it may, and a test has twice as long,
 * so that a failure tells of the screen. Shorter while tests are written.
 */
export const PATIENCE_MS = Number(process.env.AISH_TEST_PATIENCE_MS ?? 30_000);

/**
 * With a number, output is drawn in pieces of so many characters, and tests may look at the screen and act between two of them, as they may
 * between two reads of a busy machine.
 */
const PIECE = Number(process.env.AISH_TEST_PIECE ?? 0);

/** The pieces of a redraw come closer together than this. */
const QUIET_MS = 150;

/** After so long a key is taken that nothing was shown for. */
const UNSHOWN_MS = 2000;

/** Starts a program under a pseudo-terminal whose screen is a real emulator. Close it, or use `await using`. */
export function openTerminal(options: TerminalOptions): TestTerminal {
  return new TestTerminal(options);
}

/** A user at a terminal: types, looks at the screen, waits until something is there. */
export class TestTerminal {
  readonly pid: number;
  readonly #emulator: Emulator;
  readonly #pty: Bun.Terminal;
  readonly #process: Bun.Subprocess;
  readonly #received: Uint8Array[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #images: boolean;
  /** The exit status; settles after the last output is on the screen. */
  readonly #exited: Promise<number>;
  /** The terminal has nothing more to tell. */
  readonly #hungUp = Promise.withResolvers<void>();
  /** Keys went out, and nothing has come back since. */
  #isUnanswered = false;
  #ended = false;
  /** The emulator loses a zero-width joiner whose bytes come in two reads, so it is given text. */
  readonly #decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  #drawn = Promise.resolve();

  constructor(options: TerminalOptions) {
    this.#images = options.images === true;
    const size = { cols: options.columns ?? 80, rows: options.rows ?? 24 };
    this.#emulator = new Emulator({ ...size, allowProposedApi: true, scrollback: 10_000 });
    this.#process = Bun.spawn([options.command, ...(options.args ?? [])], {
      env: { TERM: 'xterm-256color', ...options.env },
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      // A terminal made beforehand would not become the controlling one: no job control, no Ctrl-C.
      terminal: { ...size, data: (_pty, bytes) => this.#receive(bytes), exit: () => this.#hungUp.resolve() },
    });
    if (this.#process.terminal === undefined) throw new Error('this platform gave no pseudo-terminal');
    this.#pty = this.#process.terminal;
    this.#emulator.onData((reply) => this.#send(reply));
    this.#emulator.onBinary((reply) => this.#send(Buffer.from(reply, 'binary')));
    answerColours(this.#emulator, (reply) => this.#send(reply));
    this.pid = this.#process.pid;
    this.#exited = this.#process.exited.then((code) => this.#finish(code));
  }

  /** Types text as a keyboard would: a newline is the Enter key. */
  type(text: string): void {
    this.#key(text.replaceAll('\n', '\r'));
  }

  /** Pastes text as a terminal does: between marks for a program that asked for bracketed paste, else as if it were typed. */
  paste(text: string): void {
    const isMarked = this.#emulator.modes.bracketedPasteMode;
    this.#key(isMarked ? `\x1b[200~${text}\x1b[201~` : text.replaceAll('\n', '\r'));
  }

  /** Presses one key after the other. */
  press(...keys: KeyName[]): void {
    for (const key of keys) this.#key(toKeyBytes(key));
  }

  /** Sends bytes exactly as they are. */
  send(bytes: string | Uint8Array): void {
    this.#key(bytes);
  }

  /** Settles with the screen as soon as it matches; fails with the screen in its message. */
  waitFor(wanted: RegExp | string | ((screen: string) => boolean), options: { timeoutMs?: number } = {}) {
    return this.#watch(() => matches(wanted, this.screen()), String(wanted), options.timeoutMs);
  }

  /** The same for all text ever shown, scrolled-off lines included. */
  waitForHistory(wanted: RegExp | string | ((text: string) => boolean), options: { timeoutMs?: number } = {}) {
    return this.#watch(() => matches(wanted, this.history()), String(wanted), options.timeoutMs);
  }

  /** The same for the bytes that came out of the program, as text. */
  waitForRaw(wanted: RegExp | string | ((text: string) => boolean), options: { timeoutMs?: number } = {}) {
    return this.#watch(() => matches(wanted, this.rawText()), String(wanted), options.timeoutMs);
  }

  /**
   * Its exit status, 128 + signal when one ended it, once its last output is on the screen; fails with the screen where it goes on for too
   * long.
   */
  async ended(timeoutMs = PATIENCE_MS): Promise<number> {
    const { promise, reject } = Promise.withResolvers<never>();
    const fail = () => reject(new Error(`${timeoutMs} ms passed waiting for its end; the screen:\n${this.history()}`));
    const timer = setTimeout(fail, timeoutMs);
    return await Promise.race([this.#exited, promise]).finally(() => clearTimeout(timer));
  }

  /** The screen that a user sees now: one line per row, blanks at line ends and empty rows at the end cut. */
  screen(): string {
    const buffer = this.#emulator.buffer.active;
    return this.#lines(buffer.baseY, buffer.baseY + this.#emulator.rows);
  }

  /** Everything on the screen and above it. */
  history(): string {
    return this.#lines(0, this.#emulator.buffer.active.length);
  }

  /** Every row as it was written, scrolled-off ones included: blanks at its end stay, and a column left out in between is a NUL. */
  written(): readonly string[] {
    const buffer = this.#emulator.buffer.active;
    return Array.from({ length: buffer.length }, (_, row) => {
      const line = buffer.getLine(row);
      const cells = Array.from({ length: line?.length ?? 0 }, (_, column) => line?.getCell(column));
      const text = cells.map((cell) => (cell?.getWidth() === 0 ? '' : cell?.getChars() || '\0')).join('');
      return text.replace(/\0+$/, '');
    });
  }

  /** The look of a text on the screen, at its first character; its colour is the number in the palette, -1 for the terminal's own, NaN where the text is not there. */
  lookOf(text: string): { readonly colour: number; readonly bold: boolean; readonly underline: boolean } {
    const row = this.screen()
      .split('\n')
      .findLastIndex((line) => line.includes(text));
    const column = this.screen().split('\n')[row]?.lastIndexOf(text) ?? -1;
    const buffer = this.#emulator.buffer.active;
    const cell = buffer.getLine(buffer.baseY + row)?.getCell(column);
    if (cell === undefined) return { colour: Number.NaN, bold: false, underline: false };
    const colour = cell.isFgDefault() ? -1 : cell.getFgColor();
    return { colour, bold: cell.isBold() !== 0, underline: cell.isUnderline() !== 0 };
  }

  /** Column and row of the cursor, both from 0. */
  cursor(): { column: number; row: number } {
    const buffer = this.#emulator.buffer.active;
    return { column: buffer.cursorX, row: buffer.cursorY };
  }

  /** Whether a full-screen program has the alternate screen. */
  isAlternate(): boolean {
    return this.#emulator.buffer.active.type === 'alternate';
  }

  /** All bytes the program has written. */
  raw(): Uint8Array {
    return Buffer.concat(this.#received);
  }

  rawText(): string {
    return Buffer.concat(this.#received).toString('utf8');
  }

  resize(columns: number, rows: number): void {
    this.#emulator.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** The same; settles once the program has drawn for the new size, and then nothing more for a while. */
  async resizeAndSettle(columns: number, rows: number): Promise<void> {
    const before = this.rawText().length;
    this.resize(columns, rows);
    await this.waitForRaw((raw) => raw.length > before);
    for (let length = -1; length !== this.rawText().length; await Bun.sleep(QUIET_MS)) length = this.rawText().length;
  }

  /** The window is closed: the program's terminal hangs up, and nothing else tells it to end. */
  hangUp(): void {
    if (!this.#pty.closed) this.#pty.close();
    this.#hungUp.resolve();
  }

  /** Ends the program with a hang-up, by force where that does not end it, and waits until it is gone. */
  async close(): Promise<void> {
    if (!this.#ended) {
      this.#process.kill('SIGHUP');
      const force = setTimeout(() => this.#process.kill('SIGKILL'), PATIENCE_MS / 2);
      await this.#exited;
      clearTimeout(force);
    }
    if (!this.#pty.closed) this.#pty.close();
    this.#emulator.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #key(bytes: string | Uint8Array): void {
    this.#isUnanswered = true;
    this.#send(bytes);
  }

  #send(bytes: string | Uint8Array): void {
    if (!this.#pty.closed) this.#pty.write(typeof bytes === 'string' ? bytes : bytes.slice());
  }

  #receive(bytes: Uint8Array): void {
    this.#isUnanswered = false;
    this.#received.push(bytes.slice());
    // This runs before the emulator, which answers the queries behind it.
    const asked = this.#images ? /\x1b_G(i=\d+),[^\x1b]*a=q/.exec(Buffer.from(bytes).toString('latin1')) : null;
    if (asked !== null) this.#send(`\x1b_G${asked[1]};OK\x1b\\`);
    const text = this.#decoder.decode(bytes, { stream: true });
    if (PIECE === 0) this.#emulator.write(text, () => this.#notify());
    else this.#drawn = this.#drawn.then(() => this.#drawInPieces(text));
  }

  async #drawInPieces(text: string): Promise<void> {
    for (let at = 0; at < text.length; at += PIECE) {
      await new Promise<void>((resolve) => this.#emulator.write(text.slice(at, at + PIECE), resolve));
      this.#notify();
      await new Promise<void>(setImmediate);
    }
  }

  #notify(): void {
    for (const watcher of [...this.#watchers]) watcher();
  }

  async #finish(code: number): Promise<number> {
    // The program's last bytes may still be on their way through the kernel and the emulator. With the leader of its session the terminal
    // hangs up.
    await this.#hungUp.promise;
    await this.#drawn;
    await new Promise<void>((resolve) => this.#emulator.write('', resolve));
    this.#ended = true;
    this.#notify();
    return code;
  }

  #lines(from: number, to: number): string {
    const buffer = this.#emulator.buffer.active;
    const lines: string[] = [];
    for (let row = from; row < to; row++) lines.push(buffer.getLine(row)?.translateToString(true).trimEnd() ?? '');
    return lines.join('\n').trimEnd();
  }

  async #watch(holds: () => boolean, wanted: string, timeoutMs = PATIENCE_MS): Promise<string> {
    // Text from before the answer to the last key proves nothing: the next key would go out before the shell took this one.
    let isTaken = !this.#isUnanswered;
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const fail = (why: string) => reject(new Error(`${why} waiting for ${wanted}; the screen:\n${this.history()}`));
    const check = () => {
      isTaken ||= !this.#isUnanswered;
      // A terminal shows nothing of a synchronized update before its end.
      if (this.#emulator.modes.synchronizedOutputMode && !this.#ended) return;
      if ((isTaken || this.#ended) && holds()) resolve(this.screen());
      else if (this.#ended) fail('the program ended');
    };
    this.#watchers.add(check);
    const timer = setTimeout(() => fail(`${timeoutMs} ms passed`), timeoutMs);
    // Some keys are answered by nothing that shows.
    const taken = setTimeout(() => {
      isTaken = true;
      check();
    }, UNSHOWN_MS);
    check();
    return await promise.finally(() => {
      clearTimeout(timer);
      clearTimeout(taken);
      this.#watchers.delete(check);
    });
  }
}

function matches(wanted: RegExp | string | ((text: string) => boolean), text: string): boolean {
  if (typeof wanted === 'string') return text.includes(wanted);
  return wanted instanceof RegExp ? wanted.test(text) : wanted(text);
}

function toKeyBytes(key: KeyName): string {
  if (isNamed(key)) return KEYS[key];
  if (key.startsWith('ctrl-')) return String.fromCharCode(key.charCodeAt(5) & 0x1f);
  if (key.startsWith('alt-')) return `\x1b${key.slice(4)}`;
  throw new Error(`no key is called "${key}"`);
}

function isNamed(key: string): key is keyof typeof KEYS {
  return key in KEYS;
}

/** The headless emulator knows no colours, so it leaves these two questions open; a terminal with a window answers them. */
function answerColours(emulator: Emulator, reply: (text: string) => void): void {
  const colours = { 10: 'rgb:ffff/ffff/ffff', 11: 'rgb:0000/0000/0000' };
  for (const [code, colour] of Object.entries(colours)) {
    emulator.parser.registerOscHandler(Number(code), (data) => {
      if (data !== '?') return false;
      reply(`\x1b]${code};${colour}\x1b\\`);
      return true;
    });
  }
}
