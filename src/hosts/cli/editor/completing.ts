import type { EditBuffer } from './buffer.ts';
import { type Completion, CompletionMenu } from './completion-menu.ts';
import type { EditState } from './edit.ts';
import type { LineEditorOptions } from './line-editor-options.ts';

interface CompletingDeps {
  readonly buffer: EditBuffer;
  readonly complete: LineEditorOptions['complete'];
  /** A late answer has changed what is to be seen. */
  readonly changed: () => void;
}

/** Tab: one request for completions at a time. Its answer counts only if the text has not changed. */
export class Completing {
  readonly menu = new CompletionMenu();
  readonly #deps: CompletingDeps;
  #asking: AbortController | null = null;
  /** The step to be undone last is a completion of the list. */
  #hasStep = false;

  constructor(deps: CompletingDeps) {
    this.#deps = deps;
  }

  /** Whether an answer is waited for. */
  get isAsking(): boolean {
    return this.#asking !== null;
  }

  /** Requests completions for the cursor, and cancels an open request. */
  ask(): void {
    this.stop();
    const { text, cursor } = this.#deps.buffer.state;
    const asking = new AbortController();
    const answer = this.#deps.complete({ text, cursor, signal: asking.signal });
    if (!(answer instanceof Promise)) {
      this.#offer(answer);
      return;
    }
    this.#asking = asking;
    const settle = (completions: readonly Completion[]): void => {
      if (this.#asking !== asking) return;
      this.#asking = null;
      this.#offer(completions);
      this.#deps.changed();
    };
    // A failed completion offers nothing; the source reports its error itself.
    answer.then(settle, () => settle([]));
  }

  /** Cancels the open request. */
  stop(): void {
    this.#asking?.abort();
    this.#asking = null;
  }

  /** Cancels the request and closes the menu. */
  close(): void {
    this.stop();
    this.menu.close();
  }

  /** True when the menu has used the key up. */
  handle(key: string): boolean {
    const outcome = this.menu.press(key);
    if (outcome === 'not taken') return false;
    if (outcome !== 'taken') this.#put(outcome);
    return true;
  }

  /** Before a key of the line: typing on and erasing only narrow and widen the list. The key is empty for text. */
  beforeKey(key: string): void {
    this.stop();
    this.#hasStep = false;
    if (key !== '' && key !== 'backspace') this.menu.close();
  }

  /** The key has done its work. */
  afterKey(): void {
    this.menu.narrow(this.#deps.buffer.state);
  }

  /** However far somebody walks the list, it is one step to undo. */
  #put(state: EditState): void {
    const { buffer } = this.#deps;
    const before = buffer.undoDepth - (this.#hasStep ? 1 : 0);
    if (this.#hasStep) buffer.amend(state);
    else buffer.apply(state);
    this.#hasStep = buffer.undoDepth > before;
  }

  #offer(completions: readonly Completion[]): void {
    const { buffer } = this.#deps;
    this.#hasStep = false;
    const changed = this.menu.open(buffer.state, completions);
    if (changed !== null) buffer.apply(changed);
  }
}
