import type { OpenCall } from '../../core/session/state.ts';
import type { TerminalSize } from '../../protocol/client.ts';
import type { Decision } from '../../protocol/op.ts';
import { MemoryHistory } from './editor/history.ts';
import { KeyParser } from './editor/keys.ts';
import { LineEditor } from './editor/line-editor.ts';
import { type ApprovalKey, formatApproval } from './screen/approval.ts';
import type { Theme } from './screen/theme.ts';

/** What a question needs from its surroundings. */
export interface QuestionOptions {
  /** Prints lines that stay. */
  print(text: string): void;
  /** Writes to the terminal as it is. */
  write(text: string): void;
  size(): TerminalSize;
  readonly theme: Theme;
  /** Nothing may be drawn over what stands there. */
  readonly isPlain?: boolean;
  /** The terminal understands no sequences. */
  readonly isDumb?: boolean;
  decide(decision: Decision): void;
  /** Ctrl-C: the turn is given up. */
  interrupt(): void;
}

/** Asks the person about one call: y once, n no, a always, d deny with a reason, v view all. Any other key asks again. */
export class Question {
  readonly #open: OpenCall;
  readonly #options: QuestionOptions;
  readonly #keys = new KeyParser();
  #reason: LineEditor | null = null;
  #offered: readonly ApprovalKey[] = [];
  #done = false;

  constructor(open: OpenCall, options: QuestionOptions) {
    this.#open = open;
    this.#options = options;
    this.#show({ all: false });
  }

  /** True while the reason for a refusal is typed. */
  get wantsText(): boolean {
    return this.#reason !== null;
  }

  /** Takes keys. A paste is no answer. */
  feed(bytes: Uint8Array): void {
    if (this.#reason !== null) {
      this.#reason.feed(bytes);
      return;
    }
    for (const key of this.#keys.push(bytes)) {
      if (this.#done || this.#reason !== null) return;
      if (key.type === 'text') this.#answer(key.text);
      else if (key.type === 'key' && key.key === 'ctrl-c') this.#options.interrupt();
    }
  }

  /** The terminal has another size, or the question is over. */
  close(): void {
    this.#done = true;
    this.#reason?.close();
  }

  #answer(text: string): void {
    const key = this.#offered.find((offered) => offered === text.toLowerCase());
    switch (key) {
      case 'y':
        this.#decide('yes', { type: 'allow' });
        return;
      case 'n':
        this.#decide('no', { type: 'deny' });
        return;
      case 'a':
        this.#decide(`always: ${this.#open.call.name}`, { type: 'allow-always', rule: this.#open.call.name });
        return;
      case 'd':
        void this.#askReason();
        return;
      case 'v':
        this.#show({ all: true });
        return;
      case undefined:
        return;
    }
  }

  async #askReason(): Promise<void> {
    const { write, size, theme, isPlain, isDumb } = this.#options;
    const editor = new LineEditor({
      write,
      size,
      theme,
      prompt: () => '  reason for the model: ',
      history: new MemoryHistory(),
      complete: () => [],
      routeMark: () => '',
      isComplete: () => true,
      painter: isPlain === true ? 'plain' : 'full',
      marksPastes: isDumb !== true,
    });
    this.#reason = editor;
    const read = await editor.read();
    this.#reason = null;
    if (this.#done) return;
    if (read.type === 'line') this.#decide('denied', { type: 'deny', reason: read.text.trim() });
    else this.#show({ all: false });
  }

  #decide(shown: string, decision: Decision): void {
    this.#done = true;
    this.#options.print(`  ${shown}\n`);
    this.#options.decide(decision);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme } = this.#options;
    const { call, preview = { undoable: false } } = this.#open;
    const { lines, keys } = formatApproval(call, preview, { size: size(), theme, all });
    this.#offered = keys;
    this.#options.print(`${lines.join('\n')}\n`);
  }
}
