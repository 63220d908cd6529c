import type { Completion } from '../../../core/completion/completion.ts';
import { commonStart } from '../../../core/completion/quote-name.ts';
import { fitOf, takeBestFits } from '../../../core/completion/rank-match.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import type { Theme } from '../screen/theme.ts';
import { formatMenu, layOutMenu, type MenuLayout } from './completion-rows.ts';
import { type EditState, EMPTY } from './edit.ts';
import { snapToBoundary } from './graphemes.ts';

export type { Completion } from '../../../core/completion/completion.ts';

/** What a key did to the menu: the text it leaves, nothing but the menu, or nothing at all. */
export type MenuOutcome = EditState | 'taken' | 'not taken';

/** The list under the line that Tab opens. The text always shows the selected completion; typing on narrows the list. */
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

  /** Takes what can stand at the cursor; returns the text with what all of them have in common, null for no change. */
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

  /** Takes a key that walks the list, takes from it or leaves it. */
  press(key: string): MenuOutcome {
    if (!this.isOpen) return 'not taken';
    switch (key) {
      case 'escape':
      case 'ctrl-g': {
        const before = this.#before;
        this.close();
        return before;
      }
      case 'enter':
        if (!this.hasSelection) return 'not taken';
        this.close();
        return 'taken';
      case 'tab':
      case 'ctrl-n':
        return this.#step(1);
      case 'shift-tab':
      case 'ctrl-p':
        return this.#step(-1);
      default:
        return this.#move(key);
    }
  }

  /** Keeps of the list what fits the text as it is typed on; what nothing fits closes it. */
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
    return formatMenu(this.#shown, this.#layout, { selected: this.#selected, columns: size.columns, theme });
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
  const after = text.slice(cursor);
  // A blank that already stands there is not put twice.
  const needed = added.endsWith(' ') && after.startsWith(' ') ? added.slice(0, -1) : added;
  const whole = text.slice(0, start) + needed + after;
  return { text: whole, cursor: snapToBoundary(whole, start + needed.length) };
}

/** What all have in common goes in where it says no less than what is typed. */
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

/** What is typed from a place to the cursor, its quotes taken off; null when a new word has begun. */
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
