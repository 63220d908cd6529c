import { EditBuffer } from './buffer.ts';
import { Completing } from './completing.ts';
import * as edit from './edit.ts';
import type { HistorySearch } from './history-search.ts';
import type { Key } from './keys.ts';
import type { LineEditorOptions, ReadResult } from './line-editor-options.ts';
import { Walk } from './walk.ts';

/** What a line asks of the editor around it. */
export interface LineParts {
  readonly options: LineEditorOptions;
  /** Whether somebody waits for the line. */
  readonly isRead: () => boolean;
  /** Ends the reading. */
  readonly finish: (result: ReadResult) => void;
  readonly clearScreen: () => void;
  /** Something is to be drawn though no key was pressed. */
  readonly changed: () => void;
}

/** The line that is typed, with its walk through history, its search and its completions. Each key is one call of a method here. */
export class Line {
  readonly buffer = new EditBuffer();
  readonly walk: Walk;
  readonly completing: Completing;
  readonly #parts: LineParts;
  readonly #suggested = new Remembered((text) => this.#parts.options.history.suggest(text));
  #search: HistorySearch | null = null;

  constructor(parts: LineParts) {
    this.#parts = parts;
    const { history } = parts.options;
    this.walk = new Walk(this.buffer, history);
    this.completing = new Completing({
      buffer: this.buffer,
      complete: (request) => parts.options.complete(request),
      changed: parts.changed,
    });
  }

  /** The search through history that goes on. */
  get search(): HistorySearch | null {
    return this.#search;
  }

  /** How history goes on from what is typed; empty while the cursor is not at the end. */
  get ghost(): string {
    const { text, cursor } = this.buffer.state;
    // Only where dim looks different from typed: a suggestion must not pass for text.
    if (this.#parts.options.theme?.enabled !== true || cursor !== text.length || this.walk.isOn) return '';
    return this.#suggested.of(text);
  }

  /** Forgets what was known of history; asked when a new line begins. */
  begin(): void {
    this.buffer.reset();
    this.walk.end();
    this.completing.close();
    this.#search = null;
    this.#suggested.forget();
  }

  insertPaste(text: string): void {
    const lines = text.replace(/\r\n?/g, '\n');
    this.buffer.apply(edit.insertText(this.buffer.state, lines.replace(/\n+$/, '')));
  }

  enter(): void {
    const { text } = this.buffer;
    if (!this.#parts.isRead()) {
      // Nobody waits for a line: Enter may not lose or run what is typed.
      if (text !== '') this.buffer.type('\n');
      return;
    }
    if (text.trim() !== '' && !this.#parts.options.isComplete(text)) this.buffer.type('\n');
    else this.#parts.finish({ type: 'line', text });
  }

  interrupt(): void {
    if (this.#parts.isRead()) this.#parts.finish({ type: 'interrupt' });
    else this.#parts.options.interrupted?.();
  }

  deleteOrEnd(): void {
    if (this.buffer.text !== '') this.buffer.apply(edit.deleteForward(this.buffer.state));
    else if (this.#parts.isRead()) this.#parts.finish({ type: 'eof' });
  }

  clearScreen(): void {
    this.#parts.clearScreen();
  }

  /** Writes the line so that it goes the other way. */
  flip(): void {
    const { text, cursor } = this.buffer.state;
    const flipped = this.#parts.options.flip?.(text) ?? text;
    if (flipped === text) return;
    this.buffer.apply({ text: flipped, cursor: Math.max(0, cursor + flipped.length - text.length) });
  }

  /** Takes the ghost, or its first word; false when there is none. */
  acceptGhost(much: 'all' | 'word'): boolean {
    const { ghost } = this;
    if (ghost === '') return false;
    const size = much === 'all' ? ghost.length : edit.wordRight({ text: ghost, cursor: 0 });
    this.buffer.replace(this.buffer.text + ghost.slice(0, size));
    return true;
  }

  startSearch(): void {
    this.#search = this.#parts.options.history.search(this.buffer.text);
  }

  /** True when a search has used the key up. */
  handleSearch(key: Key): boolean {
    const search = this.#search;
    if (search === null) return false;
    const outcome = search.handle(key);
    if (outcome === 'searching') return true;
    this.#search = null;
    if (outcome === 'cancelled') return true;
    if (search.found !== null) this.buffer.apply(search.found);
    return outcome === 'taken';
  }
}

/** The last answer to a question about a text, kept while the text is the same. */
export class Remembered<T> {
  readonly #answer: (text: string) => T;
  #last: { readonly text: string; readonly answer: T } | null = null;

  constructor(answer: (text: string) => T) {
    this.#answer = answer;
  }

  of(text: string): T {
    if (this.#last?.text !== text) this.#last = { text, answer: this.#answer(text) };
    return this.#last.answer;
  }

  forget(): void {
    this.#last = null;
  }
}
