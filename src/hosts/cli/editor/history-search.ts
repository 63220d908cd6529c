import { atEnd, type EditState } from './edit.ts';
import { toGraphemes } from './graphemes.ts';
import { searchOlder } from './history.ts';
import type { Key } from './keys.ts';

/** What became of a key: the search goes on, is given up, ends with the key used up, or ends and the key is still to be done. */
export type SearchOutcome = 'searching' | 'cancelled' | 'taken' | 'passed';

/** Incremental search through history, from new to old. */
export class HistorySearch {
  readonly #lines: readonly string[];
  #query = '';
  #at: number;
  #failed = false;

  constructor(lines: readonly string[]) {
    this.#lines = lines;
    this.#at = lines.length;
  }

  /** The line found, cursor at its end; null before anything was found. */
  get found(): EditState | null {
    const line = this.#lines[this.#at];
    return line === undefined ? null : atEnd(line);
  }

  /** The line under the text while searching. */
  status(): string {
    return `${this.#failed ? 'not found' : 'search'}: ${this.#query}`;
  }

  handle(key: Key): SearchOutcome {
    if (key.type !== 'key') {
      this.#query += key.text.replace(/\s+/g, ' ');
      this.#find(this.#lines.length);
      return 'searching';
    }
    switch (key.key) {
      case 'ctrl-r':
      case 'up':
        if (this.#query !== '') this.#find(this.#at);
        return 'searching';
      case 'backspace':
        this.#query = toGraphemes(this.#query).slice(0, -1).join('');
        this.#find(this.#lines.length);
        return 'searching';
      case 'ctrl-g':
      case 'ctrl-c':
      case 'escape':
        return 'cancelled';
      case 'tab':
        return 'taken';
      default:
        return 'passed';
    }
  }

  #find(from: number): void {
    if (this.#query === '') {
      this.#at = this.#lines.length;
      this.#failed = false;
      return;
    }
    const at = searchOlder(this.#lines, from, this.#query);
    this.#failed = at < 0;
    if (at >= 0) this.#at = at;
  }
}
