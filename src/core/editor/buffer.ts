import { snapToBoundary } from '../terminal/graphemes.ts';
import { atEnd, type Cut, deleteBackward, deleteForward, type EditState, EMPTY, insertText } from './edit.ts';

/*
 * Long pastes are folded: in the text stands one character that no script uses (U+FDD0 to U+FDEF are set aside by Unicode for
 * the inside of programs), and the screen shows how much there is. Cursor, words, undo and layout need to know nothing of it.
 */

const FIRST = 0xfdd0;
const COUNT = 32;
const FOLDED = /[\ufdd0-\ufdef]/g;
const MOST_LINES = 12;
const MOST_CHARACTERS = 2000;
/** So much of a long piece is looked at with each key: to route and to colour a text costs more than all else of a key. */
const MOST_PREVIEWED = 400;
/** More characters than this would make each key slow; it can be seen in an editor of its own. */
export const MOST_OPENED = 100_000;

/** The long pieces of the typed text, each with one placeholder character. */
class Placeholders {
  readonly #texts: string[] = [];
  /** The label of each on the screen: computed once, because a key must not go through a whole long text. */
  readonly #labels: string[] = [];

  /** The characters for the text: the piece itself, or a placeholder for a long piece. */
  fold(piece: string): string {
    const text = clean(piece);
    if (text.length <= MOST_CHARACTERS && countLines(text) <= MOST_LINES) return text;
    const known = this.#texts.indexOf(text);
    if (known < 0 && this.#texts.length === COUNT) return text;
    const at = known < 0 ? this.#texts.length : known;
    this.#keep(at, text);
    return String.fromCharCode(FIRST + at);
  }

  /** Adds to what a character stands for; false for one that stands for itself. */
  extend(character: string, piece: string): boolean {
    if (this.label(character) === null) return false;
    this.#keep(character.charCodeAt(0) - FIRST, this.#textOf(character) + clean(piece));
    return true;
  }

  /** The whole text. */
  expand(text: string): string {
    return text.replace(FOLDED, (character) => this.#textOf(character));
  }

  /** The text with only the beginning of what is folded: enough to see what kind of text it is. More of it is taken where no key waits. */
  preview(text: string, { isEntered = false } = {}): string {
    const most = isEntered ? MOST_CHARACTERS : MOST_PREVIEWED;
    return text.replace(FOLDED, (character) => this.#textOf(character).slice(0, most));
  }

  /** The label of a placeholder on the screen; null for any other character. */
  label(character: string): string | null {
    const code = character.charCodeAt(0);
    if (!(code >= FIRST && code < FIRST + COUNT)) return null;
    return this.#labels[code - FIRST] ?? toLabel('');
  }

  /** The text of a placeholder if it is short enough for the line; null otherwise. */
  open(character: string): string | null {
    if (this.label(character) === null) return null;
    const text = this.#textOf(character);
    return text.length <= MOST_OPENED ? text : null;
  }

  /** Forgets all pieces, for a text without placeholders. */
  clear(): void {
    this.#texts.length = 0;
    this.#labels.length = 0;
  }

  #keep(at: number, text: string): void {
    this.#texts[at] = text;
    this.#labels[at] = toLabel(text);
  }

  #textOf(character: string): string {
    return this.#texts[character.charCodeAt(0) - FIRST] ?? '';
  }
}

/** Removes placeholder characters from text that comes from outside. */
export function clean(text: string): string {
  return text.replace(FOLDED, '\ufffd');
}

function toLabel(text: string): string {
  const lines = countLines(text);
  return lines > 1 ? `[pasted ${lines} lines]` : `[pasted ${text.length} characters]`;
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

const MAX_UNDO = 1000;
/** Texts kept for undo share nothing, so many steps of a long text would be costly. */
const MAX_UNDO_CHARACTERS = 2_000_000;
const MAX_KILLS = 20;

/** The kind of a change, for undo and the kill ring: typing and deleting join into one step, successive kills into one piece. */
type ChangeKind = 'type' | 'delete' | 'kill' | 'other';

/** The edited text with its undo steps and kill ring. The pure functions of `edit.ts` make the edits. */
export class EditBuffer {
  /** The texts of placeholders. */
  readonly placeholders = new Placeholders();
  #state: EditState = EMPTY;
  #undo: EditState[] = [];
  #redo: EditState[] = [];
  readonly #kills: string[] = [];
  #last: ChangeKind | 'move' | 'yank' = 'move';
  /** The position of the last yank, so that another from the ring can replace it. */
  #yanked: { readonly before: EditState; readonly at: number } | null = null;

  get state(): EditState {
    return this.#state;
  }

  get text(): string {
    return this.#state.text;
  }

  /** The text with the texts of its placeholders. */
  get wholeText(): string {
    return this.placeholders.expand(this.#state.text);
  }

  /** Moves the cursor to an offset between two characters. */
  moveTo(offset: number): void {
    this.#state = { text: this.#state.text, cursor: offset };
    this.#last = 'move';
  }

  /** Inserts what a user types; letters typed in a row are undone together, up to a blank. */
  type(text: string): void {
    const gathers = this.#last === 'type' && !/^\s/.test(text);
    this.#change(insertText(this.#state, clean(text)), 'type', gathers);
  }

  /** Inserts a whole piece as one undo step; a long one is folded. */
  paste(text: string): void {
    this.#change(insertText(this.#state, this.placeholders.fold(text)), 'other', false);
  }

  /** Adds to the paste that ends at the cursor, without a step to undo of its own where that is folded. */
  extendPaste(text: string): void {
    const { text: all, cursor } = this.#state;
    const before = all[cursor - 1] ?? '';
    const isOnlyOne = all.indexOf(before) === cursor - 1 && !all.includes(before, cursor);
    if (cursor === 0 || !isOnlyOne || !this.placeholders.extend(before, text)) this.paste(text);
  }

  /** Takes one character away; those taken in a row are undone together. */
  delete(direction: 'backward' | 'forward'): void {
    const state = direction === 'backward' ? deleteBackward(this.#state) : deleteForward(this.#state);
    if (state.text !== this.#state.text) this.#change(state, 'delete', this.#last === 'delete');
  }

  /** Applies a changed state as one undo step. */
  apply(state: EditState): void {
    if (state.text === this.#state.text) this.moveTo(state.cursor);
    else this.#change(state, 'other', false);
  }

  /** Replaces the last change with another state. */
  amend(state: EditState): void {
    const before = this.#undo.pop();
    this.#state = before ?? this.#state;
    this.apply(state);
  }

  /** Replaces everything, as history does; it can be undone. */
  replace(text: string): void {
    this.apply(atEnd(text));
  }

  /** Takes a cut: kills in a row gather into one piece, in the order of the text. */
  kill({ state, cut }: Cut, direction: 'before' | 'after'): void {
    if (cut === '') return;
    const gathered = this.#last === 'kill' ? (this.#kills.pop() ?? '') : '';
    const piece = this.placeholders.expand(cut);
    this.#kills.push(direction === 'before' ? piece + gathered : gathered + piece);
    if (this.#kills.length > MAX_KILLS) this.#kills.shift();
    this.#change(state, 'kill', false);
  }

  /** Keeps a piece for a later yank; the text stays. */
  copy(piece: string): void {
    if (piece !== '') this.#kills.push(this.placeholders.expand(piece));
    this.#last = 'move';
  }

  /** The text that a yank would insert. */
  get lastKill(): string {
    return this.#kills.at(-1) ?? '';
  }

  yank(): void {
    this.#yank(this.#state, this.#kills.length - 1);
  }

  /** Directly after a yank: puts the piece killed before it in its place. */
  yankPop(): void {
    if (this.#last !== 'yank' || this.#yanked === null) return;
    const { before, at } = this.#yanked;
    this.#undo.pop();
    this.#state = before;
    this.#yank(before, at === 0 ? this.#kills.length - 1 : at - 1);
  }

  undo(): void {
    const before = this.#undo.pop();
    if (before === undefined) return;
    this.#redo.push(this.#state);
    this.#state = before;
    this.#last = 'move';
  }

  redo(): void {
    const after = this.#redo.pop();
    if (after === undefined) return;
    this.#remember(this.#state);
    this.#state = after;
    this.#last = 'move';
  }

  /** Undoes everything; that too can be undone. */
  revert(): void {
    const [first] = this.#undo;
    if (first !== undefined) this.apply(first);
  }

  /** From now on every change is a step of its own until the next. */
  breakUndo(): void {
    this.#last = 'move';
  }

  /** How many steps can be undone. */
  get undoDepth(): number {
    return this.#undo.length;
  }

  /** Makes one step of all since there were so many. */
  joinUndo(depth: number): void {
    this.#undo.splice(depth + 1);
  }

  /** Begins a new line: nothing to undo; what was killed stays. */
  reset(): void {
    this.#state = EMPTY;
    this.#undo = [];
    this.#redo = [];
    this.#last = 'move';
    this.placeholders.clear();
  }

  #yank(state: EditState, at: number): void {
    const piece = this.#kills[at];
    if (piece === undefined) return;
    this.#change(insertText(state, this.placeholders.fold(piece)), 'other', false);
    this.#last = 'yank';
    this.#yanked = { before: state, at };
  }

  #change(state: EditState, kind: ChangeKind, gathers: boolean): void {
    if (!gathers) this.#remember(this.#state);
    this.#redo = [];
    // Inserted or removed text may join with a mark behind it, and the cursor must be between characters.
    this.#state = { text: state.text, cursor: snapToBoundary(state.text, state.cursor) };
    this.#last = kind;
  }

  #remember(state: EditState): void {
    this.#undo.push(state);
    let size = this.#undo.reduce((sum, { text }) => sum + text.length, 0);
    while (this.#undo.length > 1 && (this.#undo.length > MAX_UNDO || size > MAX_UNDO_CHARACTERS))
      size -= this.#undo.shift()?.text.length ?? 0;
  }
}
