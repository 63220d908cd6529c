import type { TerminalSize } from '../../protocol/query.ts';
import { type Completion, commonStart, fitOf, takeBestFits } from '../completion/completion.ts';
import { textWidth } from '../terminal/graphemes.ts';
import { styled, type Theme } from '../terminal/theme.ts';
import { clipText } from '../terminal/wrap.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { EditBuffer } from './buffer.ts';
import { type EditState, EMPTY, replaceBetween } from './edit.ts';
import type { LineEditorOptions } from './line-editor-options.ts';
import { formatPosition } from './messages.ts';

/** The result of a key: a new text, a change of the menu only, or nothing. */
type MenuOutcome = EditState | 'taken' | 'not taken';

/** The list of completions below the line, which Tab opens. The text always shows the selected completion; typing narrows the list. */
export class CompletionMenu {
  #before: EditState = EMPTY;
  #all: readonly Completion[] = [];
  #shown: readonly Completion[] = [];
  #selected = -1;
  #layout: MenuLayout | null = null;

  get isOpen(): boolean {
    return this.#shown.length > 0;
  }

  get hasSelection(): boolean {
    return this.#selected >= 0;
  }

  close(): void {
    this.#all = [];
    this.#shown = [];
    this.#selected = -1;
    this.#layout = null;
  }

  /** Opens the list. Returns the text with the common beginning of all completions; null for no change. */
  open(state: EditState, completions: readonly Completion[]): EditState | null {
    this.close();
    const [first, ...others] = completions;
    if (first === undefined) return null;
    if (others.length === 0) return put(state, first.start, first.text + (first.suffix ?? ' '));
    this.#all = completions;
    this.#shown = completions;
    this.#before = withCommonStart(state, completions);
    return this.#before;
  }

  /** Handles a key that moves in the list, takes a completion or closes the list. */
  press(key: string): MenuOutcome {
    if (!this.isOpen || (key === 'enter' && !this.hasSelection)) return 'not taken';
    if (key === 'escape' || key === 'ctrl-g' || key === 'enter') {
      const before = this.#before;
      this.close();
      return key === 'enter' ? 'taken' : before;
    }
    if (key === 'tab' || key === 'ctrl-n') return this.#step(1);
    return key === 'shift-tab' || key === 'ctrl-p' ? this.#step(-1) : this.#move(key);
  }

  /** Narrows the list to the completions that fit the typed text; without any, closes the list. */
  narrow(state: EditState): void {
    if (!this.isOpen) return;
    const fitting = this.#all.filter((one) => one.start <= state.cursor && hasSameHead(state, this.#before, one.start));
    const typed = fitting.length === 0 ? null : typedAt(state, fitting[0]?.start ?? 0);
    this.#selected = -1;
    this.#before = state;
    this.#shown = typed === null ? [] : takeBestFits(fitting, typed, meaningOf);
    if (!this.isOpen) this.close();
  }

  /** The rows to show, the selected one among them; their number stays while the list is open. */
  lines(size: TerminalSize, theme: Theme): readonly string[] {
    if (!this.isOpen) return [];
    this.#layout = layOutMenu(this.#shown, size, { before: this.#layout, selected: this.#selected });
    return formatMenu(this.#shown, this.#layout, { selected: this.#selected, theme });
  }

  #step(by: number): EditState {
    const count = this.#shown.length;
    return this.#select(this.#selected < 0 && by < 0 ? count - 1 : (this.#selected + by + count) % count);
  }

  /** Arrows walk rows and columns; without a selection only down begins one, so that the others move in the text. */
  #move(key: string): MenuOutcome {
    const { rows = 1, height = 1, columns = 1 } = this.#layout ?? {};
    const at = this.#selected;
    if (key === 'down') return this.#step(1);
    if (key === 'up') return this.#step(-1);
    if (at < 0) return key === 'page-down' ? this.#select(0) : 'not taken';
    const last = this.#shown.length - 1;
    if (key === 'page-down') return this.#select(Math.min(last, at + height));
    if (key === 'page-up') return this.#select(Math.max(0, at - height));
    if (columns === 1 || (key !== 'left' && key !== 'right')) return 'not taken';
    const next = at + (key === 'left' ? -rows : rows);
    return next < 0 || (next > last && at + (rows - (at % rows)) > last) ? 'taken' : this.#select(Math.min(next, last));
  }

  #select(index: number): EditState {
    this.#selected = index;
    const chosen = this.#shown[index];
    return chosen === undefined ? this.#before : put(this.#before, chosen.start, chosen.text);
  }
}

