import type { HistorySearch } from './history-search.ts';

/** A source of earlier lines. The editor calls it while the user types, so it must be fast. */
export interface HistorySource {
  /** The rest of the best line that begins with `text`; empty for none. Called for each key. */
  suggest(text: string): string;
  /**
   * A walk from new to old through the lines that begin with `prefix`; lines of this directory come first if it is not empty. `run` omits
   * lines that came back without running.
   */
  walk(prefix: string, which?: 'all' | 'run'): HistoryWalk;
  /** Begins the search of Ctrl-R, with the typed text as the query. */
  search(text: string): HistorySearch;
}

/** A position in the history. Each line comes once. */
export interface HistoryWalk {
  /** The next older line; null where there is none, and then the place stays. */
  older(): string | null;
  /** The next newer line; null back at the text the walk began from. */
  newer(): string | null;
}

/** A history that begins with the lines that came back without running, the first one first. They are stored nowhere. */
export function withReturned(history: HistorySource, returned: () => readonly string[]): HistorySource {
  return {
    suggest: (text) => history.suggest(text),
    search: (text) => history.search(text),
    walk: (prefix, which = 'all') => {
      const lines = which === 'run' ? [] : returned().filter((line) => line.startsWith(prefix));
      const older = history.walk(prefix);
      return lines.length === 0 ? older : new ReturnedWalk(lines, older);
    },
  };
}

/** Through the lines that came back, then through history without them: each line comes once. */
class ReturnedWalk implements HistoryWalk {
  readonly #lines: readonly string[];
  readonly #history: HistoryWalk;
  #at = -1;

  constructor(lines: readonly string[], history: HistoryWalk) {
    this.#lines = lines;
    this.#history = history;
  }

  older(): string | null {
    if (this.#at < this.#lines.length - 1) return this.#lines[++this.#at] ?? null;
    const found = this.#step(() => this.#history.older());
    if (found !== null) this.#at = this.#lines.length;
    return found;
  }

  newer(): string | null {
    if (this.#at === this.#lines.length) {
      const found = this.#step(() => this.#history.newer());
      if (found !== null) return found;
    }
    this.#at = Math.max(-1, this.#at - 1);
    return this.#lines[this.#at] ?? null;
  }

  #step(next: () => string | null): string | null {
    for (;;) {
      const found = next();
      if (found === null || !this.#lines.includes(found)) return found;
    }
  }
}
