import type { TerminalSize } from '../../../protocol/client.ts';
import { PLAIN_THEME, type Theme } from '../screen/theme.ts';
import { EditBuffer } from './buffer.ts';
import { type Completion, CompletionMenu } from './completion-menu.ts';
import * as edit from './edit.ts';
import { findNewer, findOlder, type HistorySource, suggest } from './history.ts';
import { HistorySearch } from './history-search.ts';
import { CHANGES, KILLS, MOVES } from './key-bindings.ts';
import { type Key, KeyParser } from './keys.ts';
import { layOut, type View } from './layout.ts';
import { Painter, type Reflow } from './paint.ts';

export type { Completion } from './completion-menu.ts';

/** What the editor needs from its surroundings. */
export interface LineEditorOptions {
  /** Writes to the terminal, whose output processing is off: a new line there is CR LF. */
  write(text: string): void;
  size(): TerminalSize;
  /** May be several lines and hold SGR sequences. */
  prompt(): string;
  readonly history: HistorySource;
  /** What can stand at the cursor. Asked when Tab is pressed. */
  complete(text: string, cursor: number): Promise<readonly Completion[]> | readonly Completion[];
  /** The mark that shows where the text would go, with SGR; best of one width whatever the text. */
  routeMark(text: string): string;
  /** The line as it must be typed to go the other way; asked for with Shift-Tab. */
  flip?(text: string): string;
  /** False while Enter should begin another line: an open quote, a block, a backslash at the end. */
  isComplete(text: string): boolean;
  readonly theme?: Theme;
  readonly reflow?: Reflow;
  /** Ctrl-C while nobody reads a line, and so somebody works. */
  interrupted?(): void;
  /** How long a lone ESC may be the beginning of a sequence. */
  readonly escapeTimeoutMs?: number;
}

/** How reading a line ended. */
export type ReadResult =
  | { readonly type: 'line'; readonly text: string }
  | { readonly type: 'eof' }
  | { readonly type: 'interrupt' };

const BRACKETED_PASTE_ON = '\x1b[?2004h';
const BRACKETED_PASTE_OFF = '\x1b[?2004l';

/**
 * Reads lines from a terminal in raw mode. The owner feeds it the terminal's bytes at any time: while nobody reads, what is
 * typed goes into the line and never runs. While the editor is hidden nothing is drawn, and nothing is lost.
 */
export class LineEditor {
  readonly #options: LineEditorOptions;
  readonly #theme: Theme;
  readonly #keys = new KeyParser();
  readonly #buffer = new EditBuffer();
  readonly #painter: Painter;
  readonly #menu = new CompletionMenu();
  #search: HistorySearch | null = null;
  #reading: ((result: ReadResult) => void) | null = null;
  #visible = false;
  #escapeTimer: ReturnType<typeof setTimeout> | null = null;
  /** Where the walk through history stands, and the text it began from. */
  #walk: { readonly at: number; readonly text: string } | null = null;

  constructor(options: LineEditorOptions) {
    this.#options = options;
    this.#theme = options.theme ?? PLAIN_THEME;
    this.#painter = new Painter(options.reflow === undefined ? {} : { reflow: options.reflow });
  }

  /** What is typed so far. */
  get text(): string {
    return this.#buffer.text;
  }

  /** Whether a line is being read. */
  get isReading(): boolean {
    return this.#reading !== null;
  }

