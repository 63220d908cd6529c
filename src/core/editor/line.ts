import type { Direction } from '../prompt/directories.ts';
import type { LineWalk } from '../prompt/history-index.ts';
import { clean, EditBuffer, MOST_OPENED } from './buffer.ts';
import { Completing } from './completion-menu.ts';
import * as edit from './edit.ts';
import type { HistorySearch, HistorySource } from './history-search.ts';
import type { Key } from './keys.ts';
import type { LineEditorOptions, ReadResult } from './line-editor-options.ts';
import { TOO_LONG_TO_SHOW } from './messages.ts';

interface LineDeps {
  readonly options: LineEditorOptions;
  /** Whether a reader waits for the line. */
  readonly isRead: () => boolean;
  readonly finish: (result: ReadResult) => void;
  /** The reading ends in a moment. */
  readonly isEntered: () => boolean;
  readonly clearScreen: () => void;
  /** Hides the editor while another program has the terminal, and takes the new text; null for the same. */
  readonly lend: (use: () => Promise<string | null>) => void;
  /** Redraws without a key. */
  readonly changed: () => void;
}

/** The key whose repetition goes on where it was. */
export const LAST_ARGUMENT = 'alt-.';

/** The typed line, with its position in the history, its search and its completions. Each key calls one method. */
export class Line {
  readonly buffer = new EditBuffer();
  readonly walk: Walk;
  readonly completing: Completing;
  readonly #deps: LineDeps;
  readonly #suggested = new Remembered((text) => this.#deps.options.history.suggest(text));
  #search: HistorySearch | null = null;
  /** The last query; empty for none. */
  #sought = '';
  /** The words of earlier lines that Alt-. puts in, one after the other. */
  #lastWords: { readonly walk: LineWalk; readonly before: edit.EditState } | null = null;
  /** The line that stands in history behind the one entered with Ctrl-O. */
  #next: string | null = null;
  /** A hint below the line until the next key. */
  hint = '';

