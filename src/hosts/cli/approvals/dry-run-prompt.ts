import type { DryRun } from '../../../core/session/state.ts';
import { type DryRunKey, formatDryRun, parseChoice } from '../screen/dry-run.ts';
import { AnswerKeys } from './answer-keys.ts';
import { ANSWERED, APPLIED_ALL, DISCARDED, formatAppliedItems, formatBadItems, formatItemsPrompt } from './messages.ts';
import type { QuestionOptions } from './question.ts';

/** A decision on the result of a dry run. */
export type DryRunAnswer =
  /** Without `items`, every change. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  | { readonly type: 'discard' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' };

interface DryRunPromptOptions extends Omit<QuestionOptions, 'decide' | 'dryRun'> {
  answer(answer: DryRunAnswer): void;
}

/** Asks whether to apply or discard the result of a dry run. During the dry run only Ctrl-C is a key. */
export class DryRunPrompt {
  readonly #dryRun: DryRun;
  readonly #options: DryRunPromptOptions;
  readonly #keys: AnswerKeys;
  #offered: readonly DryRunKey[] = [];
  readonly #actions: Readonly<Record<DryRunKey, () => void>> = {
    a: () => this.#answer(APPLIED_ALL, { type: 'apply' }),
    c: () => void this.#choose(),
    d: () => this.#answer(DISCARDED, { type: 'discard' }),
    y: () => this.#answer(ANSWERED.yes, { type: 'allow' }),
    n: () => this.#answer(ANSWERED.no, { type: 'deny' }),
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

  /** True during the dry run: the waiting row shows it. */
  get isBlank(): boolean {
    return this.#dryRun.stage === 'running';
  }

  /** True while the user types numbers. */
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
    const text = await this.#keys.readLine(formatItemsPrompt(count));
    if (this.#keys.isOver) return;
    const items = text === null ? null : parseChoice(text, count);
    if (items !== null) this.#answer(formatAppliedItems(items), { type: 'apply', items });
    else {
      if (text !== null && text.trim() !== '') this.#options.print(`  ${formatBadItems(count)}\n`);
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
