import type { DryRun } from '../../../core/session/state.ts';
import { type DryRunKey, formatDryRun, parseChoice } from '../screen/dry-run.ts';
import { AnswerKeys } from './answer-keys.ts';
import type { QuestionOptions } from './question.ts';

/** What can become of a dry-run. */
export type DryRunAnswer =
  /** All of it without `items`. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  | { readonly type: 'discard' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' };

/** What the question about a dry run needs. */
export interface DryRunPromptOptions extends Omit<QuestionOptions, 'decide' | 'dryRun'> {
  answer(answer: DryRunAnswer): void;
}

/** Asks what is to become of a dry run; while it runs, only Ctrl-C is a key. */
export class DryRunPrompt {
  readonly #dryRun: DryRun;
  readonly #options: DryRunPromptOptions;
  readonly #keys: AnswerKeys;
  #offered: readonly DryRunKey[] = [];
  readonly #actions: Readonly<Record<DryRunKey, () => void>> = {
    a: () => this.#answer('apply all', { type: 'apply' }),
    c: () => void this.#choose(),
    d: () => this.#answer('discarded', { type: 'discard' }),
    y: () => this.#answer('yes', { type: 'allow' }),
    n: () => this.#answer('no', { type: 'deny' }),
    v: () => this.#show({ all: true }),
  };

  constructor(dryRun: DryRun, options: DryRunPromptOptions) {
    this.#dryRun = dryRun;
    this.#options = options;
    this.#keys = new AnswerKeys(options, {
      interrupt: () => options.interrupt(),
      press: (text) => this.#press(text.toLowerCase()),
    });
    this.#show({ all: false });
  }

  /** True while numbers are typed. */
  get wantsText(): boolean {
    return this.#keys.wantsText;
  }

  feed(bytes: Uint8Array): void {
    this.#keys.feed(bytes);
  }

  close(): void {
    this.#keys.close();
  }

  #press(text: string): void {
    const key = this.#offered.find((offered) => offered === text);
    if (key !== undefined) this.#actions[key]();
  }

  async #choose(): Promise<void> {
    const count = this.#dryRun.report?.items.length ?? 0;
    const text = await this.#keys.readLine(`  apply which of 1-${count}, such as 1 3-5: `);
    if (this.#keys.isOver) return;
    const items = text === null ? null : parseChoice(text, count);
    if (items !== null) this.#answer(`apply ${items.join(', ')}`, { type: 'apply', items });
    else {
      if (text !== null && text.trim() !== '')
        this.#options.print(`  enter numbers from 1 to ${count}; nothing was applied\n`);
      this.#show({ all: false });
    }
  }

  #answer(shown: string, answer: DryRunAnswer): void {
    this.#keys.end();
    this.#options.print(`  ${shown}\n`);
    this.#options.answer(answer);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme, print } = this.#options;
    const { report, callId } = this.#dryRun;
    if (report === undefined) return;
    const { lines, keys } = formatDryRun(report, { size: size(), theme, all, ofCall: callId !== null });
    this.#offered = keys;
    this.#keys.markPastes();
    print(`${lines.join('\n')}\n`);
  }
}
