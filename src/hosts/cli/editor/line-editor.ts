import { EmacsKeys } from '../../../core/editor/emacs-keys.ts';
import { type Key, type KeyHandler, KeyParser } from '../../../core/editor/keys.ts';
import { Line } from '../../../core/editor/line.ts';
import type { LineEditorOptions, ReadResult } from '../../../core/editor/line-editor-options.ts';
import { LineView } from '../../../core/editor/line-view.ts';
import { TerminalModes } from '../../../core/editor/terminal-modes.ts';
import { BottomRegion } from '../../../core/terminal/bottom-region.ts';
import { type Frame, Layout, type View } from '../../../core/terminal/layout.ts';
import { Painter } from '../../../core/terminal/paint.ts';
import { PlainPainter } from '../../../core/terminal/plain-paint.ts';
import { PLAIN_THEME } from '../../../core/terminal/theme.ts';
import type { TerminalSize } from '../../../protocol/query.ts';

const ESC = 0x1b;
/** How long a lone ESC may be the beginning of a sequence. */
const ESCAPE_MS = 30;
/** The characters that every terminal shows in one column. */
const LETTER = /^[ -~]$/;
/** The look of a letter is that of the word it continues. */
const WITHIN_WORD = /[!-~]$/;
/** Keys that enter the line as it stands then. */
const ENTERS: ReadonlySet<string> = new Set(['enter', 'ctrl-o']);
/** Nobody types behind a paste so soon. */
const BURST_MS = 50;

/**
 * Reads lines from a terminal in raw mode. The owner feeds it the bytes of the terminal at any time. While nobody reads, typed text goes
 * into the line and never runs. A hidden editor draws nothing and loses nothing.
 */
