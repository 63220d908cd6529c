import { sanitizeLine } from '../../../core/sanitize.ts';
import type { TerminalSize } from '../../../protocol/client.ts';
import { styled, type Theme } from '../screen/theme.ts';
import { type EditState, EMPTY } from './edit.ts';
import { snapToBoundary, textWidth } from './graphemes.ts';

/** One thing that could stand at the cursor: it replaces the text from `start` to the cursor. */
export interface Completion {
  readonly start: number;
  readonly text: string;
  /** Shown in the menu instead of the text. */
  readonly label?: string;
  readonly description?: string;
  /** Put behind the text when this is the only one; a blank unless given. */
  readonly suffix?: string;
}

const MAX_ROWS = 8;
const MAX_LABEL = 40;

/** The list under the line that Tab opens. The text always shows the selected completion. */
export class CompletionMenu {
  #before: EditState = EMPTY;
  #completions: readonly Completion[] = [];
  #selected = -1;

  get isOpen(): boolean {
    return this.#completions.length > 0;
  }

  get hasSelection(): boolean {
    return this.#selected >= 0;
  }

  close(): void {
    this.#completions = [];
    this.#selected = -1;
  }

  /** Takes what can stand at the cursor; returns the text with what all of them have in common, null for no change. */
  open(state: EditState, completions: readonly Completion[]): EditState | null {
    this.close();
    const [first, ...others] = completions;
    if (first === undefined) return null;
    if (others.length === 0) return put(state, first.start, first.text + (first.suffix ?? ' '));
    this.#completions = completions;
    const common = completions.every((one) => one.start === first.start) ? commonStart(completions) : '';
    const typed = state.text.slice(first.start, state.cursor);
    this.#before = common.length > typed.length ? put(state, first.start, common) : state;
    return this.#before;
  }

  /** Goes to the next or previous completion and returns the text with it. */
  select(step: number): EditState {
    const count = this.#completions.length;
    this.#selected = this.#selected < 0 && step < 0 ? count - 1 : (this.#selected + step + count) % count;
    const chosen = this.#completions[this.#selected];
    return chosen === undefined ? this.#before : put(this.#before, chosen.start, chosen.text);
  }

  /** Closes the menu and returns the text as it was before anything was selected. */
  cancel(): EditState {
    this.close();
    return this.#before;
  }

  /** The rows to show, the selected one among them. */
  lines(size: TerminalSize, theme: Theme): readonly string[] {
    if (!this.isOpen) return [];
    const height = Math.max(1, Math.min(MAX_ROWS, Math.floor(size.rows / 2) - 1));
    const first = Math.max(0, Math.min(this.#selected - height + 1, this.#completions.length - height));
    const shown = this.#completions.slice(first, first + height);
    const width = Math.min(MAX_LABEL, Math.max(...shown.map((one) => textWidth(labelOf(one)))));
    const rows = shown.map((one, at) => row(one, first + at === this.#selected, width, theme));
    const hidden = this.#completions.length - shown.length;
    return hidden === 0 ? rows : [...rows, styled(theme, 'dim', `  … ${hidden} more`)];
  }
}

function row(completion: Completion, selected: boolean, width: number, theme: Theme): string {
  const label = labelOf(completion);
  const padded = label + ' '.repeat(Math.max(0, width - textWidth(label)));
  const description = completion.description === undefined ? '' : `  ${sanitizeLine(completion.description)}`;
  if (selected) return `${styled(theme, 'selected', `> ${padded}`)}${styled(theme, 'dim', description)}`;
  return `  ${padded}${styled(theme, 'dim', description)}`;
}

function labelOf(completion: Completion): string {
  return sanitizeLine(completion.label ?? completion.text);
}

function put({ text, cursor }: EditState, start: number, added: string): EditState {
  const after = text.slice(cursor);
  // A blank that already stands there is not put twice.
  const needed = added.endsWith(' ') && after.startsWith(' ') ? added.slice(0, -1) : added;
  const whole = text.slice(0, start) + needed + after;
  return { text: whole, cursor: snapToBoundary(whole, start + needed.length) };
}

function commonStart(completions: readonly Completion[]): string {
  let [{ text: common }] = [completions[0] ?? { text: '' }];
  for (const { text } of completions) {
    let size = 0;
    while (size < common.length && common[size] === text[size]) size++;
    common = common.slice(0, size);
  }
  return common;
}