function put({ text, cursor }: EditState, start: number, added: string): EditState {
  // A blank that already stands there is not put twice.
  const needed = added.endsWith(' ') && text[cursor] === ' ' ? added.slice(0, -1) : added;
  return replaceBetween(text, [start, cursor], needed);
}

/** Inserts the text that all completions have in common, if it is no less than the typed text. */
function withCommonStart(state: EditState, completions: readonly Completion[]): EditState {
  const [{ start } = { start: 0 }] = completions;
  if (!completions.every((one) => one.start === start)) return state;
  const common = commonStart(completions.map(({ text }) => text));
  const typed = typedAt(state, start);
  const fit = typed === null ? null : fitOf(withoutQuotes(common), typed);
  return fit === null || fit > 1 ? state : put(state, start, common);
}

function hasSameHead(state: EditState, before: EditState, start: number): boolean {
  return state.text.slice(0, start) === before.text.slice(0, start);
}

/** The typed text from a place to the cursor, without its quotes; null when a new word has begun. */
function typedAt({ text, cursor }: EditState, start: number): string | null {
  const raw = text.slice(start, cursor);
  const isOver = /(?:^|[^\\])\s$/.test(raw) && !/["']/.test(text.slice(0, cursor));
  return isOver ? null : withoutQuotes(raw);
}

function withoutQuotes(raw: string): string {
  return raw.replace(/^(?:\$?'|")/, '').replace(/\\(.)/g, '$1');
}

function meaningOf(completion: Completion): string {
  return completion.value ?? completion.text;
}

interface MenuLayout {
  readonly size: TerminalSize;
  /** Rows on the screen that hold completions. */
  readonly height: number;
  /** One more row shows the count. */
  readonly hasCount: boolean;
  /** Rows of the whole list, of which `height` are on the screen, from `top` on. */
  readonly rows: number;
  readonly columns: number;
  readonly top: number;
  /** Width of a label's column. */
  readonly width: number;
  readonly hasDescriptions: boolean;
}

interface MenuStyle {
  readonly selected: number;
  readonly theme: Theme;
}

const MOST_ROWS = 8;
const LONGEST_LABEL = 40;
/** Blanks between columns. */
const GAP = 2;
/** Blanks, or the sign of the selected one, before each label. */
const SIGN = 2;
/** A description narrower than this says nothing. */
const NARROWEST_DESCRIPTION = 12;
/** Widths are measured of so many: of thousands the rest is clipped where it is wider. */
const MEASURED = 500;

/** Lays a list out. Once it is open its height stays, however few are left, unless the terminal has another size. */
function layOutMenu(
  completions: readonly Completion[],
  size: TerminalSize,
  { before, selected }: { readonly before: MenuLayout | null; readonly selected: number },
): MenuLayout {
  const kept = before !== null && before.size.columns === size.columns && before.size.rows === size.rows ? before : null;
  const widest = Math.max(...completions.slice(0, MEASURED).map((one) => textWidth(labelOf(one))));
  const width = Math.max(1, Math.min(LONGEST_LABEL, widest, size.columns - SIGN - 1));
  const hasDescriptions = describesEnough(completions) && size.columns - SIGN - width - GAP >= NARROWEST_DESCRIPTION;
  const columns = hasDescriptions ? 1 : Math.max(1, Math.floor((size.columns - 1) / (SIGN + width + GAP)));
  const rows = Math.ceil(completions.length / columns);
  const most = Math.max(1, Math.min(MOST_ROWS, Math.floor(size.rows / 2) - 1));
  const height = kept?.height ?? Math.min(most, rows);
  const hasCount = kept?.hasCount ?? rows > height;
  const row = selected < 0 ? 0 : selected % rows;
  const highest = Math.max(0, rows - height);
  const top = Math.min(highest, Math.max(row - height + 1, Math.min(kept?.top ?? 0, row)));
  return { size, height, hasCount, rows, columns, top, width, hasDescriptions };
}

/** The rows of a list, with empty ones where it has become shorter. */
function formatMenu(completions: readonly Completion[], layout: MenuLayout, style: MenuStyle): readonly string[] {
  const { rows, top, height, hasCount } = layout;
  const lines = Array.from({ length: height }, (_, at) => (top + at < rows ? formatRow(completions, top + at, layout, style) : ''));
  if (!hasCount) return lines;
  return [...lines, styled(style.theme, 'dim', `  ${formatPosition(style.selected, completions.length)}`)];
}

/** Column after column, as `ls` does: the next one stands below. */
function formatRow(completions: readonly Completion[], row: number, layout: MenuLayout, style: MenuStyle): string {
  const cells: string[] = [];
  for (let index = row; index < completions.length; index += layout.rows) {
    const completion = completions[index];
    if (completion === undefined) break;
    const isLast = index + layout.rows >= completions.length;
    cells.push(formatCell(completion, layout, { ...style, isSelected: index === style.selected, isLast }));
  }
  return cells.join(' '.repeat(GAP));
}

function formatCell(
  completion: Completion,
  { width, hasDescriptions, size }: MenuLayout,
  { theme, isSelected, isLast }: MenuStyle & { readonly isSelected: boolean; readonly isLast: boolean },
): string {
  const label = clipText(labelOf(completion), width);
  const description = hasDescriptions ? sanitizeLine(completion.description ?? '') : '';
  const isEnd = isLast && description === '';
  const padded = isEnd ? label : label + ' '.repeat(Math.max(0, width - textWidth(label)));
  const shown = isSelected ? styled(theme, 'selected', `> ${padded}`) : `  ${padded}`;
  if (description === '') return shown;
  const room = size.columns - SIGN - width - GAP - 1;
  return `${shown}${' '.repeat(GAP)}${styled(theme, 'dim', clipText(description, room))}`;
}

/** A description here and there is no reason to give up the columns of a long list. */
function describesEnough(completions: readonly Completion[]): boolean {
  const described = completions.filter(({ description }) => description !== undefined && description !== '').length;
  return described > 0 && (completions.length <= MOST_ROWS || described * 2 >= completions.length);
}

function labelOf(completion: Completion): string {
  return sanitizeLine(completion.label ?? completion.value ?? completion.text);
}

interface CompletingDeps {
  readonly buffer: EditBuffer;
  readonly complete: LineEditorOptions['complete'];
  /** A late answer has changed what is to be seen. */
  readonly changed: () => void;
}

/** Tab: one request for completions at a time. Its answer counts only if the text has not changed. */
export class Completing {
  readonly menu = new CompletionMenu();
  readonly #deps: CompletingDeps;
  #asking: AbortController | null = null;
  /** The step to be undone last is a completion of the list. */
  #hasStep = false;

  constructor(deps: CompletingDeps) {
    this.#deps = deps;
  }

  /** Whether an answer is waited for. */
  get isAsking(): boolean {
    return this.#asking !== null;
  }

  /** Requests completions for the cursor, and cancels an open request. */
  ask(): void {
    this.stop();
    const { text, cursor } = this.#deps.buffer.state;
    const asking = new AbortController();
    const answer = this.#deps.complete({ text, cursor, signal: asking.signal });
    if (!(answer instanceof Promise)) {
      this.#offer(answer);
      return;
    }
    this.#asking = asking;
    const settle = (completions: readonly Completion[]): void => {
      if (this.#asking !== asking) return;
      this.#asking = null;
      this.#offer(completions);
      this.#deps.changed();
    };
    // A failed completion offers nothing; the source reports its error itself.
    answer.then(settle, () => settle([]));
  }

  /** Cancels the open request. */
  stop(): void {
    this.#asking?.abort();
    this.#asking = null;
  }

  /** Cancels the request and closes the menu. */
  close(): void {
    this.stop();
    this.menu.close();
  }

  /** True when the menu has used the key up. */
  handle(key: string): boolean {
    const outcome = this.menu.press(key);
    if (outcome === 'not taken') return false;
    if (outcome !== 'taken') this.#put(outcome);
    return true;
  }

  /** Before a key of the line: typing on and erasing only narrow and widen the list. The key is empty for text. */
  beforeKey(key: string): void {
    this.stop();
    this.#hasStep = false;
    if (key !== '' && key !== 'backspace') this.menu.close();
  }

  /** The key has done its work. */
  afterKey(): void {
    this.menu.narrow(this.#deps.buffer.state);
  }

  /** However far somebody walks the list, it is one step to undo. */
  #put(state: EditState): void {
    const { buffer } = this.#deps;
    const before = buffer.undoDepth - (this.#hasStep ? 1 : 0);
    if (this.#hasStep) buffer.amend(state);
    else buffer.apply(state);
    this.#hasStep = buffer.undoDepth > before;
  }

  #offer(completions: readonly Completion[]): void {
    const { buffer } = this.#deps;
    this.#hasStep = false;
    const changed = this.menu.open(buffer.state, completions);
    if (changed !== null) buffer.apply(changed);
  }
}