export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #parser = new KeyParser();
  readonly #line: Line;
  readonly #modes: TerminalModes;
  #keys: KeyHandler;
  readonly #view: LineView;
  readonly #layout = new Layout();
  readonly #region: BottomRegion;
  #reading: ((result: ReadResult) => void) | null = null;
  #isClosed = false;
  /** The output held until another user of the terminal is done with it; null while the terminal is free. */
  #held: string[] | null = null;
  /** When the last piece of a paste without brackets came, and whether it ended a line. */
  #burst = { at: Number.NEGATIVE_INFINITY, endsLine: false };
  /** No key enters the line, or ends its reading. */
  #isQuiet = false;
  /** A letter is on the screen without what it changes. */
  #isBehind = false;
  #escapeTimer: ReturnType<typeof setTimeout> | null = null;
  /** Keys behind an Enter whose line still waits for its mark; null while none does. */
  #behindEnter: Key[] | null = null;

  constructor(options: LineEditorOptions) {
    this.#options = options;
    const isPlain = options.painter === 'plain';
    this.#line = new Line({
      options,
      isRead: () => this.isReading && !this.#isQuiet,
      finish: (result) => this.#enter(result),
      isEntered: () => this.#behindEnter !== null,
      clearScreen: () => this.#region.clear(),
      changed: () => this.#region.redraw(),
      lend: (use) => void this.#lend(use),
    });
    this.#keys = new EmacsKeys(this.#line);
    this.#view = new LineView(this.#line, options, { theme: options.theme ?? PLAIN_THEME, keys: () => this.#keys });
    this.#modes = new TerminalModes(options, () => this.#keys.mode);
    this.#region = new BottomRegion({
      write: (text) => options.write(text),
      size: () => options.size(),
      layOut: (size) => this.#layOut(size),
      surface: isPlain
        ? new PlainPainter()
        : new Painter(options.reflow === undefined ? {} : { reflow: options.reflow }),
      synchronizes: () => !isPlain && (options.synchronizes?.() ?? true),
    });
  }

  /** The typed text. */
  get text(): string {
    return this.#line.buffer.wholeText;
  }

  /** The view of the whole line, even if it has no room on the screen. */
  get view(): View {
    return this.#view.of(this.#options.size());
  }

  /** Whether the line is empty. */
  get isEmpty(): boolean {
    return this.#line.buffer.text === '';
  }

  /** Whether a line is being read. */
  get isReading(): boolean {
    return this.#reading !== null;
  }

  /** Whether the line is on the screen. */
  get isVisible(): boolean {
    return this.#region.isVisible;
  }

  /** Shows the prompt. Settles when the user enters the line, cancels it or ends the input. One reader at a time. */
  read(): Promise<ReadResult> {
    if (this.#reading !== null) throw new Error('a line is being read already');
    const { promise, resolve } = Promise.withResolvers<ReadResult>();
    this.#reading = resolve;
    this.show();
    return promise;
  }

  /** Takes bytes of the terminal. */
  feed(bytes: Uint8Array): void {
    if (this.#escapeTimer !== null) clearTimeout(this.#escapeTimer);
    this.#escapeTimer = null;
    const { at } = this.#burst;
    this.#handleAll(this.#parse(bytes));
    // Input that comes during a drawing waits for aish, but its time of arrival counts as earlier.
    if (this.#burst.at !== at) this.#burst = { ...this.#burst, at: performance.now() };
    if (this.#parser.waiting) this.#escapeTimer = setTimeout(() => this.#handleAll(this.#parser.flush()), ESCAPE_MS);
  }

  /** Inserts bytes that the user did not type for the line: no Enter in them enters the line. */
  feedQuietly(bytes: Uint8Array): void {
    this.#isQuiet = true;
    try {
      this.feed(bytes);
    } finally {
      this.#isQuiet = false;
    }
  }

  /** Inserts text, such as text typed while a command ran. It never runs by itself. */
  insert(text: string): void {
    this.#line.insertPaste(text);
    this.#region.redraw();
  }

  /** Returns the typed text and empties the line. */
  take(): string {
    const { text } = this;
    this.#line.begin();
    this.#region.redraw();
    return text;
  }

  /** Replaces the typed text. The new text never runs by itself. */
  replace(text: string): void {
    this.#line.begin();
    this.insert(text);
  }

  /** Enters this text as the line, if a line is being read. */
  submit(text: string): void {
    this.#line.begin();
    this.#line.buffer.replace(text);
    this.#line.enter();
  }

  /** Replaces the line with the newest line of the history, as Up does at an empty line. */
  showNewest(): void {
    this.#line.begin();
    this.#line.walk.stepHistory('up');
    this.#region.redraw();
  }

  /** Sets another key handler, with the emacs keys for the keys that it does not handle. */
  useKeys(make: (line: Line, otherKeys: KeyHandler) => KeyHandler): void {
    this.#keys = make(this.#line, new EmacsKeys(this.#line));
    this.redraw();
  }

  /** Shows rows above the prompt that still change, such as the unfinished end of an answer. They may hold SGR and fit the width. */
  setLive(rows: readonly string[]): void {
    this.#region.setLive(rows);
  }

  /**
   * Prints text above the line and the live rows; the text stays and the line does not change. `live`: the live rows from then on.
   */
  printAbove(text: string, live?: readonly string[]): void {
    if (this.#held === null) {
      if (text !== '') this.#region.printAbove(text, live);
      return;
    }
    if (text !== '') this.#held.push(text.endsWith('\n') ? text : `${text}\n`);
    if (live !== undefined) this.#region.setLive(live);
  }

  /** Redraws all changes, also of the prompt, the mark and the colours. */
  redraw(): void {
    this.#view.forget();
    this.#region.redraw(this.#modes.update());
  }

  /** The terminal has another size now; `live` are the live rows laid out for it. */
  resized(live?: readonly string[]): void {
    this.#view.forget();
    this.#region.resized(live);
  }

  /** Hides the editor and keeps the typed text. */
  hide(): void {
    this.#region.hide(this.#modes.leave());
  }

  /** Shows the editor again in the row of the cursor, which must be empty. */
  show(): void {
    if (this.#region.isVisible || this.#isClosed) return;
    this.#view.forget();
    this.#region.show(this.#modes.enter());
  }

  /** Ends the read like the end of the input, and stops timers. */
  close(): void {
    if (this.#escapeTimer !== null) clearTimeout(this.#escapeTimer);
    this.#isClosed = true;
    this.#line.completing.close();
    this.hide();
    const reading = this.#reading;
    this.#reading = null;
    reading?.({ type: 'eof' });
  }

  /** A paste without brackets may take several reads; its last line must not run because it came alone. */
  #parse(bytes: Uint8Array): readonly Key[] {
    const now = performance.now();
    const { at, endsLine } = this.#burst;
    const isPasting = now - at < BURST_MS;
    const keys = this.#parser.push(bytes, { isPasting });
    const [first] = keys;
    if (first?.type !== 'paste' || bytes[0] === ESC) return keys;
    this.#burst = { at: now, endsLine: /[\r\n]$/.test(first.text) };
    if (!isPasting) return keys;
    // Line ends at the end of a paste are dropped, and this one was not the end.
    this.#line.extendPaste((endsLine ? '\n' : '') + first.text);
    return [];
  }

  /** The last column is left free where nobody knows what the terminal does behind it. */
  #widthOf({ columns }: TerminalSize): number {
    return this.#options.painter === 'plain' ? Math.max(1, columns - 1) : columns;
  }

  #layOut(size: TerminalSize): Frame {
    return this.#layout.of(this.#view.of(size), this.#widthOf(size));
  }

  #handleAll(keys: readonly Key[]): void {
    const { text } = this.#line.buffer;
    this.#region.hold(() => {
      for (const key of keys) {
        if (this.#behindEnter === null) this.#handle(key);
        else this.#behindEnter.push(key);
      }
    });
    const { behindEcho } = this.#options;
    // Files are read for a Tab before its key is drawn: most answers come at once and are drawn anew.
    const isShown = this.#echo(text) || this.#line.completing.isAsking;
    if (!isShown || behindEcho === undefined) this.#draw();
    else if (!this.#isBehind) {
      this.#isBehind = true;
      behindEcho(() => this.#draw());
    }
  }

  #draw(): void {
    this.#isBehind = false;
    this.#region.redraw(this.#modes.update());
  }

  /** A letter at the end of the text is on the screen before anything is worked out: colours, the mark, how history goes on. */
  #echo(before: string): boolean {
    const { text, cursor } = this.#line.buffer.state;
    const isLetterMore = text.length === before.length + 1 && cursor === text.length && text.startsWith(before);
    const letter = text.slice(-1);
    if (!isLetterMore || !LETTER.test(letter) || this.#line.search !== null) return false;
    return this.#region.echo(letter, { continues: WITHIN_WORD.test(before) });
  }

  #handle(key: Key): void {
    const line = this.#line;
    if (line.handleSearch(key)) return;
    if (key.type === 'key' && line.completing.handle(key.key)) return;
    line.beforeKey(key.type === 'key' ? key.key : '');
    if (key.type === 'key' && ENTERS.has(key.key) && !this.#isQuiet) line.expand();
    if (key.type === 'key' && !this.isReading && !this.#isQuiet && this.#options.keyAtWork?.(key.key) === true) return;
    this.#keys.handle(key);
    line.completing.afterKey();
  }

  /** Somebody else has the terminal meanwhile; a text that comes back is put in the place of the one typed. */
  async #lend(use: () => Promise<string | null>): Promise<void> {
    this.hide();
    this.#held = [];
    try {
      const text = await use();
      if (text !== null) this.#line.replaceWhole(text);
    } catch (thrown) {
      this.#line.hint = thrown instanceof Error ? thrown.message : String(thrown);
    }
    const held = this.#held.join('');
    this.#held = null;
    this.printAbove(held);
    this.show();
  }

  /** The prompt mark of an entered line shows its route, even if the route is known only now. */
  #enter(result: ReadResult): void {
    const settled = result.type === 'line' ? (this.#options.settled?.(result.text) ?? null) : null;
    if (settled === null) this.#finish(result);
    else void this.#enterWhen(settled, result);
  }

  async #enterWhen(settled: Promise<void>, result: ReadResult): Promise<void> {
    const reading = this.#reading;
    const behind: Key[] = [];
    this.#behindEnter = behind;
    await settled;
    this.#behindEnter = null;
    if (this.#reading === reading) this.#finish(result);
    this.#handleAll(behind);
  }

  /** Leaves the line on the screen whole and settles the read. */
  #finish(result: ReadResult): void {
    const reading = this.#reading;
    if (reading === null) return;
    const key = result.type === 'interrupt' && !result.wasEmpty ? '^C' : '';
    this.#region.leave(this.#layout.of(this.#view.last(key), this.#widthOf(this.#options.size())), this.#modes.leave());
    this.#reading = null;
    this.#line.begin();
    this.#keys.begin();
    reading(result);
  }
}