  constructor(deps: LineDeps) {
    this.#deps = deps;
    const { history } = deps.options;
    this.walk = new Walk(this.buffer, history);
    this.completing = new Completing({
      buffer: this.buffer,
      complete: (request) => deps.options.complete(request),
      changed: deps.changed,
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
    if (this.#deps.options.theme?.enabled !== true || cursor !== text.length || this.walk.isOn) return '';
    return this.#suggested.of(text);
  }

  /** Whether the text ends, at the cursor, with something that is folded. */
  get isBehindPlaceholder(): boolean {
    const { text, cursor } = this.buffer.state;
    const isStyled = this.#deps.options.theme?.enabled === true;
    return isStyled && cursor === text.length && this.buffer.placeholders.label(text.slice(-1)) !== null;
  }

  /** Begins a new line. */
  begin(): void {
    this.buffer.reset();
    this.walk.end();
    this.completing.close();
    this.#search = null;
    this.#suggested.forget();
    if (this.#next !== null) this.buffer.replace(this.#next);
    this.#next = null;
  }

  /** Called before each key that is no part of a search or a menu. */
  beforeKey(key: string): void {
    this.hint = '';
    this.completing.beforeKey(key);
    if (key !== LAST_ARGUMENT) this.#lastWords = null;
  }

  /** More of the paste that ends at the cursor. */
  extendPaste(text: string): void {
    this.buffer.extendPaste(withoutEnd(text));
  }

  /** Inserts a paste. A long one becomes a placeholder; final newlines are dropped, so that it never looks entered. */
  insertPaste(text: string): void {
    this.buffer.paste(withoutEnd(text));
  }

  /** Inserts what a user types. A blank expands the abbreviation before it: both are one step to undo. */
  type(text: string): void {
    const { expand } = this.#deps.options;
    for (const part of expand === undefined ? [text] : text.split(/(?<= )|(?= )/)) {
      const state = part === ' ' ? expand?.(this.buffer.state) : undefined;
      if (state === undefined || state === null) this.buffer.type(part);
      else this.buffer.apply(edit.insertText(state, ' '));
    }
  }

  /** Expands the abbreviation before the cursor, since the line is about to be entered. */
  expand(): void {
    const state = this.#deps.options.expand?.(this.buffer.state) ?? null;
    if (state !== null) this.buffer.apply(state);
  }

  enter(): void {
    const { text } = this.buffer;
    if (!this.#deps.isRead()) {
      // Nobody waits for a line: Enter may not lose or run what is typed.
      if (text !== '') this.buffer.type('\n');
      return;
    }
    const whole = this.buffer.wholeText;
    const isComplete = text.trim() === '' || this.#deps.options.isComplete(whole);
    if (isComplete === true) this.#deps.finish({ type: 'line', text: whole });
    else this.buffer.type('\n');
    if (typeof isComplete !== 'boolean') void this.#enterWhen(isComplete, whole);
  }

  /** The line goes on until somebody has found it complete: then it is entered, and what was typed meanwhile is the next one. */
  async #enterWhen(isComplete: Promise<boolean>, whole: string): Promise<void> {
    if (!(await isComplete) || !this.#deps.isRead()) return;
    const { wholeText } = this.buffer;
    if (!wholeText.startsWith(`${whole}\n`)) return;
    const rest = wholeText.slice(whole.length + 1);
    this.buffer.replace(whole);
    this.#deps.changed();
    if (rest !== '') this.#next = rest;
    this.#deps.finish({ type: 'line', text: whole });
  }

  /** Enters the line, and begins the next one with what came after it in history. */
  enterAndGetNext(): void {
    if (!this.#deps.isRead()) return;
    this.#next = this.walk.next();
    this.enter();
    if (!this.#deps.isEntered()) this.#next = null;
  }

  /** Makes the line a comment, or no comment any more, and enters it: put aside, and found again in history. */
  comment(): void {
    const { text } = this.buffer;
    this.buffer.replace(text.startsWith('#') ? text.replace(/^#/gm, '') : text.replace(/^/gm, '#'));
    this.enter();
  }

  /** Puts `sudo` before the line or takes it away; an empty line becomes the one before first. */
  toggleSudo(): void {
    const { text, cursor } = this.buffer.state;
    const isEmpty = text.trim() === '';
    const line = isEmpty ? (this.#deps.options.history.walk('', 'run').older() ?? '') : text;
    if (line === '') return;
    const rest = line.replace(/^\s*sudo\s+/, '');
    const changed = rest === line || isEmpty ? `sudo ${rest}` : rest;
    const at = isEmpty ? changed.length : Math.max(0, cursor + changed.length - line.length);
    this.buffer.apply({ text: changed, cursor: at });
  }

  /** Inserts the last word of the previous line that ran; repeated, of the line before that. */
  insertLastArgument(): void {
    const isAgain = this.#lastWords !== null;
    const { walk, before } = this.#lastWords ?? {
      walk: this.#deps.options.history.walk('', 'run'),
      before: this.buffer.state,
    };
    const line = walk.older();
    if (line === null) return;
    this.#lastWords = { walk, before };
    const state = edit.insertText(before, lastWord(line));
    if (isAgain) this.buffer.amend(state);
    else this.buffer.apply(state);
  }

  /** Replaces the placeholder next to the cursor with its text; false without a placeholder. */
  openPlaceholder(): boolean {
    const { text, cursor } = this.buffer.state;
    const at = [cursor - 1, cursor].find((place) => this.buffer.placeholders.label(text[place] ?? '') !== null);
    if (at === undefined) return false;
    const opened = this.buffer.placeholders.open(text[at] ?? '');
    if (opened === null) this.hint = TOO_LONG_TO_SHOW;
    else this.buffer.apply(edit.replaceBetween(text, [at, at + 1], opened));
    return true;
  }

  /** Opens the text in the user's editor. */
  editExternally(): void {
    const { editExternally } = this.#deps.options;
    if (editExternally !== undefined) this.#deps.lend(() => editExternally(this.buffer.wholeText));
  }

  /** Opens the manual page of the command at the cursor, and keeps the line. */
  openManual(): void {
    const { openManual } = this.#deps.options;
    const { text, cursor } = this.buffer.state;
    if (openManual !== undefined && text.trim() !== '') this.#deps.lend(() => openManual(text, cursor).then(() => null));
  }

  /** Replaces the whole text. */
  replaceWhole(text: string): void {
    const { placeholders } = this.buffer;
    const ended = withoutEnd(text);
    this.buffer.replace(ended.length > MOST_OPENED ? placeholders.fold(ended) : clean(ended));
  }

  interrupt(): void {
    if (this.#deps.isRead()) this.#deps.finish({ type: 'interrupt', wasEmpty: this.buffer.text === '' });
    else this.#deps.options.interrupted?.();
  }

  deleteOrEnd(): void {
    if (this.buffer.text !== '') this.buffer.delete('forward');
    else if (this.#deps.isRead()) this.#deps.finish({ type: 'eof' });
  }

  /** Goes to another directory where the line is empty; false for any other line. */
  travel(direction: Direction): boolean {
    if (this.buffer.text !== '' || !this.#deps.isRead()) return false;
    this.#deps.options.travel?.(direction);
    return true;
  }

  clearScreen(): void {
    this.#deps.clearScreen();
  }

  /** Changes the route of the line. */
  flip(): void {
    const { text, cursor } = this.buffer.state;
    const flipped = this.#deps.options.flip?.(text) ?? text;
    if (flipped === text) return;
    this.buffer.apply({ text: flipped, cursor: Math.max(0, cursor + flipped.length - text.length) });
  }

  /** Accepts the suggestion, or its first word; false without a suggestion. */
  acceptGhost(much: 'all' | 'word'): boolean {
    const { ghost } = this;
    if (ghost === '') return false;
    const size = much === 'all' ? ghost.length : edit.wordRight({ text: ghost, cursor: 0 });
    this.buffer.replace(this.buffer.text + ghost.slice(0, size));
    return true;
  }

  startSearch(text = this.buffer.text): void {
    this.#search = this.#deps.options.history.search(text);
  }

  /** Puts in the next match of the last search, or the one before, without asking again. */
  searchAgain(step: 1 | -1): void {
    if (this.#sought === '') return;
    const found = this.#deps.options.history.search(this.#sought).nextTo(this.buffer.text, step);
    if (found !== null) this.buffer.apply(found);
  }

  /** True if a search handled the key. */
  handleSearch(key: Key): boolean {
    const search = this.#search;
    if (search === null) return false;
    const outcome = search.handle(key);
    if (outcome === 'searching') return true;
    this.#search = null;
    if (outcome !== 'cancelled') this.#sought = search.query;
    if (outcome === 'cancelled') return true;
    if (search.found !== null) this.buffer.apply(search.found);
    return outcome === 'taken';
  }
}

/** Text with line ends as they are here, and none at its end. */
function withoutEnd(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(/(?<!\n)\n+$/, '');
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

const WORDS = /(?:[^\s"'\\]|\\[\s\S]|"(?:\\[\s\S]|[^"\\])*"?|'[^']*'?)+/g;

/** The last word of a line as a shell takes words: quotes and backslashes keep blanks inside. */
function lastWord(line: string): string {
  return line.match(WORDS)?.at(-1) ?? '';
}

/** The arrows: through the lines of the text first, then through those lines of history that begin as the text does. */
class Walk {
  readonly #buffer: EditBuffer;
  readonly #history: HistorySource;
  /** The walk that goes on, the text it began from, and the line it has put in its place. */
  #place: { readonly walk: LineWalk; readonly text: string; readonly shown: string } | null = null;

  constructor(buffer: EditBuffer, history: HistorySource) {
    this.#buffer = buffer;
    this.#history = history;
  }

  /** Whether the text is a line of history now. Once it was changed by hand, the next walk begins from it. */
  get isOn(): boolean {
    return this.#place !== null && this.#place.shown === this.#buffer.text;
  }

  /** The line of history that comes after the one shown; null when there is none. The walk is over then. */
  next(): string | null {
    const next = this.isOn ? (this.#place?.walk.newer() ?? null) : null;
    this.end();
    return next;
  }

  /** The next walk begins anew. */
  end(): void {
    this.#place = null;
  }

  /** One line up or down in the text, or, at its edge, one step in history. */
  step(direction: 'up' | 'down'): void {
    const { state, text } = this.#buffer;
    const moved = !this.isOn || text.includes('\n') ? edit.lineMove(state, direction) : null;
    if (moved === null) this.stepHistory(direction);
    else this.#buffer.moveTo(moved);
  }

  /** One step in history, whatever lines the text has. */
  stepHistory(direction: 'up' | 'down'): void {
    const { text } = this.#buffer;
    const place = this.isOn ? this.#place : null;
    const { walk, text: begun } = place ?? { walk: this.#history.walk(text), text };
    const found = direction === 'up' ? walk.older() : walk.newer();
    if (found === null && (direction === 'up' || place === null)) return;
    this.#place = found === null ? null : { walk, text: begun, shown: found };
    this.#buffer.replace(found ?? begun);
  }
}
