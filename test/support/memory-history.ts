import { HistorySearch, type HistorySource } from '../../src/core/editor/history-search.ts';
import { HistoryIndex, type LineWalk } from '../../src/core/prompt/history-index.ts';
import { isWorthKeeping } from '../../src/core/prompt/kept-line.ts';

/** History that lives as long as the program. */
export class MemoryHistory implements HistorySource {
  readonly #index = new HistoryIndex();

  constructor(lines: readonly string[] = []) {
    for (const line of lines) this.add(line);
  }

  suggest(text: string): string {
    return this.#index.suggest(text);
  }

  walk(prefix: string): LineWalk {
    return this.#index.walk(prefix);
  }

  search(text: string): HistorySearch {
    return new HistorySearch({ ...this.#index.searched(), now: Date.now() }, text);
  }

  add(line: string): void {
    if (isWorthKeeping(line)) this.#index.add({ line, at: 0, cwd: '', route: 'command', who: 'user' });
  }
}
