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
export class Placeholders {
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
