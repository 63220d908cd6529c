import { atEnd, type Cut, type EditState, EMPTY, insertText } from './edit.ts';

const MAX_UNDO = 1000;
const MAX_KILLS = 20;

/** What a change is, for undo and the kill ring: typing gathers into one step, kills in a row into one piece. */
type ChangeKind = 'type' | 'kill' | 'other';

/** The text being edited with its undo steps and kill ring. The edits themselves are the pure functions of `edit.ts`. */
export class EditBuffer {
  #state: EditState = EMPTY;
  #undo: EditState[] = [];
  #redo: EditState[] = [];
  readonly #kills: string[] = [];
  #last: ChangeKind | 'move' | 'yank' = 'move';
  /** Where the last yank stands, so that another from the ring can take its place. */
  #yanked: { readonly before: EditState; readonly at: number } | null = null;

  get state(): EditState {
    return this.#state;
  }

  get text(): string {
    return this.#state.text;
  }

  /** Moves the cursor to an offset between two characters. */
  moveTo(offset: number): void {
    this.#state = { text: this.#state.text, cursor: offset };
    this.#last = 'move';
  }

  /** Inserts what a person types; letters typed in a row are undone together, up to a blank. */
  type(text: string): void {
    const gathers = this.#last === 'type' && !/^\s/.test(text);
    this.#change(insertText(this.#state, text), 'type', gathers);
  }

  /** Puts a changed state in place as one undo step. */
  apply(state: EditState): void {
    if (state.text === this.#state.text) this.moveTo(state.cursor);
    else this.#change(state, 'other', false);
  }

  /** Replaces everything, as history does; it can be undone. */
  replace(text: string): void {
    this.apply(atEnd(text));
  }

  /** Takes a cut: kills in a row gather into one piece, in the order of the text. */
  kill({ state, cut }: Cut, direction: 'before' | 'after'): void {
    if (cut === '') return;
    const gathered = this.#last === 'kill' ? (this.#kills.pop() ?? '') : '';
    this.#kills.push(direction === 'before' ? cut + gathered : gathered + cut);
    if (this.#kills.length > MAX_KILLS) this.#kills.shift();
    this.#change(state, 'kill', false);
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
    this.#undo.push(this.#state);
    this.#state = after;
    this.#last = 'move';
  }

  /** Begins a new line: nothing to undo; what was killed stays. */
  reset(): void {
    this.#state = EMPTY;
    this.#undo = [];
    this.#redo = [];
    this.#last = 'move';
  }

  #yank(state: EditState, at: number): void {
    const piece = this.#kills[at];
    if (piece === undefined) return;
    this.#change(insertText(state, piece), 'other', false);
    this.#last = 'yank';
    this.#yanked = { before: state, at };
  }

  #change(state: EditState, kind: ChangeKind, gathers: boolean): void {
    if (!gathers) {
      this.#undo.push(this.#state);
      if (this.#undo.length > MAX_UNDO) this.#undo.shift();
    }
    this.#redo = [];
    this.#state = state;
    this.#last = kind;
  }
}
