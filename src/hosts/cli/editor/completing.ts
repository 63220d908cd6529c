import type { EditBuffer } from './buffer.ts';
import { type Completion, CompletionMenu } from './completion-menu.ts';
import type { LineEditorOptions } from './line-editor-options.ts';

/** Where completions come from and go to. */
export interface CompletingParts {
  readonly buffer: EditBuffer;
  readonly complete: LineEditorOptions['complete'];
  /** A late answer has changed what is to be seen. */
  readonly changed: () => void;
}

/** Tab: one question at a time, whose answer counts only while the text is what it was asked for. */
export class Completing {
  readonly menu = new CompletionMenu();
  readonly #parts: CompletingParts;
  #asking: AbortController | null = null;

  constructor(parts: CompletingParts) {
    this.#parts = parts;
  }

  /** Whether an answer is waited for. */
  get isAsking(): boolean {
    return this.#asking !== null;
  }

  /** Asks what can stand at the cursor; a question still open is given up. */
  ask(): void {
    this.stop();
    const { text, cursor } = this.#parts.buffer.state;
    const asking = new AbortController();
    const answer = this.#parts.complete({ text, cursor, signal: asking.signal });
    if (!(answer instanceof Promise)) {
      this.#offer(answer);
      return;
    }
    this.#asking = asking;
    const settle = (completions: readonly Completion[]): void => {
      if (this.#asking !== asking) return;
      this.#asking = null;
      this.#offer(completions);
      this.#parts.changed();
    };
    // A failed completion offers nothing; whoever answers tells of it where it should be told.
    answer.then(settle, () => settle([]));
  }

  /** Gives up the question that is open. */
  stop(): void {
    this.#asking?.abort();
    this.#asking = null;
  }

  /** Gives up the question and closes the menu. */
  close(): void {
    this.stop();
    this.menu.close();
  }

  /** True when the menu has used the key up. */
  handle(key: string): boolean {
    const { buffer } = this.#parts;
    const { menu } = this;
    if (!menu.isOpen) return false;
    if (key === 'escape' || key === 'ctrl-g') {
      buffer.apply(menu.cancel());
      return true;
    }
    const step = { tab: 1, down: 1, 'ctrl-n': 1, 'shift-tab': -1, up: -1, 'ctrl-p': -1 }[key];
    if (step !== undefined) buffer.apply(menu.select(step));
    else if (key === 'enter' && menu.hasSelection) menu.close();
    else return false;
    return true;
  }

  #offer(completions: readonly Completion[]): void {
    const { buffer } = this.#parts;
    const changed = this.menu.open(buffer.state, completions);
    if (changed !== null) buffer.apply(changed);
  }
}