  /** Shows the prompt and settles when a line is entered, given up or ended. One reader at a time. */
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
    this.#handleAll(this.#keys.push(bytes));
    if (this.#keys.waiting) {
      const timeout = this.#options.escapeTimeoutMs ?? 30;
      this.#escapeTimer = setTimeout(() => this.#handleAll(this.#keys.flush()), timeout);
    }
  }

  /** Puts text into the line, such as what was typed while a command ran. It never runs by itself. */
  insert(text: string): void {
    this.#insertPaste(text);
    this.redraw();
  }

  /** Shows text above the line; the line stays as it is. */
  printAbove(text: string): void {
    if (text === '') return;
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    const shown = ended.replace(/\r?\n/g, '\r\n');
    this.#options.write(this.#visible ? synchronized(this.#painter.erase() + shown + this.#paint()) : shown);
  }

  /** Draws what changed. */
  redraw(): void {
    if (!this.#visible) return;
    const output = this.#paint();
    if (output !== '') this.#options.write(output);
  }

  /** The terminal has another size now. */
  resized(): void {
    if (!this.#visible) return;
    const erased = this.#painter.eraseAfterResize(this.#options.size().columns);
    this.#options.write(synchronized(erased + this.#paint()));
  }

  /** Takes the editor off the screen; what was typed is kept. */
  hide(): void {
    if (!this.#visible) return;
    this.#visible = false;
    this.#options.write(this.#painter.erase() + BRACKETED_PASTE_OFF);
  }

  /** Puts the editor back on the screen, on the line the cursor stands on, which must be empty. */
  show(): void {
    if (this.#visible) return;
    this.#visible = true;
    this.#options.write(this.#paint() + BRACKETED_PASTE_ON);
  }

  /** Ends a read as if the input had ended, and stops timers. */
  close(): void {
    if (this.#escapeTimer !== null) clearTimeout(this.#escapeTimer);
    this.#menu.close();
    this.hide();
    const reading = this.#reading;
    this.#reading = null;
    reading?.({ type: 'eof' });
  }

  #paint(): string {
    const size = this.#options.size();
    return this.#painter.paint(layOut(this.#view(size), size.columns), size);
  }

  #view(size: TerminalSize): View {
    const base = { prompt: this.#options.prompt(), dim: this.#theme.sgr.dim };
    if (this.#search !== null) {
      const { text, cursor } = this.#search.found ?? this.#buffer.state;
      const mark = this.#options.routeMark(text);
      return { ...base, mark, text, cursor, ghost: '', below: [this.#search.status()] };
    }
    const { text, cursor } = this.#buffer.state;
    const below = this.#menu.lines(size, this.#theme);
    const ghost = below.length === 0 ? this.#ghost() : '';
    return { ...base, mark: this.#options.routeMark(text), text, cursor, ghost, below };
  }

  /** Only where dim looks different from typed: a suggestion must not pass for text. */
  #ghost(): string {
    const { text, cursor } = this.#buffer.state;
    if (!this.#theme.enabled || cursor !== text.length || this.#walk !== null) return '';
    return suggest(this.#options.history.lines(), text);
  }

  #handleAll(keys: readonly Key[]): void {
    for (const key of keys) this.#handle(key);
    this.redraw();
  }

  #handle(key: Key): void {
    if (this.#search !== null && this.#handleSearch(this.#search, key)) return;
    if (key.type === 'key' && this.#handleMenu(key.key)) return;
    this.#menu.close();
    if (key.type === 'text') this.#buffer.type(key.text);
    else if (key.type === 'paste') this.#insertPaste(key.text);
    else if (!this.#handleHistory(key.key)) this.#handleKey(key.key);
    if (key.type !== 'key' || !isHistoryKey(key.key)) this.#walk = null;
  }

  #insertPaste(text: string): void {
    const lines = text.replace(/\r\n?/g, '\n');
    this.#buffer.apply(edit.insertText(this.#buffer.state, lines.replace(/\n+$/, '')));
  }

  #handleKey(key: string): void {
    const buffer = this.#buffer;
    const move = MOVES[key];
    if (move !== undefined) {
      buffer.moveTo(move(buffer.state));
      return;
    }
    const change = CHANGES[key];
    const kill = KILLS[key];
    if (change !== undefined) buffer.apply(change(buffer.state));
    else if (kill !== undefined) buffer.kill(edit.cutTo(buffer.state, kill.to(buffer.state)), kill.direction);
    else this.#handleCommand(key);
  }

  #handleCommand(key: string): void {
    switch (key) {
      case 'enter':
        this.#enter();
        return;
      case 'alt-enter':
      case 'shift-enter':
      case 'ctrl-enter':
        this.#buffer.type('\n');
        return;
      case 'ctrl-c':
        this.#interrupt();
        return;
      case 'ctrl-d':
        this.#deleteOrEnd();
        return;
      case 'ctrl-l':
        this.#clearScreen();
        return;
      case 'ctrl-r':
        this.#search = new HistorySearch(this.#options.history.lines());
        return;
      case 'ctrl-y':
        this.#buffer.yank();
        return;
      case 'alt-y':
        this.#buffer.yankPop();
        return;
      case 'ctrl-_':
      case 'ctrl-z':
        this.#buffer.undo();
        return;
      case 'alt-_':
      case 'ctrl-shift-z':
      case 'alt-/':
        this.#buffer.redo();
        return;
      case 'tab':
        this.#complete();
        return;
      case 'shift-tab':
        this.#flip();
        return;
    }
  }

  #flip(): void {
    const { text, cursor } = this.#buffer.state;
    const flipped = this.#options.flip?.(text) ?? text;
    if (flipped === text) return;
    this.#buffer.apply({ text: flipped, cursor: Math.max(0, cursor + flipped.length - text.length) });
  }

  #enter(): void {
    const { text } = this.#buffer;
    if (this.#reading === null) {
      // Nobody waits for a line: Enter may not lose or run what is typed.
      if (text !== '') this.#buffer.type('\n');
      return;
    }
    if (text.trim() !== '' && !this.#options.isComplete(text)) this.#buffer.type('\n');
    else this.#finish({ type: 'line', text });
  }

  #interrupt(): void {
    if (this.#reading === null) this.#options.interrupted?.();
    else this.#finish({ type: 'interrupt' });
  }

  #deleteOrEnd(): void {
    if (this.#buffer.text !== '') this.#buffer.apply(edit.deleteForward(this.#buffer.state));
    else if (this.#reading !== null) this.#finish({ type: 'eof' });
  }

  /** Leaves the line on the screen whole, without ghost and menu, and settles the read. */
  #finish(result: ReadResult): void {
    const reading = this.#reading;
    if (reading === null) return;
    if (this.#visible) this.#options.write(this.#leave() + BRACKETED_PASTE_OFF);
    this.#visible = false;
    this.#reading = null;
    this.#walk = null;
    this.#buffer.reset();
    reading(result);
  }

  #leave(): string {
    const { text } = this.#buffer;
    const { columns, rows } = this.#options.size();
    const view = { prompt: this.#options.prompt(), mark: this.#options.routeMark(text), text, cursor: text.length };
    const frame = layOut({ ...view, ghost: '', dim: this.#theme.sgr.dim, below: [] }, columns);
    const size = { columns, rows: Math.max(rows, frame.rows.length) };
    // Of a text higher than the screen only a part is drawn; all of it goes into the scrollback.
    const before = frame.rows.length > rows ? this.#painter.erase() : '';
    const drawn = before + this.#painter.paint(frame, size);
    this.#painter.forget();
    return frame.cursor.column === 0 && text !== '' && !text.endsWith('\n') ? drawn : `${drawn}\r\n`;
  }

  #clearScreen(): void {
    if (!this.#visible) return;
    this.#painter.forget();
    this.#options.write('\x1b[H\x1b[2J');
  }

  #handleHistory(key: string): boolean {
    if (!isHistoryKey(key)) return this.#acceptGhost(key);
    const up = key === 'up' || key === 'ctrl-p';
    const moved =
      this.#walk === null || this.text.includes('\n') ? edit.lineMove(this.#buffer.state, up ? 'up' : 'down') : null;
    if (moved !== null) {
      this.#buffer.moveTo(moved);
      return true;
    }
    this.#walkHistory(up);
    return true;
  }

  #walkHistory(up: boolean): void {
    const lines = this.#options.history.lines();
    const { at, text } = this.#walk ?? { at: lines.length, text: this.text };
    const found = (up ? findOlder : findNewer)(lines, at, text, this.text);
    if (found < 0 || (found >= lines.length && this.#walk === null)) return;
    this.#walk = found >= lines.length ? null : { at: found, text };
    this.#buffer.replace(lines[found] ?? text);
  }

  #acceptGhost(key: string): boolean {
    const whole = key === 'right' || key === 'end' || key === 'ctrl-f' || key === 'ctrl-e';
    const word = key === 'alt-f' || key === 'ctrl-right' || key === 'alt-right';
    const ghost = whole || word ? this.#ghost() : '';
    if (ghost === '') return false;
    const size = whole ? ghost.length : edit.wordRight({ text: ghost, cursor: 0 });
    this.#buffer.replace(this.text + ghost.slice(0, size));
    return true;
  }

  #complete(): void {
    const { text, cursor } = this.#buffer.state;
    const answer = this.#options.complete(text, cursor);
    if (!(answer instanceof Promise)) {
      this.#offer(answer);
      return;
    }
    void answer.then((completions) => {
      // Somebody who went on typing does not want it any more.
      if (this.#buffer.text !== text || this.#buffer.state.cursor !== cursor || this.#search !== null) return;
      this.#offer(completions);
      this.redraw();
    });
  }

  #offer(completions: readonly Completion[]): void {
    const changed = this.#menu.open(this.#buffer.state, completions);
    if (changed !== null) this.#buffer.apply(changed);
  }

  #handleMenu(key: string): boolean {
    if (!this.#menu.isOpen) return false;
    if (key === 'escape' || key === 'ctrl-g') {
      this.#buffer.apply(this.#menu.cancel());
      return true;
    }
    const step = { tab: 1, down: 1, 'ctrl-n': 1, 'shift-tab': -1, up: -1, 'ctrl-p': -1 }[key];
    if (step !== undefined) this.#buffer.apply(this.#menu.select(step));
    else if (key === 'enter' && this.#menu.hasSelection) this.#menu.close();
    else return false;
    return true;
  }

  /** True when the search has used the key up. */
  #handleSearch(search: HistorySearch, key: Key): boolean {
    const outcome = search.handle(key);
    if (outcome === 'searching') return true;
    this.#search = null;
    if (outcome === 'cancelled') return true;
    if (search.found !== null) this.#buffer.apply(search.found);
    return outcome === 'taken';
  }
}

function isHistoryKey(key: string): boolean {
  return key === 'up' || key === 'down' || key === 'ctrl-p' || key === 'ctrl-n';
}

function synchronized(output: string): string {
  return `\x1b[?2026h${output}\x1b[?2026l`;
}
