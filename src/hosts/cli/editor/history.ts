import type { HistorySearch } from './history-search.ts';

/** Where lines typed before come from. All of it is asked for while somebody types, so it must be quick. */
export interface HistorySource {
  /** What the line that best goes on from `text` has behind it; empty for none. Asked for with each key. */
  suggest(text: string): string;
  /** A walk from new to old through the lines that begin with `prefix`; lines of this directory come first where it is not empty. */
  walk(prefix: string): HistoryWalk;
  /** Begins the search of Ctrl-R, with what is typed already as its first words. */
  search(text: string): HistorySearch;
}

/** A place among lines typed before. Each line comes once. */
export interface HistoryWalk {
  /** The next older line; null where there is none, and then the place stays. */
  older(): string | null;
  /** The next newer line; null back at the text the walk began from. */
  newer(): string | null;
}
