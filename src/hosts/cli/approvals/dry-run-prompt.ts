import type { DryRun } from '../../../core/session/state.ts';
import { type DryRunKey, formatDryRun, parseChoice } from '../screen/change-report.ts';
import { KeyPrompt, type KeyPromptDeps } from './key-prompt.ts';
import { ANSWERED, APPLIED_ALL, DISCARDED, formatAppliedItems, formatBadItems, formatItemsPrompt } from './messages.ts';

/** A decision on the result of a dry run. */
export type DryRunAnswer =
  /** Without `items`, every change. */
  | { readonly type: 'apply'; readonly items?: readonly number[] }
  | { readonly type: 'discard' }
  | { readonly type: 'allow' }
  | { readonly type: 'deny' };

interface DryRunPromptDeps extends KeyPromptDeps {
  answer(answer: DryRunAnswer): void;
  /** Ctrl-C: interrupts the turn. */
  interrupt(): void;
}

/** Asks whether to apply or discard the result of a dry run. During the dry run only Ctrl-C is a key. */
export class DryRunPrompt extends KeyPrompt<DryRunKey, DryRunPromptDeps> {
  readonly #dryRun: DryRun;
  readonly #actions: Readonly<Record<DryRunKey, () => void>> = {
    a: () => this.#answer(APPLIED_ALL, { type: 'apply' }),
    c: () => void this.#choose(),
    d: () => this.#answer(DISCARDED, { type: 'discard' }),
    y: () => this.#answer(ANSWERED.yes, { type: 'allow' }),
    n: () => this.#answer(ANSWERED.no, { type: 'deny' }),
    v: () => this.#show({ all: true }),
  };

  constructor(dryRun: DryRun, deps: DryRunPromptDeps) {
    super(deps);
    this.#dryRun = dryRun;
    this.#show({ all: false });
  }

  /** True during the dry run: the waiting row shows it. */
  get isBlank(): boolean {
    return this.#dryRun.stage === 'running';
  }

  protected press(key: DryRunKey): void {
    this.#actions[key]();
  }

  protected interrupt(): void {
    this.deps.interrupt();
  }

  async #choose(): Promise<void> {
    const count = this.#dryRun.report?.items.length ?? 0;
    const text = await this.readLine(formatItemsPrompt(count));
    if (this.isOver) return;
    const items = text === null ? null : parseChoice(text, count);
    if (items !== null) this.#answer(formatAppliedItems(items), { type: 'apply', items });
    else {
      if (text !== null && text.trim() !== '') this.say([`  ${formatBadItems(count)}`]);
      this.#show({ all: false });
    }
  }

  #answer(shown: string, answer: DryRunAnswer): void {
    this.end(shown);
    this.deps.answer(answer);
  }

  #show({ all }: { all: boolean }): void {
    const { size, theme } = this.deps;
    const { report, callId } = this.#dryRun;
    if (report !== undefined) this.offer(formatDryRun(report, { ...size(), theme, all, ofCall: callId !== null }));
  }
}
